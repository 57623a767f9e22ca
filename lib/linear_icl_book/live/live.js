// The front end of LiveFigure: reads the packed grid, draws an SVG, answers to native controls.
// No dependency and no request. It runs as an anywidget module in a notebook, where a kernel may
// stand behind `model`, and inside one classic script in a static page, where none does.

const SCHEMA = 3; // of packing.py
const STEPS = 65531;
const SPECIAL = { 65535: NaN, 65534: Infinity, 65533: -Infinity, 65532: 0 };
const SVG = "http://www.w3.org/2000/svg";
const LEVELS = 64; // of colour in a heat map, and the opacity of the lowest, as in figures/_heat.py
const FAINTEST = 0.05;
const FAR = 1e5; // px, where a line goes that leaves the frame for 0 or ∞
const GLIDE = 140; // ms from stop to stop
const WIDE = 560; // px of the figure from which the legend stands beside the plot

// ---- the grid ------------------------------------------------------------------------------------

/** Fractional index of `value` in the increasing `values`, held inside; whole on a grid point. */
function locate(values, value) {
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

const isName = (value) => typeof value === "string";

/** Where an axis stands: whole for a name, and for numbers of which only those of the grid are known. */
function positionOf({ values }, value, snap) {
  if (isName(values[0])) return Math.max(0, values.indexOf(value));
  const index = locate(values, value);
  return snap ? Math.round(index) : index;
}

/** The value at a fractional index. */
function valueAt(values, index) {
  const low = Math.floor(index);
  return index === low ? values[low] : values[low] + (index - low) * (values[low + 1] - values[low]);
}

/** The bytes as little-endian words, whatever view of them the notebook or the page hands over. */
function wordsOf(bytes) {
  const start = bytes.byteOffset || 0;
  return new Uint16Array((bytes.buffer || bytes).slice(start, start + bytes.byteLength));
}

/** One coordinate of one series at a fractional position: the grid's own numbers on a grid point,
    the blend of the corners around it elsewhere. `counts` holds the number of values per axis.
    Between a number and what is none, such as ∞ or the 0 of a log scale, there is nothing. */
function unpack(channel, words, counts, position) {
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

// ---- numbers and scales --------------------------------------------------------------------------

const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

const raised = (exponent) => [...String(Math.round(exponent))].map((c) => RAISED[c]).join("");

/** For the eye: three significant digits, a real minus sign, powers of ten written as such. */
function pretty(value, digits = 3) {
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
function plain(value, digits = 3) {
  if (isName(value)) return value;
  if (Number.isInteger(value)) return String(value);
  const short = +value.toPrecision(digits);
  return Math.abs(short) < 1e-3 ? short.toExponential() : String(short);
}

/** A map from the domain of a direction to pixels; on a log scale 0 is infinitely far. */
function scaleOf({ scale, domain }, from, to) {
  const f = scale === "log" ? (value) => Math.log(Math.max(value, 0)) : Number;
  const low = f(domain[0]);
  const unit = (to - from) / (f(domain[1]) - low);
  return (value) => from + unit * (f(value) - low);
}

// ---- what lies outside the frame: marked at its edge, with its value, as in figures/_outside.py ----

/** How far into the domain a value lies, 0 to 1 inside; on a log scale 0 lies below every domain. */
function shareOf({ scale, domain: [low, high] }, value) {
  const f = scale === "log" ? (v) => Math.log(Math.max(v, 0)) : Number;
  return (f(value) - f(low)) / (f(high) - f(low));
}

/** −1 below the domain, 1 above it, 0 inside or absent. */
function beyond(side, value) {
  const share = shareOf(side, value);
  return share < -1e-9 ? -1 : share > 1 + 1e-9 ? 1 : 0;
}

const held = ({ domain: [low, high] }, value) => Math.min(high, Math.max(low, value));

/** Where (x, y) is marked, and which way the mark points; null inside. */
function markAt(frame, x, y, value) {
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

/** The marks of one series of these coordinates. */
function marksOf(frame, kind, { x, y, low, high }) {
  const curves = Boolean(frame.x.values) && !frame.z;
  const xs = x || frame.x.values;
  if (kind === "hline") return [markAt(frame, frame.x.domain[1], y[0], y[0])].filter(Boolean);
  if (kind === "vline") return [markAt(frame, x[0], frame.y.domain[1], x[0])].filter(Boolean);
  if (kind === "band") return [...marksOfCurve(frame, xs, high, 1), ...marksOfCurve(frame, xs, low, -1)];
  if (kind === "point") return marksOfPoints(frame, xs, y);
  return kind === "line" ? (curves ? marksOfCurve(frame, xs, y) : marksOfPath(frame, xs, y)) : [];
}

/** An arrow head of these pixels, its tip at the edge. */
function arrowAt(px, py, way) {
  const [dx, dy] = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] }[way];
  const corner = (side) => `${round(px - 8 * dx + side * 4.5 * dy)} ${round(py - 8 * dy + side * 4.5 * dx)}`;
  return `M${round(px)} ${round(py)}L${corner(1)}L${corner(-1)}z`;
}

/** The labels of ticks: on a log axis all powers of ten, if one needs to be. */
function labelsOf(ticks, { scale }) {
  const powers = scale === "log" && ticks.some((value) => value < 1e-3 || value >= 1e5);
  const needless = (value) => !powers || value === 1 || value === 10 || !Number.isInteger(+Math.log10(value).toFixed(9));
  return ticks.map((value) => (needless(value) ? pretty(value, 6) : `10${raised(Math.log10(value))}`));
}

/** About `count` round numbers in the domain. */
function ticksOf({ scale, domain: [low, high] }, count) {
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
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) marks.push(+(k * step).toPrecision(12));
  return marks;
}

/** About how wide these labels are drawn. */
const widthOf = (labels) => 7.5 * Math.max(...labels.map((text) => text.length - 0.4 * text.replace(/[^⁻⁰¹²³⁴⁵⁶⁷⁸⁹]/gu, "").length));

// ---- elements ------------------------------------------------------------------------------------

function element(name, attributes = {}, ...children) {
  const svg = ["svg", "path", "line", "text", "desc", "g", "clipPath", "rect"].includes(name);
  const node = svg ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

const round = (pixels) => Math.round(pixels * 100) / 100;

/** Path through the pixels; a gap where either is not a number. */
function pathThrough(xs, ys) {
  let d = "";
  let drawing = false;
  for (let j = 0; j < ys.length; j++) {
    const there = Number.isFinite(xs[j]) && Number.isFinite(ys[j]);
    if (there) d += `${drawing ? "L" : "M"}${round(xs[j])} ${round(ys[j])}`;
    drawing = there;
  }
  return d;
}

/** Outline of the strip between two curves; a strip of its own behind each gap. */
function stripBetween(xs, lows, highs) {
  let d = "";
  for (let j = 0; j < xs.length; j++) {
    const start = j;
    while (j < xs.length && Number.isFinite(lows[j]) && Number.isFinite(highs[j])) j++;
    if (j === start) continue;
    const ends = [xs, lows, highs].map((values) => values.slice(start, j));
    d += `${pathThrough(ends[0], ends[2])}${pathThrough(ends[0].reverse(), ends[1].reverse()).replace("M", "L")}z`;
  }
  return d;
}

/** Path of dots: lines without length, which round caps make visible. */
function dotsAt(xs, ys) {
  let d = "";
  for (let j = 0; j < ys.length; j++) {
    if (Number.isFinite(xs[j]) && Number.isFinite(ys[j])) d += `M${round(xs[j])} ${round(ys[j])}h0`;
  }
  return d;
}

/** The last index with a value, an infinite one too; −1 if there is none. */
function lastPresent(values) {
  for (let j = values.length - 1; j >= 0; j--) if (!Number.isNaN(values[j])) return j;
  return -1;
}

/** Tops of boxes of these heights that are as near as possible to where they want to be, inside
    `room` and without overlap: boxes that would overlap form a block around their common goal. */
function spread(wanted, heights, room) {
  const order = wanted.map((_, k) => k).sort((a, b) => wanted[a] - wanted[b]);
  for (let i = 1; i < order.length; i++) { // lines that end together keep the order of the figure
    for (let j = i; j && order[j - 1] > order[j] && wanted[order[j]] - wanted[order[j - 1]] < 3; j--) [order[j - 1], order[j]] = [order[j], order[j - 1]];
  }
  const blocks = [];
  for (const k of order) {
    let block = { items: [k], top: wanted[k], height: heights[k] };
    for (;;) {
      block.top = Math.max(0, Math.min(room - block.height, block.top));
      const above = blocks[blocks.length - 1];
      if (!above || above.top + above.height <= block.top) break;
      const [n, m] = [above.items.length, block.items.length];
      blocks.pop();
      block = {
        items: [...above.items, ...block.items],
        top: (n * above.top + m * (block.top - above.height)) / (n + m),
        height: above.height + block.height,
      };
    }
    blocks.push(block);
  }
  const tops = [];
  for (const { items, top } of blocks) {
    let edge = top;
    for (const k of items) {
      tops[k] = edge;
      edge += heights[k];
    }
  }
  return tops;
}

// ---- the cells of a heat map -----------------------------------------------------------------------

/** Opacity of a level: the paper shows through, the less the higher the value. */
const opacityOf = (level) => FAINTEST + (1 - FAINTEST) * (level + 0.5) / LEVELS;

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
      paths[level] += level < LEVELS
        ? `M${columns[start]} ${rows[i]}H${columns[j]}V${rows[i + 1]}H${columns[start]}z`
        : `M${columns[start]} ${rows[i]}L${columns[j]} ${rows[i + 1]}`;
      [start, level] = [j, next];
    }
  }
  return paths;
}

/** The level of a value, held inside; LEVELS itself where there is none. */
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
class HeatMap {
  constructor({ x, y, z }, { color, name, channels }) {
    const most = channels.z.lo + STEPS * channels.z.step;
    Object.assign(this, { x, y, z, levelOf: levels(z), most: channels.z.log ? Math.exp(most) : most });
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
    const at = (level) => Math.round(bottom + (top - bottom) * level / LEVELS);
    this.steps.forEach((step, level) => {
      for (const [key, value] of Object.entries({ x: bar, y: at(level + 1), width: 12, height: at(level) - at(level + 1) })) step.setAttribute(key, value);
    });
    const place = scaleOf(this.z, bottom, top);
    const { ticks, labels } = this.ticks();
    this.scale.replaceChildren(...ticks.flatMap((value, k) => [
      element("path", { class: "live-base", d: `M${bar + 12} ${round(place(value))}h4` }),
      element("text", { x: bar + 20, y: place(value) + 4.5 }, labels[k]),
    ]));
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

  /** The cell at a pixel. */
  at(px, py) {
    const column = this.columns.findIndex((edge, k) => edge <= px && px < this.columns[k + 1]);
    const row = this.rows.findIndex((edge, k) => edge >= py && py > this.rows[k + 1]);
    return column < 0 || row < 0 ? null : { column, row };
  }

  /** One cell further, or the middle one. */
  step(cell, key) {
    const [dx, dy] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[key];
    const [n, m] = [this.x.values.length, this.y.values.length];
    if (!cell) return { column: n >> 1, row: m >> 1 };
    return { column: Math.min(n - 1, Math.max(0, cell.column + dx)), row: Math.min(m - 1, Math.max(0, cell.row + dy)) };
  }

  outline(cell) {
    let d = "";
    if (cell) {
      const [[left, right], [low, high]] = [[this.columns, cell.column], [this.rows, cell.row]].map(([edges, k]) => [edges[k], edges[k + 1]]);
      d = `M${left} ${low}H${right}V${high}H${left}z`;
    }
    this.frame.forEach((path) => path.setAttribute("d", d));
  }

  /** What stands in the legend and what is said: the chosen cell, or the extent and its places. */
  tell(cell) {
    const n = this.x.values.length;
    const at = (j) => `${this.x.label} = ${pretty(this.x.values[j % n])} and ${this.y.label} = ${pretty(this.y.values[Math.floor(j / n)])}`;
    if (cell) {
      const j = cell.row * n + cell.column;
      return { shown: pretty(this.values[j]), phrase: `${Number.isNaN(this.values[j]) ? "absent" : pretty(this.values[j])} at ${at(j)}` };
    }
    const [least, most] = extremes(this.values);
    if (least < 0) return { shown: "", phrase: "nothing to draw" };
    const [low, high] = [least, most].map((j) => pretty(this.values[j]));
    return { shown: `${low} to ${high}`, phrase: `least ${low} at ${at(least)}; greatest ${high} at ${at(most)}` };
  }
}

// ---- the figure ----------------------------------------------------------------------------------

class Figure {
  constructor(model, host) {
    const spec = model.get("spec");
    if (spec.schema !== SCHEMA) throw new Error(`a figure of schema ${spec.schema}, read by schema ${SCHEMA}`);
    Object.assign(this, { model, host, spec, axes: spec.axes, series: spec.series });
    this.counts = spec.axes.map((axis) => axis.values.length);
    this.words = wordsOf(model.get("data"));
    this.id = `live-${Math.random().toString(36).slice(2)}`;
    this.curves = Boolean(spec.x.values) && !spec.z; // or else paths in a plane, or over a heat map
    this.heat = this.series.findIndex((s) => s.kind === "heat");
    this.cursor = null; // of the read-out: {series, index}, or {column, row} of a heat map
    this.kernel = { alive: false, asked: null, key: "", drawn: null };
    this.build();
    this.listen();
    this.layout();
    this.ask({ type: "hello" });
  }

  // -- elements

  build() {
    const { spec, id } = this;
    this.desc = element("desc", { id: `${id}-desc` });
    this.frame = element("g", { class: "live-frame" });
    this.clip = element("rect");
    this.marks = this.series.map((s, k) => element("path", {
      class: `live-mark live-${s.kind}`, style: `--c:var(--live-${s.color})${this.widthOfDots(k)}`, "stroke-dasharray": s.dash, "data-series": s.name,
    }));
    this.map = spec.z ? new HeatMap(spec, this.series[this.heat]) : null;
    // Over cells a rim of paper keeps every mark apart from them.
    this.rims = spec.z ? this.series.map((s, k) => element("path", { class: `live-mark live-${s.kind} live-rim`, style: this.widthOfDots(k).slice(1) })) : [];
    const layer = (kinds) => this.marks.flatMap((mark, k) => (kinds.includes(this.series[k].kind) ? [this.rims[k] || "", mark] : []));
    this.leaders = this.series.map((s) => element("path", { class: "live-leader", style: `--c:var(--live-${s.color})` }));
    this.hair = element("path", { class: "live-hair" });
    this.dots = element("g", { class: "live-dots" });
    this.outside = element("g", { class: "live-outside" });
    this.svg = element("svg", { role: "img", tabindex: 0, "aria-label": spec.title, "aria-describedby": this.desc.id },
      this.desc, element("clipPath", { id: `${id}-clip` }, this.clip), this.frame, this.hair,
      element("g", { "clip-path": `url(#${id}-clip)` }, this.map ? this.map.cells : "",
        ...layer(["band"]), ...layer(["line", "point", "hline", "vline"]), ...(this.map ? this.map.frame : [])),
      this.map ? this.map.bar : "", ...this.leaders, this.outside, this.dots);
    this.entries = this.series.map((s) => this.entry(s));
    this.legend = element("ul", { class: "live-legend" }, ...this.entries.map((entry) => entry.item));
    this.rows = this.axes.map((axis, k) => this.row(axis, k));
    this.reset = element("button", { type: "button", class: "live-reset" }, "Reset");
    this.source = element("span", { class: "live-source" });
    this.summary = element("output", { class: "live-hidden", "aria-live": "polite" });
    this.root = element("div", { class: "live-fig", role: "group", "aria-label": spec.title },
      element("div", { class: "live-plot" }, this.svg, this.legend),
      element("div", { class: "live-controls" }, ...this.rows.map((row) => row.item)),
      element("div", { class: "live-foot" }, this.source, this.reset), this.summary);
    this.host.append(this.root);
  }

  /** Dots that may lie on each other are of several sizes, the later the smaller. */
  widthOfDots(k) {
    const later = this.series.slice(k + 1).filter((s) => s.kind === "point").length;
    return this.series[k].kind === "point" && later ? `;--wider:${3.5 * later}px` : "";
  }

  entry(series) {
    const sample = element("svg", { class: "live-sample", width: 28, height: 14, "aria-hidden": "true" }, ...this.sampleOf(series));
    const size = ["heat", "band"].includes(series.kind) ? " is-range" : series.kind === "line" && !this.curves ? " is-place" : "";
    const number = element("span", { class: `live-number${size}` });
    const silent = this.map && ["line", "point"].includes(series.kind); // the read-out is of cells
    const text = element("span", {}, element("span", { class: "live-name" }, series.name), " ", silent ? "" : number);
    return { item: element("li", {}, sample, text), sample, number };
  }

  sampleOf({ kind, color, dash, channels }) {
    const style = `--c:var(--live-${color})`;
    if (kind === "heat") {
      return [0, 1, 2, 3].map((k) => element("rect", {
        class: "live-cells", style, x: 7 * k, y: 1, width: 7, height: 12, "fill-opacity": opacityOf((LEVELS - 1) * k / 3),
      }));
    }
    const d = {
      point: channels.y?.length > 1 ? "M6 7h0M14 7h0M22 7h0" : "M14 7h0", vline: "M14 0V14", band: "M0 1H28V13H0z",
    }[kind] || "M1 7H27";
    return [element("path", { class: `live-mark live-${kind}`, style, "stroke-dasharray": dash, d })];
  }

  row(axis, k) {
    const id = `${this.id}-${axis.name}`;
    const last = this.counts[k] - 1;
    const input = isName(axis.init)
      ? element("select", { id }, ...axis.values.map((name) => element("option", {}, name)))
      : element("input", { type: "range", id, min: 0, max: last, step: 1, style: `--n:${last}` });
    const value = element("span", { class: "live-value", "aria-hidden": "true" });
    return { input, value, item: element("div", { class: "live-row" }, element("label", { for: id }, axis.label), input, value) };
  }

  // -- events

  listen() {
    this.redraw = () => {
      this.frameRequest ||= requestAnimationFrame(() => this.draw());
    };
    this.onMessage = (message, buffers) => this.receive(message, buffers);
    for (const axis of this.axes) this.model.on(`change:${axis.name}`, this.redraw);
    this.model.on("msg:custom", this.onMessage);
    this.rows.forEach(({ input }, k) => {
      const menu = isName(this.axes[k].init);
      input.addEventListener("input", () => this.choose(k, menu ? input.selectedIndex : +input.value));
      if (!menu) input.addEventListener("keydown", (event) => this.step(event, k));
    });
    this.reset.addEventListener("click", () => {
      this.axes.forEach((axis) => this.model.set(axis.name, axis.init));
      this.model.save_changes();
    });
    const at = (event) => this.point(event);
    this.svg.addEventListener("pointermove", at);
    this.svg.addEventListener("pointerdown", at);
    for (const name of ["pointerleave", "pointercancel", "blur"]) this.svg.addEventListener(name, () => this.show(null));
    this.svg.addEventListener("keydown", (event) => this.walk(event));
    let width = 0;
    this.observer = new ResizeObserver(() => {
      if (this.host.clientWidth === width) return;
      width = this.host.clientWidth;
      this.layout();
    });
    this.observer.observe(this.host);
  }

  /** Let axis k take the value at a fractional index. */
  choose(k, index) {
    const axis = this.axes[k];
    const value = isName(axis.init) ? axis.values[index] : valueAt(axis.values, index);
    this.model.set(axis.name, axis.integer ? Math.round(value) : value);
    this.model.save_changes();
  }

  /** Keys move by whole grid points, also where the pointer stops between them. */
  step(event, k) {
    const last = this.counts[k] - 1;
    const index = locate(this.axes[k].values, this.model.get(this.axes[k].name));
    const page = Math.max(2, Math.round(last / 5));
    const next = {
      ArrowRight: Math.floor(index) + 1, ArrowUp: Math.floor(index) + 1, PageUp: Math.floor(index) + page,
      ArrowLeft: Math.ceil(index) - 1, ArrowDown: Math.ceil(index) - 1, PageDown: Math.ceil(index) - page,
      Home: 0, End: last,
    }[event.key];
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.choose(k, Math.min(last, Math.max(0, next)));
  }

  // -- the read-out: a cursor on the data, by pointer or by arrow keys on the plot

  /** Whether the cursor can stand on the series: on a line, and over one x on a band too. */
  readable({ kind }) {
    return kind === "line" || (this.curves && kind === "band");
  }

  point(event) {
    const box = this.svg.getBoundingClientRect();
    const scale = this.box.width / box.width; // of a page that is zoomed, or a slide on its stage
    const [px, py] = [scale * (event.clientX - box.left), scale * (event.clientY - box.top)];
    if (this.map) {
      this.show(this.map.at(px, py));
      return;
    }
    let best = null;
    let least = this.curves ? Infinity : 40; // px: far from every path there is nothing to read
    this.pixels.forEach(({ xs, ys }, series) => {
      if (!this.readable(this.series[series])) return;
      for (let j = 0; j < xs.length; j++) {
        const gap = this.curves ? Math.abs(xs[j] - px) : Math.hypot(xs[j] - px, ys[j] - py);
        if (gap < least) [least, best] = [gap, { series, index: j }];
      }
    });
    this.show(best);
  }

  walk(event) {
    if (event.key === "Escape") this.show(null);
    if (this.map) {
      if (!/^Arrow/.test(event.key)) return;
      event.preventDefault();
      this.show(this.map.step(this.cursor, event.key));
      return;
    }
    const direction = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const series = this.cursor ? this.cursor.series : this.series.findIndex((s) => this.readable(s));
    if (!direction || series < 0) return;
    event.preventDefault();
    const last = this.pixels[series].xs.length - 1;
    const stride = Math.max(1, Math.round(last / 50));
    const start = this.cursor ? this.cursor.index : direction > 0 ? -stride : last + stride;
    this.show({ series, index: Math.min(last, Math.max(0, start + direction * stride)) });
  }

  show(cursor) {
    this.cursor = cursor;
    this.read();
  }

  // -- the kernel

  ask(message) {
    try {
      this.model.send(message);
    } catch {
      // a notebook opened without a kernel: the grid is what there is
    }
  }

  receive(message, buffers) {
    if (message.type === "alive") {
      this.kernel.alive = true;
      if (!this.spec.snap) for (const { input } of this.rows) input.step = "any";
      this.root.dataset.kernel = "alive";
      this.draw();
    } else if (message.type === "computed" && message.id === this.kernel.asked?.id) {
      Object.assign(this.kernel, { key: this.kernel.asked.key, asked: null, drawn: null, error: message.error });
      if (!message.error) {
        const bytes = buffers[0];
        const start = bytes.byteOffset || 0;
        const all = new Float64Array((bytes.buffer || bytes).slice(start, start + bytes.byteLength));
        let from = 0;
        this.kernel.drawn = this.series.map((s) => Object.fromEntries(Object.entries(s.channels).map(
          ([name, channel]) => [name, all.subarray(from, (from += channel.length))],
        )));
      }
      this.draw();
    }
  }

  /** What is drawn now, and where it comes from: the grid, a blend, or the kernel. */
  current() {
    const asked = this.axes.map((axis) => this.model.get(axis.name));
    const position = this.axes.map((axis, k) => positionOf(axis, asked[k], this.spec.snap));
    const here = this.spec.snap ? this.axes.map((axis, k) => axis.values[position[k]]) : asked;
    const key = here.join();
    const { kernel } = this;
    if (!position.every(Number.isInteger)) {
      if (kernel.key === key && kernel.drawn) return { here, position, from: "kernel", drawn: kernel.drawn };
      // One question at a time, always about the newest place.
      if (kernel.alive && !kernel.asked && kernel.key !== key) {
        const id = `${this.id} ${key}`; // a second view of the model hears the answer too
        kernel.asked = { id, key };
        const point = Object.fromEntries(this.axes.map((axis, k) => [axis.name, here[k]]));
        this.ask({ type: "compute", id, point });
      }
    }
    return { here, position, from: position.every(Number.isInteger) ? "grid" : "interpolated", drawn: this.unpacked(position) };
  }

  /** All series at a fractional position of the grid. */
  unpacked(position) {
    return this.series.map((s) => Object.fromEntries(Object.entries(s.channels).map(
      ([name, channel]) => [name, unpack(channel, this.words, this.counts, position)],
    )));
  }

  /** What the marks show: `drawn`, or on the way to it, since the last change of place, a blend. */
  gliding(position, drawn) {
    const now = performance.now();
    if (`${position}` !== `${this.goal}`) Object.assign(this, { goal: position, start: this.at ?? position, since: now });
    const share = matchMedia("(prefers-reduced-motion: reduce)").matches ? 1 : Math.min(1, (now - this.since) / GLIDE);
    this.at = position.map((to, k) => (isName(this.axes[k].init) ? to : to + (1 - share) * (this.start[k] - to)));
    if (`${this.at}` === `${position}`) return drawn;
    this.redraw();
    return this.unpacked(this.at);
  }

  // -- drawing

  /** Everything that depends on the size only; in CSS pixels, so that text keeps its size. */
  layout() {
    const full = this.root.clientWidth;
    if (!full) return; // inside a closed fold: the observer calls again
    const { x, y } = this.spec;
    this.wide = full >= WIDE;
    this.root.classList.toggle("is-wide", this.wide);
    const width = Math.max(220, full - (this.wide ? this.legend.offsetWidth : 0));
    let height = Math.round(Math.min(380, Math.max(230, width * 0.6)));
    const yTicks = ticksOf(y, 5);
    const yLabels = labelsOf(yTicks, y);
    const xTicks = ticksOf(x, Math.max(3, Math.round(width / 100)));
    const xLabels = labelsOf(xTicks, x);
    const left = 16 + widthOf(yLabels);
    const margin = Math.max(10, 4 * xLabels[xLabels.length - 1].length); // half of the last label
    const room = this.map ? 48 + widthOf(this.map.ticks().labels) : margin; // right of the plot
    let right = width - (this.wide ? Math.max(30, room + 14) : room);
    // The label of the colours stands above their bar, above that of y where both do not fit.
    const rows = this.map && 7.6 * (y.label.length + this.spec.z.label.length) > width - left - 20 ? 2 : 1;
    if (this.spec.equal) { // one unit is as long along y as along x
      const [dx, dy] = [x, y].map(({ domain: [low, high] }) => high - low);
      const tall = Math.min((right - left) * dy / dx, 360);
      [height, right] = [Math.round(tall) + 54 + 18 * rows, left + Math.round(tall) * dx / dy];
    }
    this.box = { left, right, bar: Math.round(right + 16), top: 10 + 18 * rows, bottom: height - 44, width, height };
    const { top, bottom, bar } = this.box;
    this.sx = scaleOf(x, left, right);
    this.sy = scaleOf(y, bottom, top);
    for (const [key, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) this.svg.setAttribute(key, value);
    for (const [key, value] of Object.entries({ x: left - 1, y: top - 3, width: right - left + 4, height: bottom - top + 6 })) this.clip.setAttribute(key, value);
    const text = (attributes, content) => element("text", attributes, content);
    this.frame.replaceChildren(
      ...yTicks.flatMap((value, k) => [
        element("path", this.map // whose cells would let a line through
          ? { class: "live-base", d: `M${round(left - 4)} ${round(this.sy(value))}H${round(left)}` }
          : { class: "live-grid", d: `M${round(left)} ${round(this.sy(value))}H${round(right)}` }),
        text({ x: left - 8, y: this.sy(value) + 4.5, "text-anchor": "end" }, yLabels[k]),
      ]),
      element("path", { class: "live-base", d: `M${round(left)} ${bottom}H${round(right)}` }),
      ...xTicks.flatMap((value, k) => [
        element("path", { class: "live-base", d: `M${round(this.sx(value))} ${bottom}v5` }),
        text({ x: this.sx(value), y: bottom + 20, "text-anchor": "middle" }, xLabels[k]),
      ]),
      text({ class: "live-label", x: left, y: top - 14 }, y.label),
      this.map ? text({ class: "live-label", x: width - (this.wide ? 18 : 0), y: 14, "text-anchor": "end" }, this.spec.z.label) : "",
      text({ class: "live-label", x: right, y: height - 4, "text-anchor": "end" }, x.label),
    );
    if (this.map) this.map.layout(this);
    this.heights = this.entries.map(({ item }) => item.offsetHeight);
    this.offsets = this.entries.map(({ item }) => item.offsetTop);
    const [{ item, sample }] = this.entries;
    this.middle = sample.getBoundingClientRect().top - item.getBoundingClientRect().top + 7;
    this.draw();
  }

  draw() {
    cancelAnimationFrame(this.frameRequest);
    this.frameRequest = 0;
    if (!this.box) return;
    const { here, position, from, drawn } = this.current();
    this.drawn = drawn;
    const { left, right, top, bottom } = this.box;
    const shown = this.gliding(position, drawn);
    this.pixels = this.series.map((s, k) => {
      const xs = shown[k].x || (s.kind === "line" || s.kind === "band" ? this.spec.x.values : []);
      const across = (values) => Array.from(values || [], (v) => Math.max(-FAR, Math.min(FAR, this.sy(v))));
      return { xs: Array.from(xs, this.sx), ys: across(shown[k].y), lows: across(shown[k].low), highs: across(shown[k].high) };
    });
    if (this.map) this.map.draw(shown[this.heat].z);
    this.series.forEach((s, k) => {
      const { xs, ys, lows, highs } = this.pixels[k];
      const inside = (j) => !markAt(this.spec, shown[k].x[j], shown[k].y[j]);
      const d = {
        heat: () => "",
        band: () => stripBetween(xs, lows, highs),
        line: () => pathThrough(xs, ys),
        point: () => dotsAt(xs, ys.map((y, j) => (inside(j) ? y : NaN))),
        hline: () => (Number.isNaN(ys[0]) || beyond(this.spec.y, shown[k].y[0]) ? "" : `M${round(left)} ${round(ys[0])}H${round(right)}`),
        vline: () => (Number.isNaN(xs[0]) || beyond(this.spec.x, shown[k].x[0]) ? "" : `M${round(xs[0])} ${bottom}V${top}`),
      }[s.kind]();
      this.marks[k].setAttribute("d", d);
      this.rims[k]?.setAttribute("d", d);
    });
    this.rows.forEach(({ input, value }, k) => {
      const index = position[k];
      if (isName(here[k])) {
        input.selectedIndex = index;
        return;
      }
      if (Math.abs(+input.value - index) > 1e-6) input.value = index;
      input.style.setProperty("--at", index / (this.counts[k] - 1));
      input.setAttribute("aria-valuetext", plain(here[k]));
      value.textContent = pretty(here[k]);
    });
    const failed = this.kernel.error && from === "interpolated";
    this.source.textContent = { grid: "", interpolated: failed ? "interpolated; the kernel gave an error" : "interpolated", kernel: "computed by the kernel" }[from];
    this.source.title = failed ? this.kernel.error : "";
    this.root.dataset.source = from;
    this.reset.classList.toggle("is-there", this.axes.every((axis, k) => here[k] === axis.init));
    this.mark();
    this.read();
    this.place();
  }

  /** An arrow at the edge for what lies outside the frame, with its value where there is room. */
  mark() {
    const { left, right, top } = this.box;
    const taken = [];
    const free = (box) => taken.every((other) => box.left > other.right || box.right < other.left || box.top > other.bottom || box.bottom < other.top);
    const nodes = this.series.flatMap(({ kind, color }, k) => marksOf(this.spec, kind, this.drawn[k]).flatMap(({ x, y, way, value }) => {
      const [px, py] = [this.sx(x), this.sy(y)];
      const arrow = element("path", { class: "live-arrow", style: `--c:var(--live-${color})`, d: arrowAt(px, py, way) });
      if (value === null) return [arrow];
      const text = this.told(value, "xy"[+/up|down/.test(way)]);
      const wide = widthOf([text]);
      const [first, row] = py - top < 14 ? [py + 12, 14] : [py - 3, -14];
      const places = [0, 1, 2].flatMap((k) => [px + 7, px - wide - 7].map((left) => (
        { left, right: left + wide, top: first + k * row - 11, bottom: first + k * row + 2 })));
      const box = places.find((one) => one.left >= left - 8 && one.right <= right && free(one));
      if (!box) return [arrow];
      taken.push(box);
      return [arrow, element("text", { class: "live-beyond", x: round(box.left), y: round(box.bottom - 2) }, text)];
    }));
    this.outside.replaceChildren(...nodes);
  }

  /** A value in words: the edge of a band that is negative has no place on a log scale. */
  told(value, side = "y") {
    return value === -Infinity && this.spec[side].scale === "log" ? "below 0" : pretty(value);
  }

  /** A value along y with the word that it lies outside the frame. */
  said(value) {
    const where = beyond(this.spec.y, value);
    return this.told(value) + (where ? `, ${where > 0 ? "above" : "below"} the frame` : "");
  }

  /** The numbers in the legend, the cursor, and what is said aloud. */
  read() {
    if (!this.drawn) return;
    const { cursor, spec } = this;
    const { top, bottom } = this.box;
    const at = cursor && this.curves ? cursor.index : -1;
    const dots = [];
    const said = this.series.map((s, k) => {
      const { shown, phrase, dot } = this.tell(s, k, at);
      if (dot) dots.push([...dot, s.color]);
      this.entries[k].number.textContent = shown.replaceAll(" × ", "\u00a0×\u00a0"); // never broken there
      return `${s.name}: ${phrase}`;
    });
    if (this.map) this.map.outline(cursor);
    this.dots.replaceChildren(...dots.map(([px, py, color]) => element("path", { class: "live-dot", style: `--c:var(--live-${color})`, d: `M${round(px)} ${round(py)}h0` })));
    const where = at >= 0 ? spec.x.values[at] : NaN;
    this.hair.setAttribute("d", at >= 0 ? `M${round(this.sx(where))} ${bottom}V${top}` : "");
    const place = at >= 0 ? `${spec.x.label} = ${pretty(where)}. ` : "";
    const text = `${place}${said.join("; ")}.`;
    const controls = this.axes.map((axis) => `${axis.label}: ${pretty(this.model.get(axis.name))}`).join("; ");
    this.desc.textContent = `${spec.alt} ${controls}. ${text}`;
    // Said once the hand rests, not at every pixel of a drag.
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.summary.textContent = text), 250);
  }

  /** What the legend shows and what is said of one series, and where the cursor marks it. */
  tell({ kind }, k, at) {
    const { x: xs, y: ys, low, high } = this.drawn[k];
    if (kind === "heat") return this.map.tell(this.cursor);
    if (kind === "hline" || kind === "vline") {
      const value = (ys || xs)[0];
      const outside = xs && beyond(this.spec.x, value) ? ", outside the frame" : "";
      return { shown: pretty(value), phrase: Number.isNaN(value) ? "absent" : `at ${ys ? this.said(value) : pretty(value) + outside}` };
    }
    if (kind === "point") {
      const there = ys.filter((y, j) => !Number.isNaN(xs[j] + y));
      const out = marksOf(this.spec, kind, this.drawn[k]).length;
      const range = () => `from ${pretty(Math.min(...there))} to ${pretty(Math.max(...there))}${out ? `, ${out} outside the frame` : ""}`;
      return { shown: "", phrase: there.length ? `${there.length} point${there.length > 1 ? "s" : ""} ${range()}` : "no points" };
    }
    const chosen = this.curves ? at >= 0 : !this.map && this.cursor?.series === k;
    const j = chosen ? this.cursor.index : lastPresent(ys || low);
    const where = chosen ? "" : "ends at ";
    if (kind === "band") {
      const shown = j < 0 || Number.isNaN(low[j]) ? "–" : `${this.told(low[j])} to ${this.told(high[j])}`;
      const out = beyond(this.spec.y, low[j]) < 0 || beyond(this.spec.y, high[j]) > 0 ? ", partly outside the frame" : "";
      return { shown, phrase: j < 0 ? "nothing to draw" : where + shown + out };
    }
    const pair = j < 0 || this.curves ? pretty(ys[j]) : `(${pretty(xs[j])}, ${pretty(ys[j])})`;
    return {
      shown: this.curves || chosen ? pair : "",
      phrase: j < 0 ? "nothing to draw" : where + (this.curves ? this.said(ys[j]) : pair),
      dot: chosen && !Number.isNaN(ys[j]) && !markAt(this.spec, xs ? xs[j] : this.spec.x.values[j], ys[j]) ? [this.pixels[k].xs[j], this.pixels[k].ys[j]] : null,
    };
  }

  /** Beside the plot, legend entries stand where their lines end, with a leader to each. */
  place() {
    const { right, top, bottom } = this.box;
    const anchored = this.wide && this.curves;
    const ends = this.series.map((s, k) => {
      const { lows, highs } = this.pixels[k];
      const ys = s.kind === "band" ? lows.map((low, j) => (low + highs[j]) / 2) : this.pixels[k].ys;
      if (!anchored || !["line", "band", "hline"].includes(s.kind)) return NaN;
      const y = ys[s.kind === "hline" ? 0 : lastPresent(ys)];
      return y === undefined || Number.isNaN(y) ? NaN : Math.min(bottom, Math.max(top, y));
    });
    const wanted = ends.map((y, k) => (Number.isNaN(y) ? top - 20 : y - this.middle));
    const tops = spread(wanted, this.heights, this.box.height);
    this.entries.forEach(({ item }, k) => {
      item.style.transform = this.wide ? `translateY(${round(tops[k] - this.offsets[k])}px)` : "";
      const to = tops[k] + this.middle;
      this.leaders[k].setAttribute("d", Number.isNaN(ends[k]) ? "" : `M${round(right + 4)} ${round(ends[k])}h5L${round(right + 22)} ${round(to)}h4`);
    });
  }

  destroy() {
    for (const axis of this.axes) this.model.off(`change:${axis.name}`, this.redraw);
    this.model.off("msg:custom", this.onMessage);
    this.observer.disconnect();
    clearTimeout(this.timer);
    this.root.remove();
  }
}

function render({ model, el }) {
  const figure = new Figure(model, el);
  return () => figure.destroy();
}

export default { render };
