// StepPlane: a context, and where each learner ends in the plane of w. A layer makes one gradient step
// on the context; here the step is an arrow, and the reader moves the ground under it.

import { Figure, replaced } from "./figure.js";
import { among, glide, handle, main, make, panel, put } from "./hands.js";
import * as K from "./kernel.js";
import { diamond, fixed, pair, ring, star, tag } from "./marks.js";
import {
  contextOf,
  contextPicture,
  dotOf,
  geometryOf,
  still as image,
  LEARNERS,
  learnersOf,
  MOST,
  nameOf,
  rowOf,
  shownOf,
  spread,
  weightPicture,
} from "./step_picture.js";

const SLIDERS = {
  M: { label: "M, points in the context", low: 1, high: MOST, whole: true, show: String },
  N: { label: "N, length in training", low: 1, high: 256, whole: true, log: true, show: String },
  noise: { label: "σ, noise in the labels", low: 0, high: 2 },
  scale: { label: "scale of the points", low: 0.5, high: 2, log: true, show: (value) => `× ${value.toFixed(2)}` },
  turn: { label: "turn of the points", low: 0, high: 90, show: (value) => `${value.toFixed(0)}°` },
  layers: { label: "steps", low: 1, high: 12, whole: true, show: String },
};
const FORMULAS = { plain: ["", "m"], trained: ["Γ⁻¹", "m"] }; // upright, slanted

export class StepPlane extends Figure {
  static title = "One step in the plane of w";
  static traits = {
    seed: { low: 0, high: 9999, whole: true },
    M: { low: 1, high: MOST, whole: true },
    N: { low: 1, high: 256, whole: true },
    noise: { low: 0, high: 2 },
    scale: { low: 0.5, high: 2 },
    turn: { low: 0, high: 90 },
    layers: { low: 1, high: 12, whole: true },
    w: { low: -2.8, high: 2.8, lengths: [2] },
    start: { low: -2.8, high: 2.8, lengths: [2] },
    query: { low: -4.4, high: 4.4, lengths: [2] },
    moved: { low: -9, high: 9, points: MOST },
  };

  static options = ["show", "controls", "step", "trained_noise"];

  build() {
    Object.assign(this, { chosen: null, from: null, share: 1 });
    this.left = panel("The context: points in the plane of x");
    this.right = panel("The plane of w");
    this.points = Array.from({ length: MOST }, (_, i) => this.point(i));
    this.hold();
    const anew = main("New context", () => this.renew({ seed: (this.get("seed") + 1) % 10_000, moved: [] }));
    this.root.append(
      this.panels(
        ["The context, labels ● positive, ○ negative", this.left],
        ["Its squared error at every w", this.right],
      ),
      this.table(),
      this.bar(anew),
      this.sliders(SLIDERS, (values) => this.put(values), this.get("controls")),
    );
  }

  back() {
    this.renew(this.first());
  }

  // ---- what is held

  hold() {
    const place = (name, panelOf, plane, d, kind, role, label) =>
      handle({
        parent: panelOf.svg,
        d,
        kind,
        role,
        name: label,
        plane: () => this.geometry[plane],
        get: () => this.get(name),
        move: (value) => this.put({ [name]: value }),
        home: () => this.put({ [name]: this.start[name] }),
        say: () => pair(this.get(name)),
      });
    this.query = place("query", this.left, "x", ring(6.5), "ex-open", "query", "Query");
    this.truth = place("w", this.right, "w", star(8.5), "ex-full", "ink", "True w");
    this.held = [this.query, this.truth];
    if (this.get("controls").includes("start"))
      this.held.push(place("start", this.right, "w", ring(5), "ex-open", "u", "Start of the steps"));
    this.looks(this.truth.node, "truth");
  }

  point(i) {
    const keys = among(
      () => this.points,
      () => this.get("M"),
    );
    const moved = (place) => this.put({ moved: replaced(this.get("moved"), i, place) });
    const one = handle({
      parent: this.left.svg,
      d: ring(5),
      kind: "ex-full",
      role: "ink",
      room: 15,
      name: `Point ${i + 1}`,
      plane: () => this.geometry.x,
      get: () => this.context.xs[i],
      keys: (event) => keys(event, i),
      home: () => moved(null),
      move: (x) => moved(K.apply(K.inverse(spread(this.state())), x)),
      say: () => `${pair(this.context.xs[i])}, label ${fixed(this.context.ys[i])}`,
    });
    put(one.node, { tabindex: i ? -1 : 0 });
    this.looks(one.node, i);
    return one;
  }

  /** What is hovered or has the focus is looked at, in both planes and in the table. */
  looks(node, what) {
    const look = (chosen) => {
      this.chosen = chosen;
      this.redraw();
    };
    const leave = () => this.chosen === what && look(null);
    node.addEventListener("pointerenter", () => look(what));
    node.addEventListener("pointerleave", () => document.activeElement !== node && leave());
    node.addEventListener("focusin", () => look(what));
    node.addEventListener("focusout", leave);
  }

  // ---- the table

  table() {
    const head = ["learner", "answers", "error on new points"].map((text) => make("th", { scope: "col" }, text));
    this.rows = Object.keys(LEARNERS).map((name) => this.row(name));
    return make(
      "table",
      { class: "ex-table" },
      make("thead", {}, make("tr", {}, ...head)),
      make("tbody", {}, ...this.rows.map(({ node }) => node)),
    );
  }

  row(name) {
    const sample = make("svg", {
      class: "ex-sample ex-art",
      width: 26,
      height: 16,
      "aria-hidden": "true",
      style: `--c:var(--ex-${LEARNERS[name].role})`,
    });
    const middle = { transform: "translate(13 8)" };
    sample.innerHTML =
      {
        truth: tag("path", { class: "ex-full", d: star(7.5), ...middle }),
        silence: tag("path", { class: "ex-full", d: ring(4), ...middle }),
        squares: tag("path", { class: "ex-open", d: ring(6), ...middle }),
        bayes: tag("path", { class: "ex-full", d: diamond(6), ...middle }),
      }[name] ??
      tag("path", { class: "ex-shaft", d: "M1 8H18" }) + tag("path", { class: "ex-head", d: "M25 8l-8 -3.6v7.2z" });
    const label = make("span");
    const [upright, slanted] = FORMULAS[name] ?? ["", ""];
    const formula = make(
      "span",
      { class: "ex-formula", style: `--c:var(--ex-${LEARNERS[name].role})` },
      upright,
      make("i", {}, slanted),
    );
    const look = make("button", { type: "button", class: "ex-look" }, sample, label, " ", formula);
    const [answer, error] = [make("td"), make("td")];
    const node = make("tr", {}, make("th", { scope: "row" }, look), answer, error);
    this.looks(node, name);
    return { name, node, label, formula, answer, error };
  }

  tell(state) {
    const shown = shownOf(state);
    for (const { name, node, label, formula, answer, error } of this.rows) {
      node.hidden = !shown.includes(name);
      if (node.hidden) continue;
      node.classList.toggle("is-chosen", this.chosen === name);
      label.textContent = nameOf(name, state);
      formula.hidden = state.start.some((value) => value !== 0) || state.step.length > 0;
      const told = rowOf(name, state, this.learners);
      [answer.textContent, error.textContent] = [told.answer, told.error];
    }
  }

  // ---- drawing

  /** Other points glide in; every frame on the way is a context, and its numbers are true. */
  renew(values) {
    Object.assign(this, { from: this.context, share: 0 });
    this.still();
    this.put(values);
    this.stop = glide(450, (share) => {
      this.share = share;
      if (share === 1) this.from = null;
      this.redraw();
    });
  }

  layout(width) {
    this.geometry = geometryOf(width, this.state());
    this.left.size(this.geometry.small, this.geometry.small);
    this.right.size(this.geometry.wide, this.geometry.wide);
  }

  draw(state) {
    this.context = contextOf(state, this.from, this.share);
    this.learners = learnersOf(state, this.context);
    const drawn = [this.geometry, state, this.context, this.learners, this.chosen];
    this.left.layer.innerHTML = contextPicture(...drawn);
    this.right.layer.innerHTML = weightPicture(...drawn, `${this.id}-w`);
    this.points.forEach((one, i) => this.dot(one, i, state));
    for (const { follow } of [...this.held, ...this.controls]) follow();
    this.tell(state);
  }

  dot({ node, shape, follow }, i, { M }) {
    const there = i < M && this.geometry.x.holds(this.context.xs[i]);
    node.style.display = there ? "" : "none";
    if (!there) return;
    const { d, kind } = dotOf(this.context.ys[i]);
    put(shape, { d, class: kind });
    follow();
  }

  said(state) {
    return shownOf(state)
      .map((name) => {
        const { answer, error } = rowOf(name, state, this.learners);
        return `${nameOf(name, state)} at ${pair(this.learners.at[name])} answers ${answer}, error ${error}`;
      })
      .join("; ");
  }
}

export const Kind = StepPlane;
export const still = image;
