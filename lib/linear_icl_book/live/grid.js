// The packed grid: where an axis stands, and what a series is there.

/** @import { Axis, Channel } from "./types" */

export const STEPS = 65531; // of packing.py
const SPECIAL = { 65535: NaN, 65534: Infinity, 65533: -Infinity, 65532: 0 };

/** Fractional index of `value` in the increasing `values`, held inside; whole on a grid point. */
export function locate(values, value) {
  const last = values.length - 1;
  if (!(value > values[0])) return 0;
  if (value >= values[last]) return last;
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (values[middle] <= value) low = middle;
    else high = middle;
  }
  const share = (value - values[low]) / (values[high] - values[low]);
  if (share < 1e-6) return low;
  return share > 1 - 1e-6 ? high : low + share;
}

export const isName = (value) => typeof value === "string";

/** Where an axis stands: whole for a name, and for numbers of which only those of the grid are known.
    @param {Axis} axis */
export function positionOf({ values }, value, snap) {
  if (isName(values[0])) return Math.max(0, values.indexOf(value));
  const index = locate(values, value);
  return snap ? Math.round(index) : index;
}

/** The value at a fractional index. */
export function valueAt(values, index) {
  const low = Math.floor(index);
  return index === low ? values[low] : values[low] + (index - low) * (values[low + 1] - values[low]);
}

/** A buffer of these bytes alone, whatever view of them the notebook or the page hands over.
    @returns {ArrayBuffer} */
export function cutOf(bytes) {
  const start = bytes.byteOffset || 0;
  return (bytes.buffer || bytes).slice(start, start + bytes.byteLength);
}

/** The bytes as little-endian words. */
export const wordsOf = (bytes) => new Uint16Array(cutOf(bytes));

/** One coordinate of one series at a fractional position: the grid's own numbers on a grid point,
    the blend of the corners around it elsewhere. `counts` holds the number of values per axis.
    Between a number and what is none, such as ∞ or the 0 of a log scale, there is nothing.
    @param {Channel} channel @param {Uint16Array} words @param {number[]} counts @param {number[]} position */
export function unpack(channel, words, counts, position) {
  let corners = [[0, 1]];
  for (const axis of channel.axes) {
    const low = Math.floor(position[axis]);
    const share = position[axis] - low;
    corners = corners.flatMap(([row, weight]) => {
      const here = [row * counts[axis] + low, weight * (1 - share)];
      return share ? [here, [here[0] + 1, weight * share]] : [here];
    });
  }
  const out = new Float64Array(channel.length);
  const back = channel.log ? Math.exp : Number;
  for (let j = 0; j < channel.length; j++) {
    const codes = corners.map(([row]) => words[channel.offset + row * channel.length + j]);
    const special = codes.filter((code) => code > STEPS);
    const blend = () => codes.reduce((sum, code, k) => sum + corners[k][1] * (channel.lo + code * channel.step), 0);
    out[j] = special.length ? (codes.every((code) => code === codes[0]) ? SPECIAL[codes[0]] : NaN) : back(blend());
  }
  return out;
}

/** The last index with a value, an infinite one too; −1 if there is none. */
export function lastPresent(values) {
  for (let j = values.length - 1; j >= 0; j--) if (!Number.isNaN(values[j])) return j;
  return -1;
}
