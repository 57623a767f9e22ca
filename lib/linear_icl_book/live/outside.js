// What lies outside the frame: marked at its edge, with its value, as in figures/_outside.py.

/** @import { Drawn, Frame, Mark, Series, Side, Way } from "./types" */
import { round } from "./elements.js";
import { shareOf } from "./scales.js";

/** −1 below the domain, 1 above it, 0 inside or absent.
    @param {Side} side @param {number} value */
export function beyond(side, value) {
  const share = shareOf(side, value);
  return share < -1e-9 ? -1 : share > 1 + 1e-9 ? 1 : 0;
}

const held = ({ domain: [low, high] }, value) => Math.min(high, Math.max(low, value));

/** Where (x, y) is marked, and which way the mark points; null inside.
    @param {Frame} frame @param {number} x @param {number} y @param {number | null} [value] @returns {Mark | null} */
export function markAt(frame, x, y, value) {
  const [dx, dy] = [beyond(frame.x, x), beyond(frame.y, y)];
  if (!dx && !dy) return null;
  const way = dy ? (dy > 0 ? "up" : "down") : dx > 0 ? "right" : "left";
  return { x: held(frame.x, x), y: held(frame.y, y), way, value };
}

/** First and last index of each run of equal places other than 0. */
function runsOf(places) {
  const runs = [];
  places.forEach((place, j) => {
    if (!place) return;
    if (j && places[j - 1] === place) runs[runs.length - 1][1] = j;
    else runs.push([j, j]);
  });
  return runs;
}

/** A curve over x: one mark for each stretch outside, where it is farthest, the middle of equals. */
function marksOfCurve(frame, xs, ys, only = 0) {
  const places = Array.from(ys, (y) => beyond(frame.y, y)).map((place) => (only && place !== only ? 0 : place));
  return runsOf(places).map(([first, last]) => {
    const stretch = Array.from(ys.slice(first, last + 1));
    const far = places[first] > 0 ? Math.max(...stretch) : Math.min(...stretch);
    const equal = stretch.flatMap((y, j) => (y === far ? [first + j] : []));
    return markAt(frame, xs[equal[equal.length >> 1]], far, far);
  });
}

/** A path in a plane: an arrow where it leaves the frame, or comes from; it goes on, so no number. */
function marksOfPath(frame, xs, ys) {
  const out = Array.from(ys, (y, j) => (Number.isFinite(xs[j] + y) && markAt(frame, xs[j], y, null) ? 1 : 0));
  return runsOf(out).map(([first, last]) => {
    const j = first && !Number.isNaN(xs[first - 1] + ys[first - 1]) ? first : last;
    return markAt(frame, xs[j], ys[j], null);
  });
}

/** Points: each one outside, and the number of the farthest on each side. */
function marksOfPoints(frame, xs, ys) {
  const marks = Array.from(ys, (y, j) => {
    const mark = Number.isNaN(xs[j] + y) ? null : markAt(frame, xs[j], y, null);
    return mark && { ...mark, own: /up|down/.test(mark.way) ? y : xs[j] };
  }).filter(Boolean);
  for (const way of ["up", "down", "left", "right"]) {
    const there = marks.filter((mark) => mark.way === way);
    const sign = /up|right/.test(way) ? 1 : -1;
    const far = there.reduce((best, mark) => (!best || sign * mark.own > sign * best.own ? mark : best), null);
    if (far) far.value = far.own;
  }
  return marks.map(({ own, ...mark }) => mark);
}

/** The marks of one series of these coordinates.
    @param {Frame} frame @param {Series["kind"]} kind @param {Drawn} drawn @returns {Mark[]} */
export function marksOf(frame, kind, { x, y, low, high }) {
  const curves = Boolean(frame.x.values) && !frame.z;
  const xs = x || frame.x.values;
  if (kind === "hline") return [markAt(frame, frame.x.domain[1], y[0], y[0])].filter(Boolean);
  if (kind === "vline") return [markAt(frame, x[0], frame.y.domain[1], x[0])].filter(Boolean);
  if (kind === "band") return [...marksOfCurve(frame, xs, high, 1), ...marksOfCurve(frame, xs, low, -1)];
  if (kind === "point") return marksOfPoints(frame, xs, y);
  return kind === "line" ? (curves ? marksOfCurve(frame, xs, y) : marksOfPath(frame, xs, y)) : [];
}

/** An arrow head of these pixels, its tip at the edge.
    @param {number} px @param {number} py @param {Way} way */
export function arrowAt(px, py, way) {
  const [dx, dy] = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] }[way];
  const corner = (side) => `${round(px - 8 * dx + side * 4.5 * dy)} ${round(py - 8 * dy + side * 4.5 * dx)}`;
  return `M${round(px)} ${round(py)}L${corner(1)}L${corner(-1)}z`;
}
