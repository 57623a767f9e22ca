// FlowLab: release the weights in their landscape and watch where they go, in three views with one
// time: the landscape, the loss, and the product uU that fills in against Γ⁻¹.

import { Figure } from "./figure.js";
import {
  chartFrame,
  curves,
  geometryOf,
  still as image,
  landscape,
  momentOf,
  phaseOf,
  planesOf,
  productPicture,
  REACH,
  runOf,
  startOf,
  timeOf,
  trajectories,
} from "./flow_picture.js";
import { button, Clock, handle, make, panel, put, titled, still as unmoved, watch } from "./hands.js";
import { fixed, px, ring } from "./marks.js";

const GHOSTS = 3;
const SECONDS = 6; // of playing
const SLIDERS = {
  sigma: { label: "u₀, size of the start", low: 1e-6, high: 1, log: true },
  N: { label: "N, length in training", low: 1, high: 128, log: true, whole: true, show: String },
};

const rounded = (value) => Math.round(value * 1000) / 1000;

export class FlowLab extends Figure {
  static title = "The flow of the weights in their landscape";
  static traits = {
    d: { low: 1, high: 2, whole: true },
    N: { low: 1, high: 128, whole: true },
    sigma: { low: 1e-6, high: 1 },
    start: { low: -REACH, high: REACH, lengths: [0, 2] },
    t: { low: -1, high: 200 },
  };

  static options = [];

  build() {
    Object.assign(this, { ghosts: [], key: "" });
    this.field = panel("The landscape: click to release the weights");
    this.chart = panel("Loss against time");
    this.matrix = panel("The product uU against the inverse of Γ");
    for (const one of [this.field, this.chart])
      one.front = one.svg.appendChild(make("g", { class: "ex-art", "aria-hidden": "true" }));
    this.ball = this.field.svg.appendChild(make("path", { class: "ex-full", d: ring(7) }));
    this.hold();
    this.playing = button("Play", () => (this.clock.running ? this.pause() : this.play()), {
      class: "ex-button is-main ex-play",
    });
    this.dimensions = [1, 2].map((d) => button(`d = ${d}`, () => this.change({ d, start: [], t: -1 }, true)));
    this.phase = make("p", { class: "ex-phase" });
    const legend = make(
      "p",
      { class: "ex-legend" },
      "Squares: uU, area for size.",
      make("br"),
      "Frames: Γ⁻¹, where it ends.",
    );
    const right = make(
      "div",
      { class: "ex-side" },
      titled("Loss against time", this.chart),
      make("div", { class: "ex-product" }, this.matrix.svg, make("div", {}, legend, this.phase)),
    );
    this.root.append(
      make("div", { class: "ex-panels" }, titled("The landscape: click to release", this.field), right),
      this.bar(this.playing, ...this.dimensions),
      this.sliders(SLIDERS, (values) => this.change({ ...values, ...("sigma" in values && { start: [] }), t: -1 })),
    );
    this.clock = new Clock((seconds) => this.tick(seconds));
    this.unwatch = watch(this.field.svg, (seen) => !seen && this.clock.running && this.pause());
  }

  hold() {
    const plays =
      (act) =>
      ({ key }) => {
        const asked = key === "Enter" || key === " ";
        if (asked) act();
        return asked;
      };
    this.origin = handle({
      parent: this.field.svg,
      d: ring(4.5),
      kind: "ex-open",
      role: "ink",
      name: "Start of the flow",
      plane: () => this.planes.field,
      step: 0.05,
      get: () => startOf(this.state()),
      move: (start) => this.change({ start, t: -1 }),
      home: () => this.change({ start: [], t: -1 }),
      keys: plays(() => this.play()),
      say: () => `U ${fixed(startOf(this.state())[0])}, u ${fixed(startOf(this.state())[1])}; Enter plays`,
    });
    this.head = handle({
      parent: this.chart.svg,
      d: ring(6),
      kind: "ex-full",
      role: "U",
      name: "Playhead",
      plane: () => this.planes.chart,
      step: 0.1,
      get: () => this.planes.chart.nearest([this.time, this.now.loss]),
      move: ([t]) => this.seek(t),
      home: () => this.seek(0),
      keys: plays(() => (this.clock.running ? this.pause() : this.play())),
      say: () => `time ${fixed(this.time)}, loss ${fixed(this.now.loss)}`,
    });
    this.field.svg.addEventListener("click", (event) => this.release(event));
  }

  // ---- what the reader does

  change(values, forget = false) {
    if (forget) {
      this.clock.stop();
      this.ghosts = [];
    }
    this.put(values);
    this.redraw();
  }

  back() {
    this.change(this.first(), true);
  }

  /** A click lets the weights go from there; the last trajectories stay as shadows. */
  release(event) {
    if (event.target.closest(".ex-handle")) return;
    const box = this.field.svg.getBoundingClientRect();
    const zoom = this.field.svg.viewBox.baseVal.width / box.width;
    const place = this.planes.field
      .value([zoom * (event.clientX - box.left), zoom * (event.clientY - box.top)])
      .map(rounded);
    if (!this.planes.field.holds(place)) return;
    this.ghosts = [this.run, ...this.ghosts].slice(0, GHOSTS);
    this.put({ start: place, t: unmoved() ? -1 : 0 });
    this.play();
  }

  /** From the playhead, or from the start; where motion is unwanted the end is shown at once. */
  play() {
    this.refresh(); // so that the trajectory is that of the traits
    if (unmoved()) return this.put({ t: -1 });
    if (this.time > 0.999 * this.run.T) this.put({ t: 0 });
    this.clock.start();
    this.redraw();
  }

  pause() {
    this.clock.stop();
    this.put({ t: this.get("t") < 0 ? -1 : rounded(this.get("t")) });
    this.redraw();
  }

  seek(t) {
    this.clock.stop();
    this.put({ t: rounded(Math.min(200, t)) });
  }

  tick(seconds) {
    const t = this.time + (seconds * this.run.T) / SECONDS;
    const ends = t >= this.run.T;
    if (ends) this.clock.stop();
    this.put({ t: ends ? -1 : Math.min(200, t) });
    this.refresh();
  }

  // ---- drawing

  layout(width) {
    this.geometry = geometryOf(width);
    const { side, wide, tall, block } = this.geometry;
    this.field.size(side, side);
    this.chart.size(wide, tall);
    this.matrix.size(block, block);
  }

  draw(state) {
    const key = JSON.stringify([state.d, state.N, startOf(state), this.width]);
    const fresh = key !== this.key;
    if (fresh) this.anew(state, key);
    this.time = timeOf(state, this.run);
    this.now = momentOf(this.run, this.time);
    const { time: t, now } = this;
    const { field, chart } = this.planes;
    const [fieldClip, chartClip] = [`${this.id}-field`, `${this.id}-chart`];
    if (fresh || state.d === 2) this.field.layer.innerHTML = landscape(field, state, this.run.p, now.U, fieldClip);
    this.field.front.innerHTML = trajectories(field, state, this.run, now, this.ghosts, fieldClip);
    this.chart.front.innerHTML = curves(chart, this.run, now, t, this.ghosts, chartClip);
    this.matrix.layer.innerHTML = productPicture(this.geometry.block, state, this.run.p, now);
    put(this.ball, {
      transform: `translate(${field.at(now.place).map(px).join(" ")})`,
      style: `--c:var(--ex-U);fill:var(--ex-U);pointer-events:none;display:${field.holds(now.place) ? "inline" : "none"}`,
    });
    this.follow(state);
  }

  anew(state, key) {
    this.key = key;
    this.run = runOf(state);
    this.planes = planesOf(this.geometry, state, this.run);
    this.chart.layer.innerHTML = chartFrame(this.planes.chart, this.run, `${this.id}-chart`);
  }

  follow({ d }) {
    for (const { follow } of [this.origin, this.head, ...this.controls]) follow();
    this.phase.textContent = `t = ${fixed(this.time)}: ${phaseOf(this.now, this.run)}`;
    this.playing.textContent = this.clock.running ? "Pause" : "Play";
    this.dimensions.forEach((node, k) => put(node, { "aria-pressed": String(d === k + 1) }));
  }

  said(state) {
    const [size, u] = startOf(state);
    const wait = this.run.escape > 0 ? `; predicted escape at ${fixed(this.run.escape)}` : "";
    return `Released at U ${fixed(size)}, u ${fixed(u)}. At time ${fixed(this.time)} the loss is ${fixed(this.now.loss)}, of silence ${fixed(this.run.p.silence)}, at best ${fixed(this.run.floor)}${wait}.`;
  }

  destroy() {
    this.clock.stop();
    this.unwatch();
    super.destroy();
  }
}

export const Kind = FlowLab;
export const still = image;
