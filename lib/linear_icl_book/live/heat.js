// The cells of a heat map, with their colour bar.

/** @import { Cursor, Series, Side, Spec, Told } from "./types" */
import { element, round } from "./elements.js";
import { STEPS } from "./grid.js";
import { beyond } from "./outside.js";
import { labelsOf, pretty, scaleOf, shareOf, ticksOf } from "./scales.js";

export const LEVELS = 64; // of colour, and the opacity of the lowest, as in figures/_heat.py
const FAINTEST = 0.05;

/** Opacity of a level: the paper shows through, the less the higher the value. */
export const opacityOf = (level) => FAINTEST + ((1 - FAINTEST) * (level + 0.5)) / LEVELS;

/** Whole pixels at which cells around these centres meet. */
function edgesOf(centres) {
  const last = centres.length - 1;
  const middles = centres.slice(1).map((centre, k) => (centre + centres[k]) / 2);
  return [2 * centres[0] - middles[0], ...middles, 2 * centres[last] - middles[last - 1]].map(Math.round);
}

/** One path per level, and last the strokes through absent cells; neighbours in a row are one. */
function cellPaths(values, columns, rows, levelOf) {
  const paths = Array(LEVELS + 1).fill("");
  const n = columns.length - 1;
  for (let i = 0; i + 1 < rows.length; i++) {
    let start = 0;
    let level = levelOf(values[i * n]);
    for (let j = 1; j <= n; j++) {
      const next = j < n ? levelOf(values[i * n + j]) : -1;
      if (next === level && level < LEVELS) continue;
      paths[level] +=
        level < LEVELS
          ? `M${columns[start]} ${rows[i]}H${columns[j]}V${rows[i + 1]}H${columns[start]}z`
          : `M${columns[start]} ${rows[i]}L${columns[j]} ${rows[i + 1]}`;
      [start, level] = [j, next];
    }
  }
  return paths;
}

/** The level of a value, held inside; LEVELS itself where there is none.
    @param {Side} side */
function levels(side) {
  const scale = scaleOf(side, 0, LEVELS);
  return (value) => (Number.isNaN(value) ? LEVELS : Math.min(LEVELS - 1, Math.max(0, Math.floor(scale(value) + 1e-9))));
}

/** Indices of the least and of the greatest number, -1 if there is none. */
function extremes(values) {
  let [least, most] = [-1, -1];
  for (let j = 0; j < values.length; j++) {
    if (Number.isNaN(values[j])) continue;
    if (least < 0 || values[j] < values[least]) least = j;
    if (most < 0 || values[j] > values[most]) most = j;
  }
  return [least, most];
}

/** A heat map in its frame: cells, colour bar, and the cell that is read out. */
export class HeatMap {
  /** @param {Spec} spec @param {Series} series */
  constructor({ x, y, z }, { color, name, channels }) {
    const most = channels.z.lo + STEPS * channels.z.step;
    this.x = x;
    this.y = y;
    this.z = z;
    this.levelOf = levels(z);
    this.most = channels.z.log ? Math.exp(most) : most;
    const style = `--c:var(--live-${color})`;
    const at = (level) => ({ class: "live-cells", style, "fill-opacity": opacityOf(level).toFixed(3) });
    this.paths = Array.from({ length: LEVELS }, (_, level) => element("path", { ...at(level), "data-series": name }));
    this.absent = element("path", { class: "live-absent" });
    this.cells = element("g", { class: "live-map" }, ...this.paths, this.absent);
    this.steps = Array.from({ length: LEVELS }, (_, level) => element("rect", at(level)));
    this.scale = element("g");
    this.bar = element("g", { class: "live-bar" }, ...this.steps, this.scale);
    this.frame = [element("path", { class: "live-cell live-cell-rim" }), element("path", { class: "live-cell" })];
  }

  /** Everything that depends on the size only. */
  layout({ sx, sy, box: { top, bottom, bar } }) {
    this.columns = edgesOf(this.x.values.map(sx));
    this.rows = edgesOf(this.y.values.map(sy));
    const at = (level) => Math.round(bottom + ((top - bottom) * level) / LEVELS);
    this.steps.forEach((step, level) => {
      for (const [key, value] of Object.entries({
        x: bar,
        y: at(level + 1),
        width: 12,
        height: at(level) - at(level + 1),
      }))
        step.setAttribute(key, value);
    });
    const place = scaleOf(this.z, bottom, top);
    const { ticks, labels } = this.ticks();
    this.scale.replaceChildren(
      ...ticks.flatMap((value, k) => [
        element("path", { class: "live-base", d: `M${bar + 12} ${round(place(value))}h4` }),
        element("text", { x: bar + 20, y: place(value) + 4.5 }, labels[k]),
      ]),
    );
  }

  ticks() {
    const [, end] = this.z.domain;
    const more = beyond(this.z, this.most) > 0; // the last colour stands for all that lies beyond
    const ticks = ticksOf(this.z, 5).filter((value) => !more || shareOf(this.z, value) < 0.94);
    const labels = labelsOf(ticks, this.z);
    return more ? { ticks: [...ticks, end], labels: [...labels, `≥ ${pretty(end)}`] } : { ticks, labels };
  }

  draw(values) {
    this.values = values;
    const paths = cellPaths(values, this.columns, this.rows, this.levelOf);
    this.absent.setAttribute("d", paths[LEVELS]);
    this.paths.forEach((path, level) => path.setAttribute("d", paths[level]));
  }

  /** The cell at a pixel.
      @returns {Cursor | null} */
  at(px, py) {
    const column = this.columns.findIndex((edge, k) => edge <= px && px < this.columns[k + 1]);
    const row = this.rows.findIndex((edge, k) => edge >= py && py > this.rows[k + 1]);
    return column < 0 || row < 0 ? null : { column, row };
  }

  /** One cell further, or the middle one.
      @param {Cursor | null} cell @param {string} key @returns {Cursor} */
  step(cell, key) {
    const [dx, dy] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[key];
    const [n, m] = [this.x.values.length, this.y.values.length];
    if (!cell) return { column: n >> 1, row: m >> 1 };
    return { column: Math.min(n - 1, Math.max(0, cell.column + dx)), row: Math.min(m - 1, Math.max(0, cell.row + dy)) };
  }

  outline(cell) {
    let d = "";
    if (cell) {
      const [[left, right], [low, high]] = [
        [this.columns, cell.column],
        [this.rows, cell.row],
      ].map(([edges, k]) => [edges[k], edges[k + 1]]);
      d = `M${left} ${low}H${right}V${high}H${left}z`;
    }
    this.frame.forEach((path) => path.setAttribute("d", d));
  }

  /** What stands in the legend and what is said: the chosen cell, or the extent and its places.
      @param {Cursor | null} cell @returns {Told} */
  tell(cell) {
    const n = this.x.values.length;
    const at = (j) =>
      `${this.x.label} = ${pretty(this.x.values[j % n])} and ${this.y.label} = ${pretty(this.y.values[Math.floor(j / n)])}`;
    if (cell) {
      const j = cell.row * n + cell.column;
      return {
        shown: pretty(this.values[j]),
        phrase: `${Number.isNaN(this.values[j]) ? "absent" : pretty(this.values[j])} at ${at(j)}`,
      };
    }
    const [least, most] = extremes(this.values);
    if (least < 0) return { shown: "", phrase: "nothing to draw" };
    const [low, high] = [least, most].map((j) => pretty(this.values[j]));
    return { shown: `${low} to ${high}`, phrase: `least ${low} at ${at(least)}; greatest ${high} at ${at(most)}` };
  }
}
