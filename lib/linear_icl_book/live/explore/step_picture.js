// The picture of StepPlane: what its state means, and how that is drawn. No DOM.

import { placed } from "./figure.js";
import * as K from "./kernel.js";
import { arrow, diamond, ellipse, fixed, ink, lineOf, mark, Plane, pair, px, ring, star, tag, words } from "./marks.js";

export const MOST = 40; // points
export const LAMBDA = [2, 0, 0, 0.5]; // the book's running example
const BY_HAND = [
  [2, 0],
  [1, 1],
  [-1, 0],
  [0, -1],
]; // seed 0 begins with the context of chapter 1
const RINGS = 6;

/** Who stands in the plane, in the order of the table. */
export const LEARNERS = {
  truth: { name: "true w", role: "ink" },
  silence: { name: "silence", role: "muted" },
  squares: { name: "least squares", role: "query" },
  plain: { name: "plain step", role: "u" },
  trained: { name: "trained step", role: "U" },
  descent: { name: "several steps", role: "U" },
  bayes: { name: "Bayes", role: "Gamma" },
};

const radians = (degrees) => (degrees * Math.PI) / 180;

/** From the points as drawn to the points as read: turned, then scaled. */
export const spread = ({ scale, turn }) => K.times(scale, K.rotation(radians(turn)));

/** Points before turning and scaling, and the noise of their labels, both standard draws of the seed. */
function drawn({ seed, M, moved }) {
  const z = K.gaussians(seed, 3 * MOST);
  const own = Array.from(
    { length: M },
    (_, i) => (seed === 0 && BY_HAND[i]) || [Math.sqrt(LAMBDA[0]) * z[3 * i], Math.sqrt(LAMBDA[3]) * z[3 * i + 1]],
  );
  return { base: placed(own, moved), e: own.map((_, i) => z[3 * i + 2]) };
}

const between = (from, to, share) => to.map((value, k) => from[k] + share * (value - from[k]));

/** Points and labels of a state; with `from` and a share below 1 on the way from other points. */
export function contextOf(state, from = null, share = 1) {
  let { base, e } = drawn(state);
  if (from) {
    base = base.map((place, i) => (from.base[i] ? between(from.base[i], place, share) : place));
    e = e.map((value, i) => (from.e[i] === undefined ? value : from.e[i] + share * (value - from.e[i])));
  }
  const xs = base.map((place) => K.apply(spread(state), place));
  return { base, e, xs, ys: xs.map((x, i) => K.inner(x, state.w) + state.noise * e[i]) };
}

/** The step matrix of the trained layer: Γ⁻¹ of the running example, unless the author gives another. */
const trainedMatrix = ({ step, N, trained_noise }) => (step.length ? step : K.stepMatrix(LAMBDA, N, trained_noise));

export function learnersOf(state, { xs, ys }) {
  const c = K.moments(xs, ys);
  const A = trainedMatrix(state);
  const path = K.steps(c, A, state.layers, state.start);
  const at = {
    truth: state.w,
    silence: [0, 0],
    squares: K.leastSquares(c),
    plain: K.steps(c, K.identity, 1, state.start)[1],
    trained: path[1],
    descent: path[state.layers],
    bayes: K.ridge(c, state.noise ** 2),
  };
  return { c, at, path };
}

export const shownOf = (state) => Object.keys(LEARNERS).filter((name) => name === "truth" || state.show.includes(name));

/** The name in table and picture. */
export const nameOf = (name, { layers }) => (name === "descent" ? `${layers} steps` : LEARNERS[name].name);

// ---- where the two planes stand ------------------------------------------------------------------------

/** Two squares; where points may be scaled there is room for them. */
export function geometryOf(width, { controls }) {
  const narrow = width < 560;
  const wide = narrow ? Math.min(400, width) : Math.floor((width - 24) / 2);
  const small = narrow ? Math.min(290, width) : wide;
  const plane = (side, reach) =>
    new Plane({ x: [-reach, reach], y: [-reach, reach], left: 28, right: side - 5, top: 6, bottom: side - 27 });
  return { wide, small, x: plane(small, controls.includes("scale") ? 4.4 : 3.4), w: plane(wide, 2.8) };
}

// ---- the context ----------------------------------------------------------------------------------------

/** A point by its label: the size says how large, a full disc positive, an open one negative. */
export const dotOf = (y) => ({
  d: ring(px(Math.min(9.5, 3.2 + 2 * Math.sqrt(Math.abs(y))))),
  kind: y < 0 ? "ex-open" : "ex-full",
});

function outside(plane, xs) {
  const count = xs.filter((x) => !plane.holds(x)).length;
  const text = count === 1 ? "1 point lies outside" : `${count} points lie outside`;
  return count ? tag("text", { class: "ex-aside", x: plane.left + 8, y: plane.bottom - 8 }, text) : "";
}

/** The covariance that the context shows, and the one that the layer remembers, as ellipses xᵀS⁻¹x = 1. */
function ellipses(plane, S) {
  const of = (matrix, attributes) => {
    const { values, angle } = K.axes(matrix);
    return ellipse(
      plane,
      [0, 0],
      values.map((value) => Math.sqrt(Math.max(0, value))),
      angle,
      attributes,
    );
  };
  return (
    of(S, { class: "ex-line ex-thin", style: ink("ink") }) +
    of(LAMBDA, { class: "ex-line ex-thin ex-dashed", style: ink("Gamma") })
  );
}

/** Places on the ellipse of a covariance, for words to keep off. */
function rimOf(matrix) {
  const { values, angle } = K.axes(matrix);
  const [a, b] = values.map((value) => Math.sqrt(Math.max(0, value)));
  return Array.from({ length: 24 }, (_, k) =>
    K.apply(K.rotation(angle), [a * Math.cos((k * Math.PI) / 12), b * Math.sin((k * Math.PI) / 12)]),
  );
}

export function contextPicture({ x: plane }, state, context, learners, chosen) {
  const v = LEARNERS[chosen] ? learners.at[chosen] : null;
  const level = v ? lineOf(plane, v, 0, { class: "ex-line ex-thin", style: ink(LEARNERS[chosen].role) }) : "";
  const rim = [LAMBDA, learners.c.S].flatMap((matrix) => rimOf(matrix).map((at) => [...plane.at(at), 5]));
  const asked = plane.at(state.query);
  const inside = context.xs.filter((at) => plane.holds(at)).map((at) => [...plane.at(at), 8]);
  const ring0 = [asked[0], asked[1], 9];
  return (
    plane.frame({ x: [-2, 0, 2], y: [-2, 0, 2], names: ["x₁", "x₂"] }) +
    ellipses(plane, learners.c.S) +
    level +
    outside(plane, context.xs) +
    words(
      plane,
      [
        { at: asked, text: "query", role: "query" },
        { at: plane.at([-0.9, -0.55]), text: "remembered", role: "Gamma" },
      ],
      [...inside, ring0, ...rim],
      12,
    )
  );
}

// ---- the plane of w -------------------------------------------------------------------------------------

/** The context's error as rings of equal steps in its root, darker outwards; dashed, as wrong as silence. */
function bowl(plane, { c, at }) {
  const { values, angle } = K.axes(c.S);
  const rise = K.contextLoss(c, [0, 0]) - K.contextLoss(c, at.squares);
  const root = Math.sqrt(Math.max(2 * rise, 0));
  const unit = Math.max(root / 3, 0.35); // a floor: rings would collapse where w is near 0
  const level = (r, attributes) =>
    ellipse(
      plane,
      at.squares,
      values.map((value) => r / Math.sqrt(Math.max(value, 1e-9))),
      angle,
      attributes,
    );
  const rings = Array.from({ length: RINGS }, (_, k) => level((RINGS - k) * unit, { class: "ex-bowl" }));
  return rings.join("") + (root > 0.02 ? level(root, { class: "ex-level" }) : "");
}

const dimmed = (name, chosen) => (chosen === name ? "is-strong" : typeof chosen === "string" ? "is-dim" : null);

/** The trained, the plain and the several steps, from the start. */
function arrows(plane, state, { at, path }, chosen) {
  const one = (name) =>
    state.show.includes(name)
      ? arrow(plane, state.start, at[name], { class: dimmed(name, chosen), style: ink(LEARNERS[name].role) })
      : "";
  const further = path
    .slice(1)
    .map((v, k) => arrow(plane, path[k], v, { class: dimmed("descent", chosen), style: ink("U") }, 8));
  return (
    (state.show.includes("descent") ? further.slice(state.show.includes("trained") ? 1 : 0).join("") : "") +
    one("plain") +
    one("trained")
  );
}

/** The plain step is a mean: each point adds y·x/M, head to tail. One point draws its own line, too:
    all w that answer its label. */
function pulls(plane, { xs, ys }, { c }, chosen) {
  if (chosen !== "plain" && !Number.isInteger(chosen)) return "";
  const chain = [[0, 0]];
  xs.forEach((x, i) => chain.push(K.plus(chain[i], K.times(ys[i] / c.M, x))));
  const line = tag("path", { class: "ex-chain", d: plane.path(chain) });
  if (!xs[chosen]) return line;
  return (
    line +
    lineOf(plane, xs[chosen], ys[chosen], { class: "ex-line ex-thin ex-dashed", style: ink("ink") }) +
    arrow(plane, chain[chosen], chain[chosen + 1], { class: "is-strong", style: ink("ink") }, 8)
  );
}

const DOTS = { silence: [ring(4), "ex-full"], squares: [ring(7), "ex-open"], bayes: [diamond(6.5), "ex-full"] };

function dots(plane, state, { at }, chosen) {
  return shownOf(state)
    .filter((name) => DOTS[name] && plane.holds(at[name]))
    .map((name) => {
      const [d, kind] = DOTS[name];
      return mark(plane, at[name], d, `${kind} ${dimmed(name, chosen) ?? ""}`, LEARNERS[name].role);
    })
    .join("");
}

/** Names beside their marks; names of one place are one, those of places outside have their number. */
function names(plane, state, { at }, chosen) {
  const groups = [];
  for (const name of shownOf(state)) {
    const same = groups.find(({ place }) => K.norm(K.minus(place, at[name])) < 1e-6);
    if (same) same.members.push(name);
    else groups.push({ place: at[name], members: [name] });
  }
  const wanted = groups.map(({ place, members }) => ({
    at: plane.at(plane.holds(place) ? place : plane.exit([0, 0], place)),
    role: LEARNERS[members[0]].role,
    text: members.map((name) => nameOf(name, state)).join(" = ") + (plane.holds(place) ? "" : ` ${pair(place)}`),
    dim: typeof chosen === "string" && !members.includes(chosen),
  }));
  const along = ["plain", "trained"]
    .filter((name) => state.show.includes(name))
    .flatMap((name) =>
      [0.15, 0.3, 0.45, 0.6, 0.75, 0.9].map((t) => [
        ...plane.at(K.plus(state.start, K.times(t, K.minus(at[name], state.start)))),
        5,
      ]),
    );
  const marks = groups.filter(({ place }) => plane.holds(place)).map(({ place }) => [...plane.at(place), 9]);
  return words(plane, wanted, [...marks, ...along]);
}

export function weightPicture({ w: plane }, state, context, learners, chosen, id) {
  const clip = { "clip-path": `url(#${id})` };
  return (
    plane.clip(id) +
    tag("g", clip, bowl(plane, learners)) +
    plane.frame({ x: [-2, -1, 0, 1, 2], y: [-2, -1, 0, 1, 2], names: ["w₁", "w₂"] }) +
    tag("g", clip, pulls(plane, context, learners, chosen) + arrows(plane, state, learners, chosen)) +
    dots(plane, state, learners, chosen) +
    names(plane, state, learners, chosen)
  );
}

// ---- numbers, and the image ------------------------------------------------------------------------------

/** The covariance of points drawn as these were. */
const lawOf = (state) => K.product(spread(state), LAMBDA, K.transpose(spread(state)));

/** What the table says of a learner: its answer to the query, and what it costs on new points. */
export const rowOf = (name, state, { at }) => ({
  answer: fixed(K.inner(at[name], state.query)),
  error: fixed(K.newError(lawOf(state), at[name], state.w)),
});

/** The image: both planes with everything that is held drawn as well. */
export function still(state, width) {
  const geometry = geometryOf(width, state);
  const context = contextOf(state);
  const learners = learnersOf(state, context);
  const points = context.xs.map((at, i) =>
    geometry.x.holds(at) ? mark(geometry.x, at, dotOf(context.ys[i]).d, dotOf(context.ys[i]).kind, "ink") : "",
  );
  const left =
    contextPicture(geometry, state, context, learners, null) +
    points.join("") +
    mark(geometry.x, state.query, ring(6.5), "ex-open", "query");
  const right =
    weightPicture(geometry, state, context, learners, null, "plane-w") +
    mark(geometry.w, state.w, star(8.5), "ex-full", "ink");
  return { height: geometry.wide, text: left + tag("g", { transform: `translate(${geometry.small + 24} 0)` }, right) };
}
