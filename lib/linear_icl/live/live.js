// The front end of LiveFigure: reads the packed grid, draws an SVG, answers to native sliders.
// No dependency and no request. It runs as an anywidget module in a notebook, where a kernel may
// stand behind `model`, and inside one classic script in a static page, where none does.

const SCHEMA = 2; // of packing.py
const MISSING = 65535;
const SVG = "http://www.w3.org/2000/svg";
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
    the blend of the corners around it elsewhere. `counts` holds the number of values per axis. */
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
  for (const [row, weight] of corners) {
    const start = channel.offset + row * channel.length;
    for (let j = 0; j < channel.length; j++) {
      const code = words[start + j];
      out[j] += code === MISSING ? NaN : weight * (channel.lo + code * channel.step);
    }
  }
  return channel.log ? out.map(Math.exp) : out;
}

// ---- numbers and scales --------------------------------------------------------------------------

const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

const raised = (exponent) => [...String(Math.round(exponent))].map((c) => RAISED[c]).join("");

/** For the eye: three significant digits, a real minus sign, powers of ten written as such. */
function pretty(value, digits = 3) {
  if (!Number.isFinite(value)) return "–";
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
  if (Number.isInteger(value)) return String(value);
  const short = +value.toPrecision(digits);
  return Math.abs(short) < 1e-3 ? short.toExponential() : String(short);
}

/** A map from the domain of a direction to pixels. */
function scaleOf({ scale, domain }, from, to) {
  const f = scale === "log" ? Math.log : Number;
  const low = f(domain[0]);
  const unit = (to - from) / (f(domain[1]) - low);
  return (value) => from + unit * (f(value) - low);
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
    if (decades >= 2) {
      const stride = Math.ceil(decades / count);
      return Array.from({ length: decades }, (_, k) => +`1e${first + k}`).filter((_, k) => k % stride === 0);
    }
    const marks = [];
    for (let e = first - 1; e <= last; e++) for (const m of [1, 2, 5]) marks.push(+`${m}e${e}`);
    const inside = marks.filter((v) => v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9));
    if (inside.length > 1) return inside;
  }
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((m) => m * power >= 0.7 * rough) || 10);
  const marks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) marks.push(+(k * step).toPrecision(12));
  return marks;
}

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

/** Path of dots: lines without length, which round caps make visible. */
function dotsAt(xs, ys) {
  let d = "";
  for (let j = 0; j < ys.length; j++) {
    if (Number.isFinite(xs[j]) && Number.isFinite(ys[j])) d += `M${round(xs[j])} ${round(ys[j])}h0`;
  }
  return d;
}

function lastFinite(values) {
  for (let j = values.length - 1; j >= 0; j--) if (Number.isFinite(values[j])) return j;
  return -1;
}

/** Tops of boxes of these heights that are as near as possible to where they want to be, inside
    `room` and without overlap: boxes that would overlap form a block around their common goal. */
function spread(wanted, heights, room) {
  const order = wanted.map((_, k) => k).sort((a, b) => Math.round(wanted[a] / 3) - Math.round(wanted[b] / 3) || a - b);
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

// ---- the figure ----------------------------------------------------------------------------------

class Figure {
  constructor(model, host) {
    const spec = model.get("spec");
    if (spec.schema !== SCHEMA) throw new Error(`a figure of schema ${spec.schema}, read by schema ${SCHEMA}`);
    Object.assign(this, { model, host, spec, axes: spec.axes, series: spec.series });
    this.counts = spec.axes.map((axis) => axis.values.length);
    this.words = wordsOf(model.get("data"));
    this.id = `live-${Math.random().toString(36).slice(2)}`;
    this.curves = Boolean(spec.x.values); // or else paths in a plane
    this.cursor = null; // {series, index} of the read-out
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
    this.marks = this.series.map((s) => element("path", {
      class: `live-mark live-${s.kind}`, style: `--c:var(--live-${s.color})`, "stroke-dasharray": s.dash, "data-series": s.name,
    }));
    this.leaders = this.series.map((s) => element("path", { class: "live-leader", style: `--c:var(--live-${s.color})` }));
    this.hair = element("path", { class: "live-hair" });
    this.dots = element("g", { class: "live-dots" });
    this.svg = element("svg", { role: "img", tabindex: 0, "aria-label": spec.title, "aria-describedby": this.desc.id },
      this.desc, element("clipPath", { id: `${id}-clip` }, this.clip), this.frame, this.hair,
      element("g", { "clip-path": `url(#${id}-clip)` }, ...this.marks), ...this.leaders, this.dots);
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

  entry(series) {
    const dots = series.kind === "point" && (series.channels.y.length > 1 ? "M6 7h0M14 7h0M22 7h0" : "M14 7h0");
    const stroke = series.kind === "vline" ? "M14 0V14" : "M1 7H27";
    const sample = element("svg", { class: "live-sample", width: 28, height: 14, "aria-hidden": "true" }, element("path", {
      class: `live-mark live-${series.kind}`, style: `--c:var(--live-${series.color})`,
      "stroke-dasharray": series.dash, d: dots || stroke,
    }));
    const number = element("span", { class: "live-number" });
    const text = element("span", {}, element("span", { class: "live-name" }, series.name), " ", number);
    return { item: element("li", {}, sample, text), sample, number };
  }

  row(axis, k) {
    const id = `${this.id}-${axis.name}`;
    const input = element("input", { type: "range", id, min: 0, max: this.counts[k] - 1, step: 1, style: `--n:${this.counts[k] - 1}` });
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
      input.addEventListener("input", () => this.choose(k, +input.value));
      input.addEventListener("keydown", (event) => this.step(event, k));
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
    const value = valueAt(axis.values, index);
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

  point(event) {
    const box = this.svg.getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    let best = null;
    let least = this.curves ? Infinity : 40; // px: far from every path there is nothing to read
    this.pixels.forEach(({ xs, ys }, series) => {
      if (this.series[series].kind !== "line") return;
      for (let j = 0; j < xs.length; j++) {
        const gap = this.curves ? Math.abs(xs[j] - px) : Math.hypot(xs[j] - px, ys[j] - py);
        if (gap < least) [least, best] = [gap, { series, index: j }];
      }
    });
    this.show(best);
  }

  walk(event) {
    const direction = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "Escape") this.show(null);
    const series = this.cursor ? this.cursor.series : this.series.findIndex((s) => s.kind === "line");
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
      for (const { input } of this.rows) input.step = "any";
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
    const here = this.axes.map((axis) => this.model.get(axis.name));
    const position = this.axes.map((axis, k) => locate(axis.values, here[k]));
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
    const drawn = this.series.map((s) => Object.fromEntries(Object.entries(s.channels).map(
      ([name, channel]) => [name, unpack(channel, this.words, this.counts, position)],
    )));
    return { here, position, from: position.every(Number.isInteger) ? "grid" : "interpolated", drawn };
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
    const height = Math.round(Math.min(380, Math.max(230, width * 0.6)));
    const yTicks = ticksOf(y, 5);
    const yLabels = labelsOf(yTicks, y);
    const xTicks = ticksOf(x, Math.max(3, Math.round(width / 100)));
    const xLabels = labelsOf(xTicks, x);
    const left = 16 + 7.5 * Math.max(...yLabels.map((text) => text.length - 0.4 * text.replace(/[^⁻⁰¹²³⁴⁵⁶⁷⁸⁹]/gu, "").length));
    const margin = Math.max(10, 4 * xLabels[xLabels.length - 1].length); // half of the last label
    this.box = { left, right: width - (this.wide ? 30 : margin), top: 28, bottom: height - 44, width, height };
    const { right, top, bottom } = this.box;
    this.sx = scaleOf(x, left, right);
    this.sy = scaleOf(y, bottom, top);
    for (const [key, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) this.svg.setAttribute(key, value);
    for (const [key, value] of Object.entries({ x: left - 1, y: top - 3, width: right - left + 4, height: bottom - top + 6 })) this.clip.setAttribute(key, value);
    const text = (attributes, content) => element("text", attributes, content);
    this.frame.replaceChildren(
      ...yTicks.flatMap((value, k) => [
        element("path", { class: "live-grid", d: `M${round(left)} ${round(this.sy(value))}H${round(right)}` }),
        text({ x: left - 8, y: this.sy(value) + 4.5, "text-anchor": "end" }, yLabels[k]),
      ]),
      element("path", { class: "live-base", d: `M${round(left)} ${bottom}H${round(right)}` }),
      ...xTicks.flatMap((value, k) => [
        element("path", { class: "live-base", d: `M${round(this.sx(value))} ${bottom}v5` }),
        text({ x: this.sx(value), y: bottom + 20, "text-anchor": "middle" }, xLabels[k]),
      ]),
      text({ class: "live-label", x: left, y: 14 }, y.label),
      text({ class: "live-label", x: right, y: height - 4, "text-anchor": "end" }, x.label),
    );
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
    const start = performance.now();
    const { here, position, from, drawn } = this.current();
    this.drawn = drawn;
    const { left, right, top, bottom } = this.box;
    this.pixels = this.series.map((s, k) => {
      const xs = drawn[k].x || (s.kind === "line" ? this.spec.x.values : []);
      return { xs: Array.from(xs, this.sx), ys: Array.from(drawn[k].y || [], this.sy) };
    });
    this.series.forEach((s, k) => {
      const { xs, ys } = this.pixels[k];
      const inside = (value) => Number.isFinite(value) && value >= 0;
      const d = {
        line: () => pathThrough(xs, ys),
        point: () => dotsAt(xs, ys),
        hline: () => (inside(ys[0]) ? `M${round(left)} ${round(ys[0])}H${round(right)}` : ""),
        vline: () => (inside(xs[0]) ? `M${round(xs[0])} ${bottom}V${top}` : ""),
      }[s.kind]();
      this.marks[k].setAttribute("d", d);
    });
    this.rows.forEach(({ input, value }, k) => {
      const index = position[k];
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
    this.read();
    this.place();
    this.root.dataset.drawMs = (performance.now() - start).toFixed(2);
  }

  /** The numbers in the legend, the cursor, and what is said aloud. */
  read() {
    if (!this.drawn) return;
    const { cursor, spec } = this;
    const { top, bottom } = this.box;
    const at = cursor && this.curves ? cursor.index : -1;
    const dots = [];
    const said = this.series.map((s, k) => {
      const { x: xs, y: ys } = this.drawn[k];
      let shown = "";
      let phrase;
      if (s.kind === "hline" || s.kind === "vline") {
        shown = pretty((ys || xs)[0]);
        phrase = Number.isFinite((ys || xs)[0]) ? `at ${shown}` : "absent";
      } else if (s.kind === "point") {
        const there = ys.filter(Number.isFinite);
        phrase = there.length ? `${there.length} point${there.length > 1 ? "s" : ""} from ${pretty(Math.min(...there))} to ${pretty(Math.max(...there))}` : "no points";
      } else {
        const chosen = this.curves ? at >= 0 : cursor && cursor.series === k;
        const j = chosen ? cursor.index : lastFinite(ys);
        const pair = () => `(${pretty(xs[j])}, ${pretty(ys[j])})`;
        if (this.curves) shown = pretty(ys[j]);
        else if (chosen) shown = pair();
        phrase = j < 0 ? "nothing to draw" : `${chosen ? "" : "ends at "}${xs ? pair() : shown}`;
        if (chosen && Number.isFinite(this.pixels[k].ys[j])) dots.push([this.pixels[k].xs[j], this.pixels[k].ys[j], s.color]);
      }
      this.entries[k].number.textContent = shown;
      return `${s.name}: ${phrase}`;
    });
    this.dots.replaceChildren(...dots.map(([px, py, color]) => element("path", { class: "live-dot", style: `--c:var(--live-${color})`, d: `M${round(px)} ${round(py)}h0` })));
    const where = at >= 0 ? spec.x.values[at] : NaN;
    this.hair.setAttribute("d", at >= 0 ? `M${round(this.sx(where))} ${bottom}V${top}` : "");
    const place = at >= 0 ? `${spec.x.label} = ${pretty(where)}. ` : "";
    const text = `${place}${said.join("; ")}.`;
    const controls = this.axes.map((axis, k) => `${axis.label}: ${this.rows[k].value.textContent}`).join("; ");
    this.desc.textContent = `${spec.alt} ${controls}. ${text}`;
    // Said once the hand rests, not at every pixel of a drag.
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.summary.textContent = text), 250);
  }

  /** Beside the plot, legend entries stand where their lines end, with a leader to each. */
  place() {
    const { right, top, bottom } = this.box;
    const anchored = this.wide && this.curves;
    const ends = this.series.map((s, k) => {
      const { ys } = this.pixels[k];
      if (!anchored || (s.kind !== "line" && s.kind !== "hline")) return NaN;
      const y = ys[s.kind === "line" ? lastFinite(ys) : 0];
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
