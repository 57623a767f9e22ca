// What every figure that computes does. Its traits are its only state: a hand, the address, a link in
// the prose, Python and a second view all set traits, and whatever is drawn is read from them.

/** @import { Context, Trait } from "../types" */
import { button, controlled, glide, make, sliders, titled } from "./hands.js";

const NARROW = 560; // px of the figure below which its parts stand one under another

let figures = 0;

/** A subclass has `static title`, `static traits` (name to what it may be, as states.py says it) and
    `static options` (set by the author only), and `build()`, `layout(width)`, `draw()`; `said()` where
    what is spoken is not what stands in `words`. */
export class Figure {
  static title = "";
  /** @type {Record<string, Trait>} */
  static traits = {};
  /** @type {string[]} */
  static options = [];
  /** @type {HTMLElement} */
  words;

  /** @param {Context} context */
  constructor({ model, el }) {
    const { title, traits, options } = new.target;
    this.model = model;
    this.traits = traits;
    this.id = `ex-${++figures}`;
    this.frame = 0;
    this.timer = 0;
    this.saving = 0;
    this.names = [...Object.keys(traits), ...options];
    // where Reset leads: an address may have moved the model before it came here
    this.start = structuredClone(model.start ?? this.state());
    this.root = make("div", { class: "ex-fig", role: "group", "aria-label": title });
    this.aloud = make("output", { class: "ex-hidden", "aria-live": "polite" });
    el.append(this.root);
    this.build();
    this.root.append(this.aloud);
    this.redraw = () => (this.frame ||= requestAnimationFrame(() => this.refresh()));
    for (const name of this.names) model.on(`change:${name}`, this.redraw);
    this.sizes = new ResizeObserver(() => this.measure());
    this.sizes.observe(this.root);
    this.measure();
  }

  build() {}

  layout(_width, _narrow) {}

  draw(_state) {}

  get(name) {
    return this.model.get(name);
  }

  /** @returns {any} the traits of the kind */
  state() {
    return Object.fromEntries(this.names.map((name) => [name, this.model.get(name)]));
  }

  /** Sets traits. A kernel hears the end of a drag and some of its middle, not every pixel. */
  put(values) {
    for (const [name, value] of Object.entries(values)) this.model.set(name, value);
    clearTimeout(this.saving);
    this.saving = setTimeout(() => this.model.save_changes(), 60);
  }

  /** What the reader may have moved, as it was at the start. */
  first() {
    return structuredClone(Object.fromEntries(Object.keys(this.traits).map((name) => [name, this.start[name]])));
  }

  /** Lets go: what moves by itself stops. */
  still() {
    this.stop?.();
  }

  /** Sets traits by itself, `values(share)` of the way; the reader's next move stops it. */
  lead(ms, values) {
    this.still();
    this.stop = glide(ms, (share) => this.put(values(share)));
  }

  back() {
    this.still();
    this.put(this.first());
  }

  /** Buttons, and Reset. */
  bar(...buttons) {
    return make(
      "div",
      { class: "ex-bar" },
      ...buttons,
      button("Reset", () => this.back(), { class: "ex-button ex-quiet ex-reset" }),
    );
  }

  /** Sliders by the trait that they set, those in `shown`; `move(values)`. */
  sliders(known, move, shown = Object.keys(known)) {
    this.controls = sliders(known, shown, {
      id: this.id,
      get: (name) => this.get(name),
      move: (name, value) => move({ [name]: value }),
    });
    return controlled(this.controls);
  }

  /** Panels with what stands above each. */
  panels(...known) {
    return make("div", { class: "ex-panels" }, ...known.map(([title, drawn]) => titled(title, drawn)));
  }

  said(_state) {
    return this.words.textContent;
  }

  measure() {
    const width = this.root.clientWidth;
    if (!width || width === this.width) return; // 0 inside a closed fold: the observer calls again
    this.width = width;
    this.root.classList.toggle("is-narrow", width < NARROW);
    this.layout(width, width < NARROW);
    this.refresh();
  }

  refresh() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    if (!this.width) return;
    const begun = performance.now();
    this.draw(this.state());
    this.root.dataset.drawMs = (performance.now() - begun).toFixed(2);
    clearTimeout(this.timer); // said once the hand rests
    this.timer = setTimeout(() => (this.aloud.textContent = this.said(this.state())), 400);
  }

  destroy() {
    this.still();
    for (const name of this.names) this.model.off(`change:${name}`, this.redraw);
    this.sizes.disconnect();
    clearTimeout(this.timer);
    clearTimeout(this.saving);
    cancelAnimationFrame(this.frame);
    this.root.remove();
  }
}

/** What anywidget calls. */
export function render(Kind, { model, el }) {
  const figure = new Kind({ model, el });
  return () => figure.destroy();
}

/** Two lists of triples (index, x, y): `moved` with point `index` put to a place, or back to its own. */
export function replaced(moved, index, place) {
  const kept = moved.filter((_, k) => moved[k - (k % 3)] !== index);
  return place ? [...kept, index, ...place.map((value) => Math.round(value * 1000) / 1000)] : kept;
}

/** The places of points, those in `moved` where it puts them. */
export function placed(points, moved) {
  const places = points.slice();
  for (let k = 0; k < moved.length; k += 3)
    if (moved[k] < places.length) places[moved[k]] = [moved[k + 1], moved[k + 2]];
  return places;
}
