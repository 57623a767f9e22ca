// Bill: two variances share one step. Left what the step leaves along each variance, right what that
// costs: a box as wide as silence's bill, filled as high as what is left of it.

import { handle, make, panel } from "./hands.js";
import * as K from "./kernel.js";
import { diamond, fixed, ink, mark, Plane, pin, px, ring, sideBySide, squares, tag, words } from "./marks.js";
import { Stepper } from "./stepper.js";

const HEAD = 26; // px above a still image's drawings, for their titles
const MORE = 92; // px that they are higher: the figure is as high while it loads as with its buttons
const SHARE = { label: "p, share of prompts with the first variance", low: 0.02, high: 0.98, show: percent };
const TITLES = ["What the step leaves along a variance λ", "Silence's bill, filled as far as it is left"];

/** What a state says: the shares of silence's bill, what is left of each and of all, the best step. */
export function billOf({ variances, share, alpha }) {
  const shares = [share, 1 - share];
  const mean = K.moment(variances, shares, 1);
  const best = K.sharedStep(variances, shares);
  const left = (step) => K.leftInAll(step, variances, shares);
  return {
    best,
    all: left(alpha),
    least: left(best),
    widths: variances.map((value, k) => (shares[k] * value) / mean),
    each: variances.map((value) => K.leftAlong(alpha, value)),
  };
}

function percent(value) {
  return `${(100 * value).toFixed(value < 0.0995 ? 1 : 0)} %`;
}

export function geometryOf(width, more = 0) {
  const { side, frame } = squares(width, 2);
  frame.bottom += more;
  return {
    side,
    curve: new Plane({ x: [0, 4], y: [0, 1.6], ...frame }),
    bill: new Plane({ x: [0, 1], y: [0, 1.6], ...frame }),
  };
}

// ---- the pictures ------------------------------------------------------------------------------------------

const level = (plane, height, attributes) =>
  tag("path", { ...attributes, d: `M${plane.left} ${px(plane.at([0, height])[1])}H${plane.right}` });

export function curvePicture(plane, { variances, alpha }, { each }, id) {
  const curve = Array.from({ length: 121 }, (_, k) => [k / 30, K.leftAlong(alpha, k / 30)]);
  const stem = (value, k) =>
    tag("path", {
      class: "ex-line ex-thin ex-faint",
      style: ink("ink"),
      d: plane.path([
        [value, 0],
        [value, Math.min(1.6, Math.max(1, each[k]))],
      ]),
    });
  return (
    plane.frame({ x: [0, 1, 2, 3], y: [0, 0.5, 1, 1.5], names: ["λ", ""] }) +
    plane.clip(id) +
    level(plane, 1, { class: "ex-guide" }) +
    variances.map(stem).join("") +
    tag("g", { "clip-path": `url(#${id})` }, tag("path", { class: "ex-line", style: ink("U"), d: plane.path(curve) })) +
    variances.map((value, k) => pin(plane, [value, each[k]], "ex-full", "ink")).join("") +
    words(
      plane,
      [
        { at: plane.at([3.6, 1]), text: "silence", role: "muted" },
        { at: plane.at([1.4 / alpha, 0.16]), text: `right for ${fixed(1 / alpha)}`, role: "U" },
      ],
      [
        ...[0, 1, 2, 3].map((value) => [plane.at([value, 0])[0], plane.bottom + 12, 9]),
        ...variances.flatMap((value, k) => [
          [...plane.at([value, 1]), 10],
          [...plane.at(plane.nearest([value, each[k]])), 10],
        ]),
        ...curve.filter(plane.holds, plane).map((at) => [...plane.at(at), 4]),
      ],
      12.5,
    )
  );
}

export function billPicture(plane, { variances }, { widths, each, all }) {
  const box = (from, wide, high, kind) => {
    const [[p, q], [r, s]] = [plane.at([from, Math.min(1.6, high)]), plane.at([from + wide, 0])];
    return tag("rect", { class: kind, style: ink("ink"), x: px(p), y: px(q), width: px(r - p), height: px(s - q) });
  };
  const starts = [0, widths[0]];
  const boxes = widths
    .map((wide, k) => box(starts[k], wide, each[k], "ex-paid") + box(starts[k], wide, 1, "ex-ghost"))
    .join("");
  const middle = widths.map((wide, k) => plane.at([starts[k] + wide / 2, 0])[0]);
  const below = middle.map((p, k) =>
    tag(
      "text",
      {
        class: "ex-tick",
        x: px(Math.min(plane.right - 26, Math.max(plane.left + 26, p))),
        y: plane.bottom + 16,
        "text-anchor": "middle",
      },
      `λ = ${fixed(variances[k])}`,
    ),
  );
  const tops = each.map((high) => plane.at([0, Math.min(1.5, high)])[1]);
  const said = middle.map((p, k) =>
    tag(
      "text",
      { class: "ex-word", style: ink("ink"), x: px(p), y: px(tops[k] - 6), "text-anchor": "middle" },
      percent(each[k]),
    ),
  );
  return (
    plane.frame({ y: [0, 0.5, 1, 1.5] }) +
    boxes +
    below.join("") +
    said.join("") +
    (all > 1.6 ? "" : level(plane, all, { class: "ex-line ex-thin ex-dashed", style: ink("U") })) +
    words(
      plane,
      [
        { at: plane.at([0.2, Math.min(1.5, all)]), text: `together ${percent(all)}`, role: "U" },
        { at: plane.at([0.15, 1]), text: "silence", role: "muted" },
      ],
      middle.map((p, k) => [p, tops[k] - 10, 24]),
      12.5,
    )
  );
}

// ---- the figure ---------------------------------------------------------------------------------------------

export class Bill extends Stepper {
  static title = "Two variances share one step";
  static traits = {
    variances: { low: 0.1, high: 4, lengths: [2] },
    share: { low: 0.02, high: 0.98 },
    alpha: { low: 0.25, high: 4 },
  };
  static options = [];

  build() {
    this.left = panel("What the step leaves along a variance, against the variance");
    this.right = panel("The bill of silence as two boxes, filled as high as what the step leaves");
    this.held = [0, 1].map((k) =>
      this.hold({
        d: ring(6.5),
        kind: "ex-open",
        role: "ink",
        name: ["First variance", "Second variance"][k],
        get: () => [this.get("variances")[k], 1],
        move: ([value]) =>
          this.put({ variances: this.get("variances").map((old, j) => (j === k ? Math.max(0.1, value) : old)) }),
        home: () =>
          this.put({ variances: this.get("variances").map((old, j) => (j === k ? this.start.variances[k] : old)) }),
        say: () => `${fixed(this.get("variances")[k])}, ${percent(billOf(this.state()).each[k])} left`,
      }),
    );
    this.held.push(
      this.hold({
        d: diamond(8),
        kind: "ex-full",
        role: "U",
        name: "Variance for which the step is right",
        get: () => [1 / this.get("alpha"), 0],
        move: ([value]) => this.move(1 / Math.max(0.25, value)),
        home: () => this.move(this.start.alpha),
        say: () => `${fixed(1 / this.get("alpha"))}, step ${fixed(this.get("alpha"))}`,
      }),
    );
    this.words = make("p", { class: "ex-words" });
    this.root.append(
      this.panels([TITLES[0], this.left], [TITLES[1], this.right]),
      this.words,
      this.bar(),
      this.sliders({ share: SHARE }, (values) => this.put(values)),
    );
  }

  hold(what) {
    return handle({ parent: this.left.svg, plane: () => this.geometry.curve, ...what });
  }

  goal() {
    return billOf(this.state()).best;
  }

  layout(width) {
    this.geometry = geometryOf(width);
    for (const { size } of [this.left, this.right]) size(this.geometry.side, this.geometry.side);
  }

  draw(state) {
    const bill = billOf(state);
    this.left.layer.innerHTML = curvePicture(this.geometry.curve, state, bill, `${this.id}-curve`);
    this.right.layer.innerHTML = billPicture(this.geometry.bill, state, bill);
    for (const { follow } of [...this.held, ...this.controls]) follow();
    this.words.textContent = told(state);
  }
}

function told({ variances, share, alpha }) {
  const { best, all, each } = billOf({ variances, share, alpha });
  const along = variances.map((value, k) => `${percent(each[k])} along λ = ${fixed(value)}`).join(" and ");
  const trained =
    Math.abs(alpha - best) < 1e-4 ? ` ${fixed(1 / alpha)} is the mean of both, weighed by λ² and by their share.` : "";
  return `The step ${fixed(alpha)}, right for λ = ${fixed(1 / alpha)}, leaves ${along}, together ${percent(all)} of the risk of silence.${trained}`;
}

export const Kind = Bill;

export function still(state, width) {
  const { side, curve, bill } = geometryOf(width, MORE);
  const held =
    state.variances.map((value) => mark(curve, [value, 1], ring(6.5), "ex-open", "ink")).join("") +
    mark(curve, [1 / state.alpha, 0], diamond(8), "ex-full", "U");
  const found = billOf(state);
  const titled = (k, drawing) => tag("text", { x: 28, y: -12 }, TITLES[k]) + drawing;
  const pictures = [
    titled(0, curvePicture(curve, state, found, "curve") + held),
    titled(1, billPicture(bill, state, found)),
  ];
  return { height: HEAD + side + MORE, text: sideBySide(side, pictures, HEAD) };
}
