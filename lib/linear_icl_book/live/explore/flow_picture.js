// The picture of FlowLab: the landscape of the weights (U, u), a trajectory in it, its loss against
// time, and the product uU as it fills in. No DOM.

import * as K from "./kernel.js";
import { fixed, ink, mark, Plane, px, ring, tag, words } from "./marks.js";

const LAMBDA = { 1: [1, 0, 0, 0], 2: [2, 0, 0, 0.5] };
const tilted = K.onAxes([1, 0.15], (-35 * Math.PI) / 180);
/** ΘΘᵀ of the start, of norm one: in two dimensions neither along the axes nor across. */
export const THETA = { 1: [1, 0, 0, 0], 2: K.times(1 / K.norm(tilted), tilted) };
const PLACES = 161; // along a trajectory
export const REACH = 2.4;

// From u = −U the exact flow ends in the saddle; rounding leaves it some time after these.
const LAST = { 1: 30, 2: 60 };

export const problemOf = ({ d, N }) => K.problem(LAMBDA[d], N);

/** Where the flow begins: (size of U with its sign, u), set by hand or both u₀. */
export const startOf = ({ start, sigma }) => (start.length ? start : [sigma, sigma]);

/** The flow from the start until its gap is a four-hundredth of silence's. */
export function runOf(state) {
  const p = problemOf(state);
  const [size, u] = startOf(state);
  const U = K.times(size, THETA[state.d]);
  const all = K.gap(p, [0, 0, 0, 0], 0);
  const T = Math.max(1, Math.min(LAST[state.d], 1.12 * K.settled(p, U, u, all / 400, LAST[state.d])));
  const states = K.flow(
    p,
    U,
    u,
    Array.from({ length: PLACES }, (_, k) => (T * k) / (PLACES - 1)),
    1e-7,
  );
  const losses = states.map((z) => K.gap(p, z.U, z.u) + p.minimum + p.silence);
  const places = states.map((z) => [state.d === 1 ? z.U[0] : K.norm(z.U), z.u]);
  return { p, T, states, places, losses, floor: p.minimum + p.silence, escape: K.escapeTime(p, U, u) };
}

/** The state at a time, between two places of the trajectory. */
export function momentOf({ T, states, places, losses }, t) {
  const at = Math.min(PLACES - 1, Math.max(0, (t / T) * (PLACES - 1)));
  const k = Math.min(PLACES - 2, Math.floor(at));
  const mix = (a, b) => a + (at - k) * (b - a);
  const list = (a, b) => a.map((value, i) => mix(value, b[i]));
  return {
    k,
    U: list(states[k].U, states[k + 1].U),
    u: mix(states[k].u, states[k + 1].u),
    place: list(places[k], places[k + 1]),
    loss: mix(losses[k], losses[k + 1]),
  };
}

export const timeOf = ({ t }, run) => (t < 0 || t > run.T ? run.T : t);

export function geometryOf(width) {
  const narrow = width < 560;
  const side = narrow ? Math.min(400, width) : Math.floor(0.5 * width);
  const wide = narrow ? width : width - side - 24;
  const tall = narrow ? 220 : Math.round(side * 0.56);
  return { side, wide, tall, block: narrow ? 150 : Math.min(170, side - tall + 10) };
}

export function planesOf({ side, wide, tall }, { d }, run) {
  const low = d === 1 ? -REACH : 0;
  const top = Math.min(3 * run.p.silence, Math.max(1.16 * run.p.silence, 1.05 * run.losses[0]));
  return {
    field: new Plane({ x: [low, REACH], y: [low, REACH], left: 28, right: side - 5, top: 6, bottom: side - 27 }),
    chart: new Plane({ x: [0, run.T], y: [0, top], left: 32, right: wide - 8, top: 8, bottom: tall - 27 }),
  };
}

// ---- the landscape ---------------------------------------------------------------------------------------

/** ru = c in the quadrant of a sign; at c = 0 the two axes. */
function hyperbola(c, sign = 1) {
  if (c < 1e-6)
    return [
      [0, sign * REACH],
      [0, 0],
      [sign * REACH, 0],
    ];
  const near = c / REACH;
  return Array.from({ length: 41 }, (_, k) => near * (REACH / near) ** (k / 40)).map((r) => [sign * r, (sign * c) / r]);
}

/** The slice through the present U. The loss depends on the product alone: its levels are hyperbolas,
    evenly spaced in the product, and the axes are the level of silence. */
export function landscape(plane, { d }, p, U, id) {
  const size = K.norm(U);
  const unit = size > 0 ? K.times((d === 1 ? Math.sign(U[0]) || 1 : 1) / size, U) : THETA[d];
  const slope = K.inner(p.pull, unit);
  const best = slope / (2 * (K.loss(p, unit, 1) + slope)); // the product at the bottom of the slice
  const signs = d === 1 ? [1, -1] : [1];
  const band = (k, s) =>
    tag("path", {
      class: "ex-bowl",
      d: `${plane.path(hyperbola(best * (1 + k / 4), s))}L${plane.path(hyperbola(best * Math.max(0, 1 - k / 4), s).reverse()).slice(1)}z`,
    });
  const level = (c, s, turn = 1) =>
    tag("path", { class: "ex-contour", d: plane.path(hyperbola(c, s).map(([r, u]) => [turn * r, u])) });
  const inner = best > 0 ? [4, 3, 2, 1].flatMap((k) => signs.map((s) => band(k, s))) : [];
  const outer = [2.5, 3, 4, 5, 7].flatMap((k) => signs.map((s) => level(Math.max(best, 0.1) * k, s)));
  const wrong = d === 1 ? [0.5, 1, 2, 3, 5].flatMap((k) => signs.map((s) => level(best * k, s, -1))) : [];
  const goal = signs.map((s) =>
    tag("path", {
      class: "ex-line ex-thin ex-dashed",
      style: ink("Gamma"),
      d: plane.path(hyperbola(K.norm(p.target), s)),
    }),
  );
  const ticks = d === 1 ? [-2, -1, 0, 1, 2] : [0, 1, 2];
  return (
    plane.clip(id) +
    tag("g", { "clip-path": `url(#${id})` }, inner.join("") + outer.join("") + wrong.join("") + goal.join("")) +
    plane.frame({
      x: ticks,
      y: ticks,
      names: d === 1 ? ["U", "u"] : ["‖U‖", "u"],
      styles: ["fill:var(--ex-U)", "fill:var(--ex-u)"],
    })
  );
}

/** u² − ‖U‖² = constant: where the flow from here stays; both branches. */
function conserved([size, u]) {
  const D = u * u - size * size;
  const at = Array.from({ length: 121 }, (_, k) => REACH * (k / 60 - 1));
  const branch = (s) => at.map((v) => (D < 0 ? [s * Math.sqrt(v * v - D), v] : [v, s * Math.sqrt(v * v + D)]));
  return [branch(1), branch(-1)];
}

export function trajectories(plane, { d }, run, now, ghosts, id) {
  const done = [...run.places.slice(0, now.k + 1), now.place];
  const own = conserved(run.places[0]).map((branch) =>
    tag("path", { class: "ex-guide", d: plane.path(d === 1 ? branch : branch.filter(([r, u]) => r >= 0 && u >= 0)) }),
  );
  const line = (places, kind) => tag("path", { class: kind, style: ink("U"), d: plane.path(places) });
  return tag(
    "g",
    { "clip-path": `url(#${id})` },
    own.join("") +
      ghosts.map((ghost) => tag("path", { class: "ex-ghost", d: plane.path(ghost.places) })).join("") +
      line(run.places, "ex-line ex-thin ex-faint") +
      line(done, "ex-line ex-bold"),
  );
}

// ---- loss against time -----------------------------------------------------------------------------------

const round = [0.5, 1, 2, 5, 10, 20, 50];

export function chartFrame(plane, run, id) {
  const step = round.find((one) => run.T / one <= 6) || 100;
  const x = Array.from({ length: Math.floor(run.T / step) + 1 }, (_, k) => k * step).filter((v) => v < 0.93 * run.T);
  const y = (plane.y[1] > 1.6 ? [0, 1, 2, 3] : [0, 0.25, 0.5, 0.75, 1]).filter((v) => v < plane.y[1]);
  return plane.clip(id) + plane.frame({ x, y, names: ["t", ""] });
}

export function curves(plane, run, now, t, ghosts, id) {
  const along = (one) => one.losses.map((loss, k) => [(one.T * k) / (PLACES - 1), loss]);
  const own = along(run);
  const level = (value, kind, role) =>
    tag("path", { class: kind, style: ink(role), d: `M${plane.left} ${px(plane.at([0, value])[1])}H${plane.right}` });
  const waits = run.escape > 0.06 * run.T; // no line where there is no plateau
  const at = px(plane.at([run.escape, 0])[0]);
  const notes = [
    { at: plane.at([0.84 * run.T, run.p.silence]), text: "silence", role: "muted" },
    { at: plane.at([0.1 * run.T, run.floor]), text: "best", role: "Gamma" },
  ];
  const upright = waits
    ? Array.from({ length: 20 }, (_, k) => [at, plane.top + (k / 19) * (plane.bottom - plane.top), 3])
    : [];
  if (waits) notes.push({ at: [at, plane.bottom - 14], text: "predicted escape", role: "muted" });
  if (run.losses[0] > plane.y[1])
    notes.push({ at: plane.at([0.02 * run.T, plane.y[1]]), text: `↑ starts at ${fixed(run.losses[0])}`, role: "U" });
  return (
    level(run.p.silence, "ex-guide", "muted") +
    level(run.floor, "ex-line ex-thin ex-dashed", "Gamma") +
    (waits ? tag("path", { class: "ex-guide", d: `M${at} ${plane.bottom}V${plane.top}` }) : "") +
    tag(
      "g",
      { "clip-path": `url(#${id})` },
      ghosts.map((ghost) => tag("path", { class: "ex-ghost", d: plane.path(along(ghost)) })).join("") +
        tag("path", { class: "ex-line ex-thin ex-faint", style: ink("U"), d: plane.path(own) }) +
        tag("path", {
          class: "ex-line ex-bold",
          style: ink("U"),
          d: plane.path([...own.slice(0, now.k + 1), [t, now.loss]]),
        }),
    ) +
    words(
      plane,
      notes,
      [...own.filter((_, k) => k % 8 === 0).map((value) => [...plane.at(value), 5]), ...upright],
      12.5,
    )
  );
}

// ---- the product -----------------------------------------------------------------------------------------

/** uU in squares whose area is the entry, open where it is negative, in frames of the area of Γ⁻¹. */
export function productPicture(size, { d }, p, now) {
  const step = d === 1 ? size : size / 2;
  const most = Math.max(...p.target.map(Math.abs));
  const square = (x, y, value, attributes) => {
    const side = (step - 26) * Math.min(1.08, Math.sqrt(Math.abs(value) / most));
    return tag("rect", { ...attributes, x: px(x - side / 2), y: px(y - side / 2), width: px(side), height: px(side) });
  };
  return (d === 1 ? [0] : [0, 1, 2, 3])
    .map((k) => {
      const [x, y] = [((k % 2) + 0.5) * step, (Math.floor(k / 2) + 0.5) * step - 7];
      const value = now.u * now.U[k];
      const frame =
        Math.abs(p.target[k]) < 1e-12
          ? tag("path", {
              class: "ex-line ex-thin",
              style: ink("Gamma"),
              d: `M${px(x - 4)} ${px(y)}h8M${px(x)} ${px(y - 4)}v8`,
            })
          : square(x, y, p.target[k], { class: "ex-line ex-thin ex-dashed", style: ink("Gamma") });
      return (
        square(x, y, value, { class: value < 0 ? "ex-below" : "ex-cell", style: ink("U") }) +
        frame +
        tag(
          "text",
          { x: px(x), y: px(y + (step - 26) / 2 + 18), "text-anchor": "middle" },
          fixed(Math.abs(value) < 5e-4 ? 0 : value),
        )
      );
    })
    .join("");
}

/** Which part of the way the flow is on. */
export function phaseOf({ loss }, { p, floor }) {
  const share = (loss - floor) / (p.silence - floor);
  if (share > 1.0005) return "worse than silence";
  return share > 0.9 ? "plateau" : share > 0.1 ? "fall" : "slow end";
}

export function still(state, width) {
  const geometry = geometryOf(width);
  const run = runOf(state);
  const { field, chart } = planesOf(geometry, state, run);
  const t = timeOf(state, run);
  const now = momentOf(run, t);
  const shifted = (x, y, text) => tag("g", { transform: `translate(${x} ${y})` }, text);
  const left =
    landscape(field, state, run.p, now.U, "field") +
    trajectories(field, state, run, now, [], "field") +
    mark(field, now.place, ring(7), "ex-full", "U");
  const right =
    chartFrame(chart, run, "chart") +
    curves(chart, run, now, t, [], "chart") +
    mark(chart, [t, now.loss], ring(6), "ex-full", "U");
  return {
    height: geometry.side,
    text:
      left +
      shifted(geometry.side + 24, 0, right) +
      shifted(
        geometry.side + 50,
        geometry.tall + 6,
        productPicture(geometry.side - geometry.tall - 6, state, run.p, now),
      ),
  };
}
