// The front end of LiveFigure: reads the packed grid, draws an SVG, answers to native controls.
// No dependency and no request. It runs as an anywidget module in a notebook, where a kernel may
// stand behind `model`, and inside one classic script in a static page, where none does.

/** @import { Channel, Context, Cursor, Drawn, Model, Series, Spec, Told } from "./types" */
import { dotsAt, element, pathThrough, round, spread, stripBetween } from "./elements.js";
import { cutOf, isName, lastPresent, locate, positionOf, unpack, valueAt, wordsOf } from "./grid.js";
import { HeatMap, LEVELS, opacityOf } from "./heat.js";
import { arrowAt, beyond, markAt, marksOf } from "./outside.js";
import { labelsOf, plain, pretty, scaleOf, ticksOf, widthOf } from "./scales.js";

const SCHEMA = 3; // of packing.py
const FAR = 1e5; // px, where a line goes that leaves the frame for 0 or ∞
const GLIDE = 140; // ms from stop to stop
const WIDE = 560; // px of the figure from which the legend stands beside the plot

class Figure {
  /** @param {Model} model @param {HTMLElement} host */
  constructor(model, host) {
    /** @type {Spec} */
    const spec = model.get("spec");
    if (spec.schema !== SCHEMA) throw new Error(`a figure of schema ${spec.schema}, read by schema ${SCHEMA}`);
    this.model = model;
    this.host = host;
    this.spec = spec;
    this.axes = spec.axes;
    this.series = spec.series;
    this.counts = spec.axes.map((axis) => axis.values.length);
    this.words = wordsOf(model.get("data"));
    this.id = `live-${Math.random().toString(36).slice(2)}`;
    this.curves = Boolean(spec.x.values) && !spec.z; // or else paths in a plane, or over a heat map
    this.heat = this.series.findIndex((s) => s.kind === "heat");
    /** @type {Cursor | null} */
    this.cursor = null; // of the read-out
    this.kernel = { alive: false, asked: null, key: "", drawn: null, error: "" };
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
    this.marks = this.series.map((s, k) =>
      element("path", {
        class: `live-mark live-${s.kind}`,
        style: `--c:var(--live-${s.color})${this.widthOfDots(k)}`,
        "stroke-dasharray": s.dash,
        "data-series": s.name,
      }),
    );
    this.map = spec.z ? new HeatMap(spec, this.series[this.heat]) : null;
    // Over cells a rim of paper keeps every mark apart from them.
    this.rims = spec.z
      ? this.series.map((s, k) =>
          element("path", { class: `live-mark live-${s.kind} live-rim`, style: this.widthOfDots(k).slice(1) }),
        )
      : [];
    const layer = (kinds) =>
      this.marks.flatMap((mark, k) => (kinds.includes(this.series[k].kind) ? [this.rims[k] || "", mark] : []));
    this.leaders = this.series.map((s) =>
      element("path", { class: "live-leader", style: `--c:var(--live-${s.color})` }),
    );
    this.hair = element("path", { class: "live-hair" });
    this.dots = element("g", { class: "live-dots" });
    this.outside = element("g", { class: "live-outside" });
    this.svg = element(
      "svg",
      { role: "img", tabindex: 0, "aria-label": spec.title, "aria-describedby": this.desc.id },
      this.desc,
      element("clipPath", { id: `${id}-clip` }, this.clip),
      this.frame,
      this.hair,
      element(
        "g",
        { "clip-path": `url(#${id}-clip)` },
        this.map ? this.map.cells : "",
        ...layer(["band"]),
        ...layer(["line", "point", "hline", "vline"]),
        ...(this.map ? this.map.frame : []),
      ),
      this.map ? this.map.bar : "",
      ...this.leaders,
      this.outside,
      this.dots,
    );
    this.entries = this.series.map((s) => this.entry(s));
    this.legend = element("ul", { class: "live-legend" }, ...this.entries.map((entry) => entry.item));
    this.rows = this.axes.map((axis, k) => this.row(axis, k));
    this.reset = element("button", { type: "button", class: "live-reset" }, "Reset");
    this.source = element("span", { class: "live-source" });
    this.summary = element("output", { class: "live-hidden", "aria-live": "polite" });
    this.root = element(
      "div",
      { class: "live-fig", role: "group", "aria-label": spec.title },
      element("div", { class: "live-plot" }, this.svg, this.legend),
      element("div", { class: "live-controls" }, ...this.rows.map((row) => row.item)),
      element("div", { class: "live-foot" }, this.source, this.reset),
      this.summary,
    );
    this.host.append(this.root);
  }

  /** Dots that may lie on each other are of several sizes, the later the smaller. */
  widthOfDots(k) {
    const later = this.series.slice(k + 1).filter((s) => s.kind === "point").length;
    return this.series[k].kind === "point" && later ? `;--wider:${3.5 * later}px` : "";
  }

  entry(series) {
    const sample = element(
      "svg",
      { class: "live-sample", width: 28, height: 14, "aria-hidden": "true" },
      ...this.sampleOf(series),
    );
    const size = ["heat", "band"].includes(series.kind)
      ? " is-range"
      : series.kind === "line" && !this.curves
        ? " is-place"
        : "";
    const number = element("span", { class: `live-number${size}` });
    const silent = this.map && ["line", "point"].includes(series.kind); // the read-out is of cells
    const text = element("span", {}, element("span", { class: "live-name" }, series.name), " ", silent ? "" : number);
    return { item: element("li", {}, sample, text), sample, number };
  }

  sampleOf({ kind, color, dash, channels }) {
    const style = `--c:var(--live-${color})`;
    if (kind === "heat") {
      return [0, 1, 2, 3].map((k) =>
        element("rect", {
          class: "live-cells",
          style,
          x: 7 * k,
          y: 1,
          width: 7,
          height: 12,
          "fill-opacity": opacityOf(((LEVELS - 1) * k) / 3),
        }),
      );
    }
    const d =
      {
        point: channels.y?.length > 1 ? "M6 7h0M14 7h0M22 7h0" : "M14 7h0",
        vline: "M14 0V14",
        band: "M0 1H28V13H0z",
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
    return {
      input,
      value,
      item: element("div", { class: "live-row" }, element("label", { for: id }, axis.label), input, value),
    };
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
    for (const name of ["pointerleave", "pointercancel", "blur"])
      this.svg.addEventListener(name, () => this.show(null));
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
      ArrowRight: Math.floor(index) + 1,
      ArrowUp: Math.floor(index) + 1,
      PageUp: Math.floor(index) + page,
      ArrowLeft: Math.ceil(index) - 1,
      ArrowDown: Math.ceil(index) - 1,
      PageDown: Math.ceil(index) - page,
      Home: 0,
      End: last,
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
        const all = new Float64Array(cutOf(buffers[0]));
        let end = 0;
        this.kernel.drawn = this.each((channel) => {
          end += channel.length;
          return all.subarray(end - channel.length, end);
        });
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
    return {
      here,
      position,
      from: position.every(Number.isInteger) ? "grid" : "interpolated",
      drawn: this.unpacked(position),
    };
  }

  /** All series, of each coordinate what `values` makes of its channel.
      @param {(channel: Channel) => Float64Array} values @returns {Drawn[]} */
  each(values) {
    return this.series.map((s) =>
      Object.fromEntries(Object.entries(s.channels).map(([name, channel]) => [name, values(channel)])),
    );
  }

  /** All series at a fractional position of the grid. */
  unpacked(position) {
    return this.each((channel) => unpack(channel, this.words, this.counts, position));
  }

  /** What the marks show: `drawn`, or on the way to it, since the last change of place, a blend. */
  gliding(position, drawn) {
    const now = performance.now();
    if (`${position}` !== `${this.goal}`) {
      this.goal = position;
      this.start = this.at ?? position;
      this.since = now;
    }
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
    if (this.spec.equal) {
      // one unit is as long along y as along x
      const [dx, dy] = [x, y].map(({ domain: [low, high] }) => high - low);
      const tall = Math.min(((right - left) * dy) / dx, 360);
      [height, right] = [Math.round(tall) + 54 + 18 * rows, left + (Math.round(tall) * dx) / dy];
    }
    this.box = { left, right, bar: Math.round(right + 16), top: 10 + 18 * rows, bottom: height - 44, width, height };
    const { top, bottom } = this.box;
    this.sx = scaleOf(x, left, right);
    this.sy = scaleOf(y, bottom, top);
    for (const [key, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` }))
      this.svg.setAttribute(key, value);
    for (const [key, value] of Object.entries({
      x: left - 1,
      y: top - 3,
      width: right - left + 4,
      height: bottom - top + 6,
    }))
      this.clip.setAttribute(key, value);
    const text = (attributes, content) => element("text", attributes, content);
    this.frame.replaceChildren(
      ...yTicks.flatMap((value, k) => [
        element(
          "path",
          this.map // whose cells would let a line through
            ? { class: "live-base", d: `M${round(left - 4)} ${round(this.sy(value))}H${round(left)}` }
            : { class: "live-grid", d: `M${round(left)} ${round(this.sy(value))}H${round(right)}` },
        ),
        text({ x: left - 8, y: this.sy(value) + 4.5, "text-anchor": "end" }, yLabels[k]),
      ]),
      element("path", { class: "live-base", d: `M${round(left)} ${bottom}H${round(right)}` }),
      ...xTicks.flatMap((value, k) => [
        element("path", { class: "live-base", d: `M${round(this.sx(value))} ${bottom}v5` }),
        text({ x: this.sx(value), y: bottom + 20, "text-anchor": "middle" }, xLabels[k]),
      ]),
      text({ class: "live-label", x: left, y: top - 14 }, y.label),
      this.map
        ? text({ class: "live-label", x: width - (this.wide ? 18 : 0), y: 14, "text-anchor": "end" }, this.spec.z.label)
        : "",
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
      return {
        xs: Array.from(xs, this.sx),
        ys: across(shown[k].y),
        lows: across(shown[k].low),
        highs: across(shown[k].high),
      };
    });
    if (this.map) this.map.draw(shown[this.heat].z);
    this.series.forEach((s, k) => {
      const { xs, ys, lows, highs } = this.pixels[k];
      const inside = (j) => !markAt(this.spec, shown[k].x[j], shown[k].y[j]);
      const d = {
        heat: () => "",
        band: () => stripBetween(xs, lows, highs),
        line: () => pathThrough(xs, ys),
        point: () =>
          dotsAt(
            xs,
            ys.map((y, j) => (inside(j) ? y : NaN)),
          ),
        hline: () =>
          Number.isNaN(ys[0]) || beyond(this.spec.y, shown[k].y[0])
            ? ""
            : `M${round(left)} ${round(ys[0])}H${round(right)}`,
        vline: () =>
          Number.isNaN(xs[0]) || beyond(this.spec.x, shown[k].x[0]) ? "" : `M${round(xs[0])} ${bottom}V${top}`,
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
    this.source.textContent = {
      grid: "",
      interpolated: failed ? "interpolated; the kernel gave an error" : "interpolated",
      kernel: "computed by the kernel",
    }[from];
    this.source.title = failed ? this.kernel.error : "";
    this.root.dataset.source = from;
    this.reset.classList.toggle(
      "is-there",
      this.axes.every((axis, k) => here[k] === axis.init),
    );
    this.mark();
    this.read();
    this.place();
  }

  /** An arrow at the edge for what lies outside the frame, with its value where there is room. */
  mark() {
    const { left, right, top } = this.box;
    const taken = [];
    const free = (box) =>
      taken.every(
        (other) => box.left > other.right || box.right < other.left || box.top > other.bottom || box.bottom < other.top,
      );
    const nodes = this.series.flatMap(({ kind, color }, k) =>
      marksOf(this.spec, kind, this.drawn[k]).flatMap(({ x, y, way, value }) => {
        const [px, py] = [this.sx(x), this.sy(y)];
        const arrow = element("path", {
          class: "live-arrow",
          style: `--c:var(--live-${color})`,
          d: arrowAt(px, py, way),
        });
        if (value === null) return [arrow];
        const text = this.told(value, "xy"[+/up|down/.test(way)]);
        const wide = widthOf([text]);
        const [first, row] = py - top < 14 ? [py + 12, 14] : [py - 3, -14];
        const places = [0, 1, 2].flatMap((k) =>
          [px + 7, px - wide - 7].map((left) => ({
            left,
            right: left + wide,
            top: first + k * row - 11,
            bottom: first + k * row + 2,
          })),
        );
        const box = places.find((one) => one.left >= left - 8 && one.right <= right && free(one));
        if (!box) return [arrow];
        taken.push(box);
        return [arrow, element("text", { class: "live-beyond", x: round(box.left), y: round(box.bottom - 2) }, text)];
      }),
    );
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
    this.dots.replaceChildren(
      ...dots.map(([px, py, color]) =>
        element("path", { class: "live-dot", style: `--c:var(--live-${color})`, d: `M${round(px)} ${round(py)}h0` }),
      ),
    );
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

  /** What the legend shows and what is said of one series, and where the cursor marks it.
      @param {Series} series @param {number} k @param {number} at @returns {Told} */
  tell({ kind }, k, at) {
    const { x: xs, y: ys, low, high } = this.drawn[k];
    if (kind === "heat") return this.map.tell(this.cursor);
    if (kind === "hline" || kind === "vline") {
      const value = (ys || xs)[0];
      const outside = xs && beyond(this.spec.x, value) ? ", outside the frame" : "";
      return {
        shown: pretty(value),
        phrase: Number.isNaN(value) ? "absent" : `at ${ys ? this.said(value) : pretty(value) + outside}`,
      };
    }
    if (kind === "point") {
      const there = ys.filter((y, j) => !Number.isNaN(xs[j] + y));
      const out = marksOf(this.spec, kind, this.drawn[k]).length;
      const range = () =>
        `from ${pretty(Math.min(...there))} to ${pretty(Math.max(...there))}${out ? `, ${out} outside the frame` : ""}`;
      return {
        shown: "",
        phrase: there.length ? `${there.length} point${there.length > 1 ? "s" : ""} ${range()}` : "no points",
      };
    }
    const chosen = this.curves ? at >= 0 : !this.map && this.cursor?.series === k;
    const j = chosen ? this.cursor.index : lastPresent(ys || low);
    const where = chosen ? "" : "ends at ";
    if (kind === "band") {
      const shown = j < 0 || Number.isNaN(low[j]) ? "–" : `${this.told(low[j])} to ${this.told(high[j])}`;
      const out =
        beyond(this.spec.y, low[j]) < 0 || beyond(this.spec.y, high[j]) > 0 ? ", partly outside the frame" : "";
      return { shown, phrase: j < 0 ? "nothing to draw" : where + shown + out };
    }
    const pair = j < 0 || this.curves ? pretty(ys[j]) : `(${pretty(xs[j])}, ${pretty(ys[j])})`;
    return {
      shown: this.curves || chosen ? pair : "",
      phrase: j < 0 ? "nothing to draw" : where + (this.curves ? this.said(ys[j]) : pair),
      dot:
        chosen && !Number.isNaN(ys[j]) && !markAt(this.spec, xs ? xs[j] : this.spec.x.values[j], ys[j])
          ? [this.pixels[k].xs[j], this.pixels[k].ys[j]]
          : null,
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
    const wanted = ends.map((y) => (Number.isNaN(y) ? top - 20 : y - this.middle));
    const tops = spread(wanted, this.heights, this.box.height);
    this.entries.forEach(({ item }, k) => {
      item.style.transform = this.wide ? `translateY(${round(tops[k] - this.offsets[k])}px)` : "";
      const to = tops[k] + this.middle;
      this.leaders[k].setAttribute(
        "d",
        Number.isNaN(ends[k]) ? "" : `M${round(right + 4)} ${round(ends[k])}h5L${round(right + 22)} ${round(to)}h4`,
      );
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

/** @param {Context} context */
export function render({ model, el }) {
  const figure = new Figure(model, el);
  return () => figure.destroy();
}
