// TwoLines: in dimension one and without noise a layer answers a product of two lines, S times over, and the
// block a line through its mean. Left what they answer to each task, right their risks.

import { Figure } from "./figure.js";
import { button, handle, main, make, panel, put } from "./hands.js";
import * as K from "./kernel.js";
import { fixed, ink, mark, Plane, px, ring, tag, words } from "./marks.js";

const CONTEXTS = 12;
const FAR = 3; // where on the second line the hand is that turns it
const ROUND = 1e3;

/** S of each of the faint contexts. */
export function squaresOf({ seed, M }) {
  const z = K.gaussians(seed, CONTEXTS * M);
  return Array.from(
    { length: CONTEXTS },
    (_, k) => z.slice(k * M, (k + 1) * M).reduce((sum, one) => sum + one * one, 0) / M,
  );
}

export const risksOf = (state) => ({
  silence: 1 + state.beta ** 2,
  "this layer": K.layerRisk(state, state.beta, state.M),
  "best layer": (2 * (1 + state.beta ** 2)) / (state.M + 2),
  block: 2 / (state.M + 2),
});

export function geometryOf(width) {
  const narrow = width < 560;
  const side = narrow ? Math.min(width, 360) : Math.floor(0.56 * width);
  const beside = narrow ? side : width - side - 26;
  return {
    side,
    beside,
    low: narrow ? 170 : side,
    plane: new Plane({ x: [-3, 6], y: [-3, 6], left: 30, right: side - 6, top: 8, bottom: side - 28 }),
  };
}

// ---- the pictures ------------------------------------------------------------------------------------------

const ACROSS = Array.from({ length: 91 }, (_, k) => -3 + k / 10);
const curve = (plane, of, attributes) => tag("path", { ...attributes, d: plane.path(ACROSS.map((w) => [w, of(w)])) });
const line = (role, kind) => ({ class: `ex-line ${kind}`, style: ink(role) });

export function slopesPicture(plane, state, contexts, id) {
  const { beta, S, M, root } = state;
  const layer = (S) => (w) => K.layerSlope(state, S, w);
  const block = (S) => (w) => K.blockSlope(beta, M, S, w);
  const second = (w) => K.secondLine(state, w);
  const [told, meant] = [
    [beta, layer(S)(beta)],
    [beta, beta],
  ];
  const inside = (at) => plane.at(plane.nearest(at));
  return (
    plane.frame({ x: [-2, 0, 2, 4], y: [-2, 0, 2, 4], names: ["w", ""] }) +
    plane.clip(id) +
    tag(
      "g",
      { "clip-path": `url(#${id})` },
      contexts
        .map(
          (one) =>
            curve(plane, layer(one), line("u", "ex-thin ex-faint")) +
            curve(plane, block(one), line("U", "ex-thin ex-faint")),
        )
        .join("") +
        curve(plane, (w) => w, { class: "ex-guide" }) +
        curve(plane, (w) => w - root, line("muted", "ex-thin ex-dashed")) +
        curve(plane, second, line("muted", "ex-thin ex-dashed")) +
        curve(plane, layer(S), line("u", "ex-bold")) +
        curve(plane, block(S), line("U", "ex-bold")),
    ) +
    (plane.holds(told) ? mark(plane, told, ring(5), "ex-full", "u") : "") +
    mark(plane, meant, ring(5), "ex-open", "U") +
    words(
      plane,
      [
        { at: inside([5.2, block(S)(5.2)]), text: "block", role: "U" },
        { at: inside([-1.6, layer(S)(-1.6)]), text: "layer", role: "u" },
        { at: inside([5.4, 5.4]), text: "wanted", role: "muted" },
      ],
      [
        [...plane.at(meant), 9],
        [...inside(told), 9],
        [...plane.at([root, 0]), 10],
        ...ACROSS.filter((_, k) => k % 4 === 0).flatMap((w) =>
          [layer(S)(w), block(S)(w), w].map((y) => [...inside([w, y]), 4]),
        ),
      ],
      12.5,
    )
  );
}

const ROLES = { silence: "muted", "this layer": "u", "best layer": "u", block: "U" };

/** Bars; one that is longer than its room ends in an arrow. */
export function barsPicture(width, height, state) {
  const risks = Object.entries(risksOf(state));
  const [left, right, step] = [72, width - 58, Math.min(46, (height - 12) / risks.length)];
  const most = 1.25 * (1 + state.beta ** 2);
  return risks
    .map(([name, risk], k) => {
      const [y, end] = [px(step * (k + 0.5)), px(left + (right - left) * Math.min(1, risk / most))];
      const bar = tag("path", {
        class: `ex-line${name === "best layer" ? " ex-faint" : ""}`,
        style: `${ink(ROLES[name])};stroke-width:11px;stroke-linecap:butt`,
        d: `M${left} ${y}H${end}`,
      });
      return (
        bar +
        tag("text", { class: "ex-aside", x: left - 8, y: y + 4, "text-anchor": "end" }, name) +
        tag("text", { class: "ex-aside", x: end + 6, y: y + 4 }, `${risk > most ? "→ " : ""}${fixed(risk)}`)
      );
    })
    .join("");
}

// ---- the figure ---------------------------------------------------------------------------------------------

const SLIDERS = {
  S: { label: "S, this context; 0 is an empty one", low: 0, high: 3, show: fixed },
  beta: { label: "β*, mean of the tasks", low: 0, high: 3, show: fixed },
  M: { label: "M, points in a context", low: 1, high: 64, whole: true, log: true, show: String },
};

export class TwoLines extends Figure {
  static title = "A layer and a block, in dimension one";
  static traits = {
    seed: { low: 0, high: 9999, whole: true },
    S: { low: 0, high: 3 },
    beta: { low: 0, high: 3 },
    M: { low: 1, high: 64, whole: true },
    root: { low: -3, high: 6 },
    U: { low: -1.5, high: 1.5 },
    u21: { low: -0.6, high: 0.6 },
  };

  static options = [];

  build() {
    this.left = panel("Across the slope that is true, up the slope that is answered");
    this.right = panel("The risks");
    const hand = (name, of) =>
      handle({
        parent: this.left.svg,
        d: ring(6.5),
        kind: "ex-full",
        role: "ink",
        plane: () => this.geometry.plane,
        step: 0.1,
        name,
        ...of,
      });
    this.hands = [
      hand("Zero of the first line", {
        get: () => [this.get("root"), 0],
        move: ([w]) => this.move({ root: w }),
        home: () => this.home("root"),
        say: () => `w = ${fixed(this.get("root"))}`,
      }),
      hand("Height of the second line", {
        get: () => [0, this.get("U")],
        move: ([, y]) => this.move({ U: y }),
        home: () => this.home("U"),
        say: () => `height ${fixed(this.get("U"))}`,
      }),
      hand("Turn of the second line", {
        get: () => [FAR, this.get("U") + FAR * this.get("u21")],
        move: ([, y]) => this.move({ u21: (y - this.get("U")) / FAR }),
        home: () => this.home("u21"),
        say: () => `slope ${fixed(this.get("u21"))}`,
      }),
    ];
    this.words = make("p", { class: "ex-words" });
    const bar = this.bar(
      main("New context", () => this.redrawn()),
      button("Empty context", () => this.glideTo({ S: 0 })),
      button("Best layer", () => this.glideTo({ root: 0, U: this.get("M") / (this.get("M") + 2), u21: 0 })),
    );
    this.root.append(
      this.panels(
        ["Slope answered, against the true one", this.left],
        ["Risk over all tasks and contexts", this.right],
      ),
      this.words,
      bar,
      this.sliders(SLIDERS, (values) => this.move(values)),
    );
  }

  /** Puts values into their ranges and stops what moves. */
  move(values) {
    this.still();
    this.put(
      Object.fromEntries(
        Object.entries(values).map(([name, value]) => {
          const { low, high } = TwoLines.traits[name];
          return [name, Math.round(Math.min(high, Math.max(low, value)) * ROUND) / ROUND];
        }),
      ),
    );
  }

  home(name) {
    this.move({ [name]: this.start[name] });
  }

  redrawn() {
    const seed = (this.get("seed") + 1) % 10_000;
    this.put({ seed });
    this.glideTo({ S: Math.min(3, squaresOf({ seed, M: this.get("M") })[0]) });
  }

  glideTo(goal) {
    const from = Object.fromEntries(Object.keys(goal).map((name) => [name, this.get(name)]));
    this.lead(500, (share) =>
      Object.fromEntries(
        Object.entries(goal).map(([name, value]) => [
          name,
          Math.round((from[name] + share * (value - from[name])) * ROUND) / ROUND,
        ]),
      ),
    );
  }

  layout(width) {
    this.geometry = geometryOf(width);
    this.left.size(this.geometry.side, this.geometry.side);
    this.right.size(this.geometry.beside, this.geometry.low);
  }

  draw(state) {
    const { plane, beside, low } = this.geometry;
    this.left.layer.innerHTML = slopesPicture(plane, state, squaresOf(state), `${this.id}-slopes`);
    this.right.layer.innerHTML = barsPicture(beside, low, state);
    for (const { follow } of [...this.hands, ...this.controls]) follow();
    this.hands.forEach(({ node }, k) => {
      const { low: least, high: most } = TwoLines.traits[["root", "U", "u21"][k]];
      put(node, { "aria-valuenow": this.get(["root", "U", "u21"][k]), "aria-valuemin": least, "aria-valuemax": most });
    });
    this.words.textContent = told(state);
  }
}

function told(state) {
  const { beta, S, M } = state;
  const [layer, block, risk] = [
    K.layerSlope(state, S, beta),
    K.blockSlope(beta, M, S, beta),
    K.layerRisk(state, beta, M),
  ];
  return `This context has S = ${fixed(S)}. To the mean task ${fixed(beta)} the layer answers ${fixed(layer)}, the block ${fixed(block)}. Over all of them the layer has the risk ${fixed(risk)}, the block ${fixed(2 / (M + 2))}.`;
}

export const Kind = TwoLines;

export function still(state, width) {
  const { side, beside, low, plane } = geometryOf(width);
  const hands = [
    [state.root, 0],
    [0, state.U],
    [FAR, K.secondLine(state, FAR)],
  ]
    .map((at) => mark(plane, at, ring(6.5), "ex-full", "ink"))
    .join("");
  const bars = tag("g", { transform: `translate(${side + 26} 0)` }, barsPicture(beside, low, state));
  return { height: side, text: slopesPicture(plane, state, squaresOf(state), "slopes") + hands + bars };
}
