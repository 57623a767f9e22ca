// Numbers in words, and the scales of the directions with their ticks.

/** @import { Side } from "./types" */
import { isName } from "./grid.js";

const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

const raised = (exponent) => [...String(Math.round(exponent))].map((c) => RAISED[c]).join("");

/** For the eye: three significant digits, a real minus sign, powers of ten written as such. */
export function pretty(value, digits = 3) {
  if (isName(value)) return value;
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "–" : value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
    const power = `10${raised(+exponent)}`;
    const front = String(+mantissa);
    return (front === "1" ? power : front === "-1" ? `-${power}` : `${front} × ${power}`).replace("-", "−");
  }
  return plain(value, digits).replace("-", "−");
}

/** For the ear and the address: digits that a speech synthesiser reads and Number() parses. */
export function plain(value, digits = 3) {
  if (isName(value)) return value;
  if (Number.isInteger(value)) return String(value);
  const short = +value.toPrecision(digits);
  return Math.abs(short) < 1e-3 ? short.toExponential() : String(short);
}

/** What is linear along a direction. */
const along = (scale) => (scale === "log" ? (value) => Math.log(Math.max(value, 0)) : Number);

/** A map from the domain of a direction to pixels; on a log scale 0 is infinitely far.
    @param {Side} side @param {number} from @param {number} to */
export function scaleOf({ scale, domain }, from, to) {
  const f = along(scale);
  const low = f(domain[0]);
  const unit = (to - from) / (f(domain[1]) - low);
  return (value) => from + unit * (f(value) - low);
}

/** How far into the domain a value lies, 0 to 1 inside; on a log scale 0 lies below every domain.
    @param {Side} side @param {number} value */
export function shareOf({ scale, domain: [low, high] }, value) {
  const f = along(scale);
  return (f(value) - f(low)) / (f(high) - f(low));
}

/** The labels of ticks: on a log axis all powers of ten, if one needs to be.
    @param {number[]} ticks @param {Side} side */
export function labelsOf(ticks, { scale }) {
  const powers = scale === "log" && ticks.some((value) => value < 1e-3 || value >= 1e5);
  const needless = (value) =>
    !powers || value === 1 || value === 10 || !Number.isInteger(+Math.log10(value).toFixed(9));
  return ticks.map((value) => (needless(value) ? pretty(value, 6) : `10${raised(Math.log10(value))}`));
}

/** About `count` round numbers in the domain.
    @param {Side} side @param {number} count */
export function ticksOf({ scale, domain: [low, high] }, count) {
  if (scale === "log") {
    const first = Math.ceil(Math.log10(low) - 1e-9);
    const last = Math.floor(Math.log10(high) + 1e-9);
    const decades = last - first + 1;
    const marks = [];
    for (let e = first - 1; e <= last; e++) for (const m of [1, 2, 5]) marks.push(+`${m}e${e}`);
    const inside = marks.filter((v) => v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9));
    if (decades > 2 || (decades === 2 && inside.length > 6)) {
      const stride = Math.ceil(decades / count);
      return Array.from({ length: decades }, (_, k) => +`1e${first + k}`).filter((_, k) => k % stride === 0);
    }
    if (inside.length > 1) return inside;
  }
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((m) => m * power >= 0.7 * rough) || 10);
  const marks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++)
    marks.push(+(k * step).toPrecision(12));
  return marks;
}

/** About how wide these labels are drawn. */
export const widthOf = (labels) =>
  7.5 * Math.max(...labels.map((text) => text.length - 0.4 * text.replace(/[^⁻⁰¹²³⁴⁵⁶⁷⁸⁹]/gu, "").length));
