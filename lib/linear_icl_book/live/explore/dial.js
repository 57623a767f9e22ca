// Dial: how far to trust what a prompt shows. Left every prompt is a dot, across what it shows, up what
// is true; right the risk of the share of the way, a parabola.

import { button, handle, make, panel, put } from "./hands.js";
import * as K from "./kernel.js";
import { fixed, ink, mark, Plane, pin, px, ring, sideBySide, squares, tag, words } from "./marks.js";
import { Stepper } from "./stepper.js";

const HANDLE = 2.5; // where on the line the hand is

/** B prompts of N points of variance one: what each shows, m, what is true, w, and its query. */
export function promptsOf({ seed, N, B }) {
  const z = K.gaussians(seed, B * (N + 2));
  return Array.from({ length: B }, (_, b) => {
    const [w, q, ...x] = z.slice(b * (N + 2), (b + 1) * (N + 2));
    return { w, q, m: (w * x.reduce((sum, one) => sum + one * one, 0)) / N };
  });
}

/** What a state says of its step: shares, risks relative to silence, the best shares. */
export function risksOf({ alpha, d, N, M, scale }) {
  const n = K.halfLength(d, 1);
  const share = scale ** 2 * alpha; // of points c times as wide a step goes c² times the share
  return {
    n,
    share,
    best: M / (M + n),
    trained: N / (N + n),
    risk: K.relativeRisk(share, n, M),
    inTraining: K.relativeRisk(alpha, n, N),
  };
}

export function geometryOf(width, { show }) {
  const { side, frame } = squares(width, show.length);
  return {
    side,
    dots: new Plane({ x: [-4, 4], y: [-4, 4], ...frame }),
    risk: new Plane({ x: [0, 2], y: [0, 2], ...frame }),
  };
}

// ---- the pictures ------------------------------------------------------------------------------------------

/** Dots as lines without length, which round caps make visible. */
const cloud = (plane, prompts) =>
  prompts.map(({ m, w }) => (plane.holds([m, w]) ? `M${plane.at([m, w]).map(px).join(" ")}h0` : "")).join("");

export function dotsPicture(plane, state, prompts) {
  const line = (slope, attributes) => {
    const reach = Math.min(4, 4 / Math.max(Math.abs(slope), 1e-9));
    return tag("path", {
      ...attributes,
      d: plane.path([
        [-reach, -slope * reach],
        [reach, slope * reach],
      ]),
    });
  };
  const out = prompts.filter(({ m, w }) => !plane.holds([m, w])).length;
  const size = px(Math.max(2.2, 9 - Math.log(prompts.length)));
  return (
    plane.frame({ x: [-2, 0, 2], y: [-2, 0, 2], names: ["m", "w"] }) +
    tag("path", { class: "ex-dots", "stroke-width": size, d: cloud(plane, prompts) }) +
    line(1, { class: "ex-guide" }) +
    line(state.alpha, { class: "ex-line ex-bold", style: ink("U") }) +
    (out
      ? tag(
          "text",
          { class: "ex-aside", x: plane.right - 6, y: plane.bottom - 8, "text-anchor": "end" },
          `${out} of ${prompts.length} lie outside`,
        )
      : "") +
    words(plane, [{ at: plane.at([-2.9, -2.9]), text: "full trust", role: "muted" }], [], 12)
  );
}

const parabola = (plane, n, length, attributes) =>
  tag("path", {
    ...attributes,
    d: plane.path(Array.from({ length: 81 }, (_, k) => [k / 40, K.relativeRisk(k / 40, n, length)])),
  });

export function riskPicture(plane, state, id) {
  const { n, share, best, risk } = risksOf(state);
  const bottom = [best, K.relativeRisk(best, n, state.M)];
  const other = state.M !== state.N;
  const level = px(plane.at([0, 1])[1]);
  const curve = (length) =>
    Array.from({ length: 161 }, (_, k) => [k / 80, K.relativeRisk(k / 80, n, length)]).filter(plane.holds, plane);
  const own = curve(state.M);
  const named = own.findLast(([s, value]) => s <= 1.62 && value <= 1.7); // on its curve, whichever side has room
  return (
    plane.frame({ x: [0, 0.5, 1, 1.5, 2], y: [0, 0.5, 1, 1.5, 2], names: ["", ""] }) +
    plane.clip(id) +
    tag("path", { class: "ex-guide", d: `M${plane.left} ${level}H${plane.right}` }) +
    tag(
      "g",
      { "clip-path": `url(#${id})` },
      (other ? parabola(plane, n, state.N, { class: "ex-line ex-thin ex-faint", style: ink("ink") }) : "") +
        parabola(plane, n, state.M, { class: `ex-line${other ? " ex-dashed" : ""}`, style: ink("ink") }),
    ) +
    mark(plane, bottom, ring(4.5), "ex-full", "Gamma") +
    pin(plane, [share, risk], "ex-full", "U") +
    words(
      plane,
      [
        { at: plane.at([1.72, 1]), text: "silence", role: "muted" },
        { at: plane.at(bottom), text: "best", role: "Gamma" },
        { at: plane.at(named), text: counted(state.M), role: "ink" },
      ],
      [
        [...plane.at(plane.nearest([share, risk])), 10],
        ...[...own, ...(other ? curve(state.N) : [])].map((at) => [...plane.at(at), 4]),
      ],
      12.5,
    )
  );
}

// ---- the figure ---------------------------------------------------------------------------------------------

const SLIDERS = {
  N: { label: "N, points a prompt in training", low: 1, high: 32, whole: true, log: true, show: String },
  B: { label: "B, prompts in training", low: 5, high: 2000, whole: true, log: true, show: String },
  M: { label: "M, points at test", low: 1, high: 256, whole: true, log: true, show: String },
  scale: {
    label: "c, scale of the points at test",
    low: 0.5,
    high: 2,
    log: true,
    show: (value) => `× ${value.toFixed(2)}`,
  },
  d: { label: "d, dimension", low: 1, high: 8, whole: true, show: String },
};

export class Dial extends Stepper {
  static title = "How far a prompt is trusted";
  static traits = {
    seed: { low: 0, high: 9999, whole: true },
    alpha: { low: 0, high: 1.6 },
    N: { low: 1, high: 32, whole: true },
    B: { low: 5, high: 2000, whole: true },
    M: { low: 1, high: 256, whole: true },
    scale: { low: 0.5, high: 2 },
    d: { low: 1, high: 8, whole: true },
  };

  static options = ["show", "controls"];

  build() {
    this.left = panel("Prompts as dots, across what they show, up what is true; and the line of the step");
    this.right = panel("The risk against the share of the way");
    this.line = handle({
      parent: this.left.svg,
      d: ring(7),
      kind: "ex-full",
      role: "U",
      name: "Slope of the line",
      plane: () => this.geometry.dots,
      get: () => [HANDLE, HANDLE * this.get("alpha")],
      home: () => this.move(this.start.alpha),
      step: 0.05,
      move: ([, y]) => this.move(y / HANDLE),
      say: () => `slope ${fixed(this.get("alpha"))}`,
    });
    this.words = make("p", { class: "ex-words" });
    const known = {
      dots: ["Prompts: across what they show, up what is true", this.left],
      risk: ["Risk of the share of the way, silence is 1", this.right],
    };
    const redraw = () => button("Other prompts", () => this.put({ seed: (this.get("seed") + 1) % 10_000 }));
    const others = this.dotted() ? [redraw()] : []; // without dots they would change nothing
    this.root.append(
      this.panels(...this.get("show").map((name) => known[name])),
      this.words,
      this.bar(...others),
      this.sliders(SLIDERS, (values) => this.change(values), this.get("controls")),
    );
  }

  /** Where the test length is not asked for, it is that of training. */
  change(values) {
    this.put("N" in values && !this.get("controls").includes("M") ? { ...values, M: values.N } : values);
  }

  dotted() {
    return this.get("show").includes("dots");
  }

  /** The best step on these prompts; without dots, on endlessly many. */
  goal() {
    return this.dotted() ? K.fittedStep(this.prompts) : risksOf(this.state()).trained;
  }

  layout(width) {
    this.geometry = geometryOf(width, this.state());
    for (const { size } of [this.left, this.right]) size(this.geometry.side, this.geometry.side);
  }

  draw(state) {
    const key = [state.seed, state.N, state.B].join();
    if (key !== this.key) this.prompts = promptsOf(state);
    this.key = key;
    this.left.layer.innerHTML = dotsPicture(this.geometry.dots, state, this.prompts);
    this.right.layer.innerHTML = riskPicture(this.geometry.risk, state, `${this.id}-risk`);
    for (const { follow } of [this.line, ...this.controls]) follow();
    put(this.line.node, { "aria-valuenow": state.alpha, "aria-valuemin": 0, "aria-valuemax": 1.6 });
    this.words.textContent = told(state);
  }
}

const counted = (many) => `${many} ${many === 1 ? "point" : "points"}`;

function told(state) {
  const { share, best, risk } = risksOf(state);
  const worse = risk > 1.005 ? ": worse than silence" : "";
  return `A step of ${fixed(state.alpha)} goes ${fixed(share)} of the way. Read with ${counted(state.M)} its risk is ${fixed(risk)} of that of silence${worse}; the best share there is ${fixed(best)}.`;
}

export const Kind = Dial;

export function still(state, width) {
  const { side, dots, risk } = geometryOf(width, state);
  const hand = mark(dots, [HANDLE, HANDLE * state.alpha], ring(7), "ex-full", "U");
  const pictures = {
    dots: () => dotsPicture(dots, state, promptsOf(state)) + (dots.holds([HANDLE, HANDLE * state.alpha]) ? hand : ""),
    risk: () => riskPicture(risk, state, "risk"),
  };
  return {
    height: side,
    text: sideBySide(
      side,
      state.show.map((name) => pictures[name]()),
    ),
  };
}
