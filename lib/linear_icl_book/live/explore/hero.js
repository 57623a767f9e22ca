// The first figure: examples drop in, the line of the trained layer turns, no weight changes. Then the
// reader drags an example, or stretches them all and sees the line tip over.

import { Figure, placed, replaced } from "./figure.js";
import { among, button, Clock, handle, main, make, panel, put, still as unmoved, watch } from "./hands.js";
import * as K from "./kernel.js";
import { fixed, ink, mark, Plane, pair, px, ring, tag, words } from "./marks.js";

const LAMBDA = [1, 0, 0, 0]; // dimension one: in training points have variance one
const OWN = [0.5, -0.7, 0.9, -1.1, 1.2, -1.3]; // of the rule y = x
const PACE = 0.62; // seconds an example
const FALL = 0.34;

/** The first `count` examples [x, y]; stretched they keep their rule. */
export function examplesOf({ moved, scale, M }, count = M) {
  return placed(
    OWN.map((x) => [x, x]),
    moved,
  )
    .slice(0, count)
    .map((place) => K.times(scale, place));
}

/** On which lines the layer and least squares answer after these examples. */
export function slopesOf({ N }, examples) {
  if (!examples.length) return { layer: 0, squares: NaN };
  const c = K.moments(
    examples.map(([x]) => [x, 0]),
    examples.map(([, y]) => y),
  );
  return { layer: c.m[0] / K.gamma(LAMBDA, N)[0], squares: K.leastSquares(c)[0] };
}

export function planeOf(width) {
  const height = Math.round(width * (width < 560 ? 0.86 : 0.62));
  const half = 4.4;
  const tall = (half * (height - 8)) / width; // one unit is as long across as up
  return {
    height,
    plane: new Plane({ x: [-half, half], y: [-tall, tall], left: 0, right: width, top: 4, bottom: height - 4 }),
  };
}

/** The line of a slope as far as the frame goes. */
const across = (plane, slope) => {
  const reach = Math.min(plane.x[1], slope ? plane.y[1] / Math.abs(slope) : Infinity);
  return [
    [-reach, -slope * reach],
    [reach, slope * reach],
  ];
};

const straight = (plane, slope, attributes) =>
  Number.isFinite(slope) ? tag("path", { ...attributes, d: plane.path(across(plane, slope)) }) : "";

/** Names beside the lines on the left, where the query is not. */
function labels(plane, { query }, { layer, squares }, examples) {
  const same = Math.abs(squares - 1) < 1e-9;
  const all = [
    { slope: layer, text: "trained layer", role: "U" },
    { slope: squares, text: "least squares", role: "query" },
    { slope: same ? NaN : 1, text: "the rule", role: "muted" },
  ]
    .filter(({ slope }) => Number.isFinite(slope))
    .sort((a, b) => b.slope - a.slope);
  const marks = examples.map((at) => [...plane.at(at), 9]);
  const along = all.flatMap(({ slope }) => {
    const [, end] = across(plane, slope);
    return Array.from({ length: 19 }, (_, k) => [...plane.at(K.times(k / 10 - 0.9, end)), 6]);
  });
  const narrow = plane.right < 400; // there the second name has room only near the middle
  const wanted = all.map(({ slope, text, role }, k) => ({
    text,
    role,
    at: plane.at(K.times(narrow && k ? 0.26 : 0.84 - 0.18 * k, across(plane, slope)[0])),
  }));
  const axes = narrow
    ? Array.from({ length: 45 }, (_, k) => k / 5 - 4.4).flatMap((x) => [
        [...plane.at([x, 0]), 2.5],
        [...plane.at([0, x]), 2.5],
      ])
    : [];
  const asked = [query, layer * query];
  const edge = plane.at(plane.nearest(asked)); // an answer outside says so with its number
  const beyond = {
    at: [edge[0], edge[1] + (asked[1] > 0 ? 14 : -14)],
    role: "query",
    text: `${asked[1] > 0 ? "↑" : "↓"} answers ${fixed(asked[1])}`,
  };
  return words(plane, plane.holds(asked) ? wanted : [...wanted, beyond], [...marks, ...along, ...axes], 14.5);
}

/** From the axis to what the layer answers where it is asked. */
function answer(plane, { query }, layer) {
  const at = [query, layer * query];
  const [p, q] = plane.at(at).map(px);
  return plane.holds(at) ? tag("path", { class: "ex-guide", d: `M${p} ${px(plane.at([0, 0])[1])}V${q}` }) : "";
}

export function picture(plane, state, slopes, examples) {
  const [zeroX, zeroY] = plane.at([0, 0]).map(px);
  return (
    tag("path", {
      class: "ex-axis",
      d: `M${plane.left} ${zeroY}H${plane.right}M${zeroX} ${plane.top}V${plane.bottom}`,
    }) +
    straight(plane, 1, { class: "ex-guide" }) +
    straight(plane, slopes.squares, { class: "ex-line ex-thin ex-dashed", style: ink("query") }) +
    straight(plane, slopes.layer, { class: "ex-line ex-bold", style: ink("U") }) +
    answer(plane, state, slopes.layer) +
    labels(plane, state, slopes, examples)
  );
}

const read = (count) => `example${count === 1 ? "" : "s"} read`;

export class Hero extends Figure {
  static title = "A trained layer reads examples";
  static traits = {
    M: { low: 1, high: 6, whole: true },
    N: { low: 1, high: 256, whole: true },
    scale: { low: 1, high: 2 },
    query: { low: -4.4, high: 4.4 },
    moved: { low: -4, high: 4, points: 6 },
  };

  static options = [];

  build() {
    this.rest();
    this.stage = panel("Examples, and the line on which the trained layer answers");
    this.examples = OWN.map((_, i) => this.example(i));
    this.query = this.grip("query", ring(9), "ex-open ex-asked", {
      name: "Query",
      get: () => [this.get("query"), this.drawn().layer * this.get("query")],
      move: ([x]) => this.put({ query: x }),
      home: () => this.put({ query: this.start.query }),
      say: () => `x = ${fixed(this.get("query"))}, the layer answers ${fixed(this.slopes.layer * this.get("query"))}`,
    });
    this.count = make("b");
    this.noun = make("span");
    const counters = make(
      "p",
      { class: "ex-counters", "aria-hidden": "true" },
      this.count,
      this.noun,
      make("b", {}, "0"),
      make("span", {}, "weights changed"),
    );
    this.words = make("p", { class: "ex-words" });
    this.wider = main("", () => this.stretch());
    this.root.append(
      make("div", { class: "ex-stage" }, this.stage.svg, counters),
      this.words,
      this.bar(
        this.wider,
        button("Play again", () => this.play()),
      ),
    );
    this.clock = new Clock((seconds) => this.tick(seconds));
    this.unwatch = watch(this.stage.svg, (seen) => this.seen(seen));
  }

  grip(role, d, kind, hand) {
    return handle({
      parent: this.stage.svg,
      role,
      d,
      kind,
      plane: () => this.plane,
      begin: () => this.halt(),
      ...hand,
    });
  }

  example(i) {
    const keys = among(
      () => this.examples,
      () => this.get("M"),
    );
    const move = (place) =>
      this.put({ moved: replaced(this.get("moved"), i, place && K.times(1 / this.get("scale"), place)) });
    const one = this.grip("ink", ring(6.5), "ex-full", {
      name: `Example ${i + 1}`,
      get: () => examplesOf(this.state(), OWN.length)[i],
      move,
      home: () => move(null),
      say: () => pair(examplesOf(this.state(), OWN.length)[i]),
      keys: (event) => keys(event, i),
    });
    put(one.node, { tabindex: i ? -1 : 0 });
    return one;
  }

  // ---- time

  /** Else it plays: how many examples were read, the slope on its way, how far each has to fall. */
  rest() {
    this.read = null;
    this.slope = null;
    this.falls = [];
    this.wait = 0;
  }

  /** Plays when it is first seen, if nobody has moved anything; rests out of sight. */
  seen(seen) {
    const untouched =
      JSON.stringify(this.first()) ===
      JSON.stringify(Object.fromEntries(Object.keys(Hero.traits).map((name) => [name, this.get(name)])));
    if (!seen) this.clock.stop();
    else if (this.read !== null) this.clock.start();
    else if (!this.played && untouched && !unmoved()) this.play();
  }

  play() {
    this.played = true;
    this.still();
    this.put({ scale: 1 });
    if (unmoved()) return;
    Object.assign(this, { read: 0, slope: 0, falls: [], wait: -0.3 });
    this.clock.start();
  }

  halt() {
    this.still();
    this.clock.stop();
    this.played = true;
    this.rest();
    this.redraw();
  }

  back() {
    this.halt();
    this.put(this.first());
  }

  tick(seconds) {
    this.wait += seconds;
    if (this.wait > PACE && this.read < this.get("M")) {
      this.falls[this.read] = 1;
      Object.assign(this, { wait: 0, read: this.read + 1 });
    }
    this.falls = this.falls.map((height) => Math.max(0, height - seconds / FALL));
    const goal = this.slopes.layer;
    const landed = this.falls.every((height) => height < 0.35); // the line turns once the example is there
    if (landed) this.slope += (goal - this.slope) * (1 - Math.exp(-seconds / 0.11));
    if (landed && this.read === this.get("M") && Math.abs(goal - this.slope) < 1e-3) this.halt();
    else this.refresh();
  }

  stretch() {
    this.halt();
    const [from, to] = [this.get("scale"), this.get("scale") > 1.5 ? 1 : 2];
    this.lead(800, (share) => ({ scale: +(from + share * (to - from)).toPrecision(4) }));
  }

  // ---- drawing

  drawn() {
    return this.slope === null ? this.slopes : { ...this.slopes, layer: this.slope };
  }

  layout(width) {
    const { height, plane } = planeOf(width);
    this.plane = plane;
    this.stage.size(width, height);
  }

  draw(state) {
    const count = this.read ?? state.M;
    const examples = examplesOf(state, count);
    this.slopes = slopesOf(state, examples);
    this.stage.layer.innerHTML = picture(this.plane, state, this.drawn(), examples);
    this.examples.forEach((one, i) => this.dot(one, examples[i], this.falls[i] || 0));
    this.query.node.style.display = this.plane.holds([state.query, this.drawn().layer * state.query]) ? "" : "none";
    this.query.follow();
    [this.count.textContent, this.noun.textContent] = [String(count), read(count)];
    const wide = state.scale > 1.5;
    put(this.wider, { "aria-pressed": String(wide) });
    this.wider.textContent = wide ? "Back to their width" : "Stretch × 2";
    this.words.textContent = this.told(state, count, wide);
  }

  dot({ node, shape, follow }, at, fall) {
    node.style.display = at && this.plane.holds(at) ? "" : "none";
    if (!at) return;
    follow();
    const above = fall * fall * (this.plane.at(at)[1] + 10);
    put(shape, { transform: fall ? `translate(0 ${px(-above)})` : null });
  }

  told(state, count, wide) {
    if (wide) return "The same weights, points twice as wide as in training: the line tips over. Least squares stays.";
    if (state.moved.length)
      return "You changed the examples, nobody changed the layer: it follows another rule at once.";
    return count < state.M
      ? "A layer with fixed weights reads examples, one after the other."
      : "It nearly has the rule, with the weights that it had before. Drag an example, or the ring that asks.";
  }

  said(state) {
    const { layer, squares } = this.slopes;
    return `${state.M} ${read(state.M)}, 0 weights changed. Slope of the trained layer ${fixed(layer)}, of least squares ${fixed(squares)}. ${this.words.textContent}`;
  }

  destroy() {
    this.clock.stop();
    this.unwatch();
    super.destroy();
  }
}

export const Kind = Hero;

export function still(state, width) {
  const { height, plane } = planeOf(width);
  const examples = examplesOf(state);
  const slopes = slopesOf(state, examples);
  const at = [state.query, slopes.layer * state.query];
  const dots = examples.filter((one) => plane.holds(one)).map((one) => mark(plane, one, ring(6.5), "ex-full", "ink"));
  return {
    height,
    text:
      picture(plane, state, slopes, examples) +
      dots.join("") +
      (plane.holds(at) ? mark(plane, at, ring(9), "ex-open ex-asked", "query") : ""),
  };
}
