// OnePass: two examples and a query go through one layer of linear attention. Left the prompt, with the
// answers to all queries; right what each pair of blocks says, and the sum.

import { Figure } from "./figure.js";
import { among, handle, main, panel, put } from "./hands.js";
import * as K from "./kernel.js";
import { diamond, fixed, ink, mark, Plane, px, ring, sideBySide, squares, tag } from "./marks.js";

const REACH = 6; // how far a point may be moved
const PAIRS = [
  "constant: compare points, copy points",
  "direct: compare points, copy labels",
  "swapped: compare labels, copy points",
  "quadratic: compare labels, copy labels",
];
const ROUND = 1e4;

/** As one writes by hand: no zeros at the end. */
const short = (value) =>
  fixed(value)
    .replace(/(\.\d*?)0+$/, "$1")
    .replace(/\.$/, "");
/** @param {number[]} at */
const place = ([x, y]) => `(${short(x)}, ${short(y)})`;

const whole = ([x, y], k) => [x, k * y];
/** @param {any} state */
const examplesOf = ({ points: [a, b, c, d], k }) => [whole([a, b], k), whole([c, d], k)];

/** What the layer makes of the prompt: dimension one is a first coordinate. */
export function passOf({ query, U, u21, u12, u, ...state }, asked = query) {
  const examples = examplesOf(state);
  return K.pass(
    examples.map(([x]) => [x, 0]),
    examples.map(([, y]) => y),
    [asked, 0],
    { U: [U, 0, 0, 0], u21: [u21, 0], u12: [u12, 0], u },
  );
}

export function geometryOf(width) {
  const { side } = squares(width, 2);
  const frame = { left: 34, right: side - 6, top: 8, bottom: side - 28 };
  return {
    side,
    prompt: new Plane({ x: [-3.3, 3.3], y: [-13, 13], ...frame }),
    bars: new Plane({ ...frame, x: [-13, 13], y: [0, 1], left: 2, right: side - 2 }),
  };
}

// ---- the pictures ------------------------------------------------------------------------------------------

export function promptPicture(plane, state, { answer }, id) {
  const at = [state.query, answer];
  const curve = Array.from({ length: 67 }, (_, j) => j / 10 - 3.3).map((x) => [x, passOf(state, x).answer]);
  const [p, q] = plane.at(plane.nearest(at)).map(px);
  const foot = px(plane.at([0, 0])[1]);
  const said = `${plane.holds(at) ? "" : answer > 0 ? "↑ " : "↓ "}answer ${short(answer)}`;
  const beside = {
    x: p + (state.query > 1.2 ? -12 : 12),
    y: q + (answer > 0 ? 14 : -6),
    "text-anchor": state.query > 1.2 ? "end" : "start",
  };
  return (
    plane.frame({ x: [-2, -1, 0, 1, 2], y: [-10, -5, 0, 5, 10], names: ["x", "y"] }) +
    plane.clip(id) +
    tag(
      "g",
      { "clip-path": `url(#${id})` },
      tag("path", { class: "ex-line ex-thin", style: ink("query"), d: plane.path(curve) }),
    ) +
    tag("path", { class: "ex-guide", d: `M${p} ${foot}V${q}` }) +
    (plane.holds(at) ? mark(plane, at, diamond(6), "ex-full", "query") : "") +
    tag("text", { class: "ex-word", style: ink("query"), ...beside }, said)
  );
}

/** What is added up, and the sum: the bars now, and where they were before the labels were multiplied. */
function rowsOf(state, { terms, answer }) {
  const before = passOf({ ...state, k: 1 });
  const was = [...before.terms, before.answer];
  return [...terms, answer].map((value, i) => ({
    value,
    ghost: state.k === 1 ? null : was[i],
    name: PAIRS[i] ?? "answer, their sum",
    role: PAIRS[i] ? "ink" : "query",
  }));
}

/** Bars from zero; one that leaves the frame ends in a tip, and its number says how long it is. */
export function barsPicture(plane, rows) {
  const pitch = (plane.bottom + 20 - plane.top) / rows.length;
  const zero = px(plane.at([0, 0])[0]);
  const strip = (value, y, attributes) => {
    const end = px(plane.at(plane.nearest([value, 0]))[0]);
    const tip = plane.holds([value, 0]) ? "" : `l${7 * Math.sign(value)} 7l${-7 * Math.sign(value)} 7`;
    return tag("path", {
      ...attributes,
      d: tip ? `M${zero} ${y}H${end - 7 * Math.sign(value)}${tip}H${zero}z` : `M${zero} ${y}H${end}v14H${zero}z`,
    });
  };
  return rows
    .map(({ name, value, ghost, role }, k) => {
      const y = px(plane.top + k * pitch);
      const word = { class: "ex-word", style: ink(role), y: y + 13 };
      return (
        tag("text", { ...word, x: plane.left }, name) +
        tag("text", { ...word, x: plane.right, "text-anchor": "end" }, short(value)) +
        tag("path", { class: "ex-axis", d: `M${zero} ${y + 20}v22` }) +
        strip(value, y + 24, { class: "ex-cell", style: `${ink(role)};fill:var(--c)` }) +
        (ghost === null ? "" : strip(ghost, y + 24, { class: "ex-ghost", "stroke-dasharray": "3 3" }))
      );
    })
    .join("");
}

// ---- the figure ---------------------------------------------------------------------------------------------

const SLIDERS = {
  k: { label: "k, factor of all labels", low: -2, high: 2, show: (value) => `× ${short(value)}` },
  U: { label: "U, compares points", low: -2, high: 2 },
  u21: { label: "u₂₁, compares labels", low: -2, high: 2 },
  u: { label: "u, copies labels", low: -2, high: 2 },
  u12: { label: "u₁₂, copies points", low: -2, high: 2 },
};

export class OnePass extends Figure {
  static title = "One pass through the layer";
  static traits = {
    points: { low: -REACH, high: REACH, lengths: [4] },
    query: { low: -3.3, high: 3.3 },
    k: { low: -2, high: 2 },
    U: { low: -2, high: 2 },
    u: { low: -2, high: 2 },
    u12: { low: -2, high: 2 },
    u21: { low: -2, high: 2 },
  };

  static options = ["controls"];

  build() {
    this.left = panel("The prompt: two examples, the query, and the answers to all queries");
    this.right = panel("What is added up");
    this.held = [this.example(0), this.example(1)];
    this.held.push(
      handle({
        parent: this.left.svg,
        d: ring(7),
        kind: "ex-open ex-asked",
        role: "query",
        name: "Query",
        plane: () => this.geometry.prompt,
        get: () => [this.get("query"), 0],
        home: () => this.move({ query: this.start.query }),
        move: ([x]) => this.move({ query: x }),
        say: () => `x = ${short(this.get("query"))}, the layer answers ${short(passOf(this.state()).answer)}`,
      }),
    );
    this.root.append(
      this.panels(
        ["Two examples, a query, its answer", this.left],
        ["What each pair of key and value says", this.right],
      ),
      this.bar(main("Flip the labels", () => this.flip())),
      this.sliders(SLIDERS, (values) => this.move(values), this.get("controls")),
    );
  }

  example(i) {
    const keys = among(
      () => this.held.slice(0, 2),
      () => 2,
    );
    const set = ([x, y]) =>
      this.move({ points: this.get("points").map((value, j) => (j === 2 * i ? x : j === 2 * i + 1 ? y : value)) });
    // of labels times k = 0 nothing can be pulled up
    const move = ([x, y]) =>
      set([
        x,
        Math.abs(this.get("k")) < 0.05
          ? this.get("points")[2 * i + 1]
          : Math.min(REACH, Math.max(-REACH, y / this.get("k"))),
      ]);
    const one = handle({
      parent: this.left.svg,
      d: ring(6.5),
      kind: "ex-full",
      role: "ink",
      name: `Example ${i + 1}`,
      plane: () => this.geometry.prompt,
      get: () => examplesOf(this.state())[i],
      move,
      home: () => set(this.start.points.slice(2 * i, 2 * i + 2)),
      say: () => place(examplesOf(this.state())[i]),
      keys: (event) => keys(event, i),
    });
    put(one.node, { tabindex: i ? -1 : 0 });
    return one;
  }

  move(values) {
    this.still();
    this.put(values);
  }

  /** To the other sign, through all between. */
  flip() {
    const from = this.get("k");
    this.lead(900, (share) => ({ k: Math.round(from * (1 - 2 * share) * ROUND) / ROUND }));
  }

  layout(width) {
    this.geometry = geometryOf(width);
    for (const { size } of [this.left, this.right]) size(this.geometry.side, this.geometry.side);
  }

  draw(state) {
    const made = passOf(state);
    this.left.layer.innerHTML = promptPicture(this.geometry.prompt, state, made, `${this.id}-prompt`);
    this.right.layer.innerHTML = barsPicture(this.geometry.bars, rowsOf(state, made));
    for (const { follow } of [...this.held, ...this.controls]) follow();
  }

  said(state) {
    const { terms, answer } = passOf(state);
    return `Labels times ${short(state.k)}, asked at ${short(state.query)}: ${terms.map(short).join(", ")} add up to ${short(answer)}.`;
  }
}

export const Kind = OnePass;

export function still(state, width) {
  const { side, prompt, bars } = geometryOf(width);
  const made = passOf(state);
  const dots =
    examplesOf(state)
      .map((at) => (prompt.holds(at) ? mark(prompt, at, ring(6.5), "ex-full", "ink") : ""))
      .join("") + mark(prompt, [state.query, 0], ring(7), "ex-open ex-asked", "query");
  return {
    height: side,
    text: sideBySide(side, [
      promptPicture(prompt, state, made, "prompt") + dots,
      barsPicture(bars, rowsOf(state, made)),
    ]),
  };
}
