// Ask: transformers that were trained once answer here, every question x after the examples that the
// reader drags. Beside them one step, least squares and the truth.

import { Figure, placed, replaced } from "./figure.js";
import { among, button, handle, make, panel, put } from "./hands.js";
import * as K from "./kernel.js";
import { diamond, fixed, ink, mark, Plane, pair, px, ring, tag, words } from "./marks.js";
import { ask, memory, read } from "./transformer.js";

const N = 8; // examples in training
const OWN = [0.55, -0.6, 0.9, -1.3, 1.25, -0.25, 0.2, -0.95, 1.6]; // of seed 0; the last is the one more
const LAMBDA = [1, 0, 0, 0]; // dimension one: in training points have variance one
const USUAL = 1.96; // 19 of 20 questions of training are nearer to zero
const GRIP = 3; // where on the true line the hand is
const HALF = 4; // of the frame
const ASKED = Array.from({ length: 41 }, (_, k) => k / 5 - HALF);

/** The true label of x: a line, or two that meet at zero. */
export const ruleOf = ({ w, bend }, x) => w * x * (x < 0 ? 1 - 2 * bend : 1);

/** The examples [x, y]; stretched they keep their line. */
export function examplesOf(state, count = state.M) {
  const own = state.seed ? K.gaussians(state.seed, OWN.length) : OWN;
  return placed(
    own.map((x) => [x, ruleOf(state, x)]),
    state.moved,
  )
    .slice(0, count)
    .map((place) => K.times(state.scale, place));
}

/** Which example is told first, which second: as they are numbered, or shuffled by the seed `order`. */
export function orderOf({ order, M }) {
  const told = Array.from({ length: M }, (_, i) => i);
  if (!order) return told;
  const drawn = K.gaussians(order, M);
  return told.sort((a, b) => drawn[a] - drawn[b]);
}

/** Slopes of the best step for prompts of N points, and of least squares. */
export function slopesOf(examples) {
  const c = K.moments(
    examples.map(([x]) => [x, 0]),
    examples.map(([, y]) => y),
  );
  return { step: c.m[0] / K.gamma(LAMBDA, N)[0], squares: K.leastSquares(c)[0] };
}

/** What each of them answers to the question of the state, and how the chosen model shares its attention. */
export function answersOf(state, models) {
  const examples = examplesOf(state);
  const { step, squares } = slopesOf(examples);
  const order = orderOf(state);
  const given = order.map((i) => examples[i]);
  const all = models.map((model) => ask(model, memory(model, given), state.query));
  const numbered = (row) => [...examples.map((_, i) => row[order.indexOf(i)]), row[examples.length]];
  return {
    transformers: all.map(({ answer }) => answer),
    step: step * state.query,
    squares: squares * state.query,
    rule: ruleOf(state, state.query),
    rows: all[state.start].rows.flat().map(numbered),
  };
}

/** The answers of each model all along the frame, at half as many places of those that are drawn thin. */
const curvesOf = (state, models) => {
  const examples = examplesOf(state);
  const given = orderOf(state).map((i) => examples[i]);
  return models.map((model, k) => {
    const kept = memory(model, given);
    return ASKED.filter((_, i) => k === state.start || i % 2 === 0).map((x) => [x, ask(model, kept, x).answer]);
  });
};

export function planeOf(width) {
  const height = Math.round(width * (width < 560 ? 0.94 : 0.6));
  return {
    height,
    plane: new Plane({ x: [-HALF, HALF], y: [-HALF, HALF], left: 30, right: width - 6, top: 8, bottom: height - 28 }),
  };
}

// ---- the picture ---------------------------------------------------------------------------------------

const straight = (plane, of, attributes) =>
  tag("path", { ...attributes, d: plane.path([-HALF, 0, HALF].map((x) => [x, of(x)])) });

/** Names beside the curves, each where its curve is inside the frame. */
function labels(plane, lines, examples) {
  const along = lines.flatMap(({ of }) =>
    ASKED.map((x) => [x, of(x)])
      .filter((at) => plane.holds(at))
      .map((at) => [...plane.at(at), 5]),
  );
  const wanted = lines
    .filter(({ text }) => text)
    .map(({ of, text, role, where }) => ({ text, role, at: plane.at([where, of(where)]) }));
  return words(plane, wanted, [...examples.map((at) => [...plane.at(at), 9]), ...along], 13.5);
}

/** Round each example, and the question itself, an area as large as its share of the attention. */
function looked(plane, { query, look }, { rows }, examples, answer) {
  if (!look) return "";
  const at = [...examples, [query, answer]];
  return rows[look - 1]
    .map((share, i) =>
      plane.holds(at[i]) ? mark(plane, at[i], ring(px(Math.max(1, 44 * Math.sqrt(share)))), "ex-paid", "U") : "",
    )
    .join("");
}

export function picture(plane, state, curves, found, id) {
  const examples = examplesOf(state);
  const slopes = slopesOf(examples);
  const answer = found.transformers[state.start];
  const drawn = curves[state.start];
  const own = (x) => drawn[Math.round(5 * (x + HALF))][1];
  const inside = (of, places) => places.find((x) => Math.abs(of(x)) < 0.93 * HALF) ?? 0;
  const lines = [
    { of: own, text: "transformer", role: "U", at: [-3, -2.4, -1.8, -1.2] },
    { of: (x) => slopes.step * x, text: "one step", role: "u", at: [3.25, 2.5, 1.5, 0.75] },
    { of: (x) => slopes.squares * x, text: "least squares", role: "query", at: [-3.5, -2.25, -1.25, -0.75] },
    { of: (x) => ruleOf(state, x), text: "the truth", role: "muted", at: [2.75, 1.75, 1, 0.5] },
  ].map((line) => ({ ...line, where: inside(line.of, line.at) }));
  const [rule, foot] = [lines[3].of, plane.bottom - 4];
  const [from, to] = [-USUAL, USUAL].map((x) => px(plane.at([x, 0])[0]));
  const [asked, top] = plane.at([state.query, answer]).map(px);
  const clip = tag(
    "g",
    { "clip-path": `url(#${id})` },
    straight(plane, rule, { class: "ex-guide" }) +
      straight(plane, lines[2].of, { class: "ex-line ex-thin ex-dashed", style: ink("query") }) +
      straight(plane, lines[1].of, { class: "ex-line ex-dashed", style: ink("u") }) +
      looked(plane, state, found, examples, answer) +
      curves
        .map((curve, k) =>
          k === state.start
            ? ""
            : tag("path", { class: "ex-line ex-thin ex-faint", style: ink("U"), d: plane.path(curve) }),
        )
        .join("") +
      tag("path", { class: "ex-line ex-bold", style: ink("U"), d: plane.path(drawn) }),
  );
  return (
    plane.frame({ x: [-3, -2, -1, 0, 1, 2, 3], y: [-3, -2, -1, 0, 1, 2, 3], names: ["x", "y"] }) +
    plane.clip(id) +
    tag("path", { class: "ex-axis", d: `M${from} ${foot - 5}V${foot}H${to}V${foot - 5}` }) +
    tag(
      "text",
      { class: "ex-aside", x: px(plane.at([HALF, 0])[0]), y: foot - 5, "text-anchor": "end" },
      "19 of 20 training questions",
    ) +
    (plane.holds([state.query, answer])
      ? tag("path", { class: "ex-guide", d: `M${asked} ${px(plane.at([0, 0])[1])}V${top}` })
      : "") +
    clip +
    labels(plane, lines, examples)
  );
}

// ---- the figure ----------------------------------------------------------------------------------------

export class Ask extends Figure {
  static title = "Trained transformers answer in this page";
  static traits = {
    seed: { low: 0, high: 9999, whole: true },
    M: { low: 1, high: 9, whole: true },
    w: { low: -1.3, high: 1.3 },
    scale: { low: 1, high: 2 },
    bend: { low: 0, high: 1 },
    query: { low: -4, high: 4 },
    start: { low: 0, high: 2, whole: true },
    look: { low: 0, high: 4, whole: true },
    order: { low: 0, high: 9999, whole: true },
    moved: { low: -4, high: 4, points: 9 },
  };

  static options = [];

  build() {
    this.stage = panel("Examples, and what a transformer answers to each question x");
    this.examples = OWN.map((_, i) => this.example(i));
    this.rule = this.grip("muted", diamond(8), "ex-full", {
      name: "The truth",
      get: () => [GRIP, GRIP * this.get("w")],
      move: ([, y]) => this.turn(y / GRIP),
      home: () => this.turn(this.start.w),
      say: () => `slope ${fixed(this.get("w"))}`,
    });
    this.query = this.grip("query", ring(9), "ex-open ex-asked", {
      name: "Question",
      get: () => [this.get("query"), this.answer()],
      move: ([x]) => this.put({ query: x }),
      home: () => this.put({ query: this.start.query }),
      say: () => `x = ${fixed(this.get("query"))}, the transformer answers ${fixed(this.answer())}`,
    });
    this.words = make("p", { class: "ex-words" });
    this.toggles = [
      this.toggle("One more example", "M", 8, 9),
      this.toggle("Twice as wide", "scale", 1, 2),
      this.toggle("Bend the line", "bend", 0, 1),
    ];
    const turn = (name, count) => () => this.put({ [name]: (this.get(name) + 1) % count });
    this.look = button("", turn("look", 5));
    const others = [
      button("Another run", turn("start", 3)),
      this.look,
      button("Shuffle", () => this.put({ order: (this.get("order") + 1) % 10_000 })),
      button("New prompt", () => this.put({ seed: (this.get("seed") + 1) % 10_000, moved: [] })),
    ];
    this.root.append(
      this.stage.svg,
      this.words,
      make("div", { class: "ex-bar" }, ...this.toggles.map(({ node }) => node)),
      this.bar(...others),
    );
  }

  grip(role, d, kind, hand) {
    return handle({
      parent: this.stage.svg,
      role,
      d,
      kind,
      plane: () => this.plane,
      begin: () => this.still(),
      ...hand,
    });
  }

  example(i) {
    const keys = among(
      () => this.examples,
      () => this.get("M"),
    );
    const get = () => examplesOf(this.state(), OWN.length)[i];
    const move = (place) =>
      this.put({ moved: replaced(this.get("moved"), i, place && K.times(1 / this.get("scale"), place)) });
    const one = this.grip("ink", ring(6.5), "ex-full", {
      name: `Example ${i + 1}`,
      room: 13,
      get,
      move,
      home: () => move(null),
      say: () => pair(get()),
      keys: (event) => keys(event, i),
    });
    put(one.node, { tabindex: i ? -1 : 0 });
    return one;
  }

  turn(w) {
    const { low, high } = Ask.traits.w;
    this.put({ w: Math.round(1000 * Math.min(high, Math.max(low, w))) / 1000 });
  }

  /** A button that leads a trait to one of two values. */
  toggle(text, name, off, on) {
    const there = () => this.get(name) > (off + on) / 2;
    const act = () => {
      const [from, to] = [this.get(name), there() ? off : on];
      if (Ask.traits[name].whole) this.put({ [name]: to });
      else this.lead(700, (share) => ({ [name]: +(from + share * (to - from)).toPrecision(4) }));
    };
    const node = button(text, act);
    return { node, follow: () => put(node, { "aria-pressed": String(there()) }) };
  }

  answer() {
    return this.found.transformers[this.get("start")];
  }

  layout(width) {
    const { height, plane } = planeOf(width);
    this.plane = plane;
    this.stage.size(width, height);
  }

  draw(state) {
    if (!this.models) this.models = read(this.get("weights")); // where the figure is first seen
    const key = JSON.stringify([
      state.seed,
      state.M,
      state.w,
      state.scale,
      state.bend,
      state.order,
      state.moved,
      state.start,
    ]);
    if (key !== this.key) this.curves = curvesOf(state, this.models);
    this.key = key;
    this.found = answersOf(state, this.models);
    this.stage.layer.innerHTML = picture(this.plane, state, this.curves, this.found, `${this.id}-clip`);
    const places = examplesOf(state, OWN.length);
    this.examples.forEach(({ node, follow }, i) => {
      node.style.display = i < state.M && this.plane.holds(places[i]) ? "" : "none";
      follow();
    });
    this.query.node.style.display = this.plane.holds([state.query, this.answer()]) ? "" : "none";
    for (const { follow } of [this.query, this.rule, ...this.toggles]) follow();
    this.look.textContent = state.look ? `Attention: ${headOf(state, this.models)}` : "Show attention";
    this.words.textContent = told(state, this.found, this.models);
  }
}

const headOf = ({ look }, [{ heads }]) => `block ${Math.ceil(look / heads)}, head ${((look - 1) % heads) + 1}`;

function told(state, found, models) {
  const { transformers, step, squares, rule, rows } = found;
  const said = `Asked at x = ${fixed(state.query)} after ${state.M} examples${state.order ? " in another order" : ""}, transformer ${state.start + 1} of 3 answers ${fixed(transformers[state.start])}, one step ${fixed(step)}, least squares ${fixed(squares)}; the truth is ${fixed(rule)}.`;
  if (!state.look) return said;
  const row = rows[state.look - 1];
  const share = (keep) =>
    `${Math.round(100 * examplesOf(state).reduce((sum, [x], i) => sum + (keep(x) ? row[i] : 0), 0))} %`;
  const itself = `${Math.round(100 * row[row.length - 1])} %`;
  return `${said} In ${headOf(state, models)} its question looks ${share((x) => x < 0)} at the examples left of zero, ${share((x) => x >= 0)} at those right of it, ${itself} at itself.`;
}

export const Kind = Ask;

export function still(state, width) {
  const { height, plane } = planeOf(width);
  const models = read(state.weights);
  const found = answersOf(state, models);
  const asked = [state.query, found.transformers[state.start]];
  const dots = examplesOf(state)
    .filter((one) => plane.holds(one))
    .map((one) => mark(plane, one, ring(6.5), "ex-full", "ink"));
  const rest =
    mark(plane, [GRIP, GRIP * state.w], diamond(8), "ex-full", "muted") +
    (plane.holds(asked) ? mark(plane, asked, ring(9), "ex-open ex-asked", "query") : "");
  return { height, text: picture(plane, state, curvesOf(state, models), found, "ask-clip") + dots.join("") + rest };
}
