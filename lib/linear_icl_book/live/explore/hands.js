// What a reader touches: points that follow pointer, finger and arrow keys, sliders, buttons, and time
// that runs only where motion is wanted.

import { fixed, px, ring } from "./marks.js";

const NS = "http://www.w3.org/2000/svg";
const DRAWN = new Set(["svg", "g", "path", "rect", "clipPath", "text"]);

/** An element with attributes and children.
    @returns {any} of HTML or SVG, by its name */
export function make(name, attributes = {}, ...children) {
  const node = DRAWN.has(name) ? document.createElementNS(NS, name) : document.createElement(name);
  put(node, attributes);
  node.append(...children);
  return node;
}

/** Sets attributes that differ; null takes one away. */
export function put(node, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null) node.removeAttribute(key);
    else if (node.getAttribute(key) !== String(value)) node.setAttribute(key, value);
  }
}

/** A drawing: text in `layer`, and above it the nodes that are held, which a redraw must not replace. */
export function panel(label) {
  const layer = make("g", { class: "ex-art", "aria-hidden": "true" });
  const svg = make("svg", { class: "ex-panel", role: "group", "aria-label": label }, layer);
  const size = (width, height) => put(svg, { width, height, viewBox: `0 0 ${width} ${height}` });
  return { svg, layer, size };
}

// ---- points that are dragged ----------------------------------------------------------------------

const modified = (event) => event.ctrlKey || event.metaKey || event.altKey;
const NUDGES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const thousandth = (value) => Math.round(value * 1000) / 1000; // as the address has it

/** Pixels of the drawing under a pointer, in a zoomed page and on a slide too. */
function under(event, svg) {
  const box = svg.getBoundingClientRect();
  const zoom = svg.viewBox.baseVal.width / box.width;
  return [zoom * (event.clientX - box.left), zoom * (event.clientY - box.top)];
}

/** @param {SVGElement} node @param {any} hand as `handle` has it, with the drawing */
function dragged(node, { svg, plane, get, move, begin }) {
  let grip = null; // a grab keeps its distance from the centre: nothing jumps
  node.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    const [[p, q], [a, b]] = [under(event, svg), plane().at(plane().nearest(get()))];
    grip = [p - a, q - b];
    node.setPointerCapture(event.pointerId);
    node.classList.add("is-held");
    node.focus({ preventScroll: true });
    event.preventDefault();
    begin?.();
  });
  node.addEventListener("pointermove", (event) => {
    if (!grip) return;
    const [p, q] = under(event, svg);
    move(
      plane()
        .nearest(plane().value([p - grip[0], q - grip[1]]))
        .map(thousandth),
    );
  });
  // touch-action alone lets Chromium scroll away under a finger on a path
  node.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
  const drop = () => {
    grip = null;
    node.classList.remove("is-held");
  };
  for (const kind of ["pointerup", "pointercancel", "lostpointercapture"]) node.addEventListener(kind, drop);
}

/** @param {SVGElement} node @param {any} hand as `handle` has it */
function nudged(node, { plane, get, move, home, step = 0.1, keys, begin }) {
  const toGrid = (value, by) => (by ? Math.round((value + by) / step) * step : value);
  node.addEventListener("keydown", (event) => {
    if (modified(event)) return;
    const way = NUDGES[event.key];
    if (keys?.(event)) event.preventDefault();
    else if (way || (event.key === "Home" && home)) {
      event.preventDefault();
      begin?.();
      if (!way) return home();
      const size = step * (event.shiftKey ? 5 : 1);
      move(
        plane()
          .nearest(get().map((value, k) => toGrid(value, size * way[k])))
          .map(thousandth),
      );
    }
  });
}

/** A point that follows pointer, finger and arrow keys (Shift: five times as far, Home: back).

    `plane()` is the plane as it is now, `get()` the value [a, b], `move(value)` asks for another,
    `say()` is what is spoken. Returns {node, shape, follow}; `follow` is called after each drawing. */
export function handle({ parent, d, kind, role, name, say, room = 18, ...hand }) {
  const shape = make("path", { class: kind, d });
  const halo = make("path", { class: "ex-halo", d: ring(room - 3) });
  const node = make(
    "g",
    { class: "ex-handle ex-art", style: `--c:var(--ex-${role})`, role: "slider", tabindex: 0, "aria-label": name },
    halo,
    shape,
    make("path", { class: "ex-hit", d: ring(room) }),
  );
  parent.append(node);
  const svg = parent.ownerSVGElement || parent;
  dragged(node, { ...hand, svg });
  nudged(node, hand);
  const follow = () => {
    const [plane, [a, b]] = [hand.plane(), hand.get()];
    const [p, q] = plane.at([a, b]);
    put(node, {
      transform: `translate(${px(p)} ${px(q)})`,
      "aria-valuetext": say(),
      "aria-valuenow": thousandth(a),
      "aria-valuemin": plane.x[0],
      "aria-valuemax": plane.x[1],
    });
  };
  return { node, shape, follow };
}

/** Of several handles one is a stop of Tab; Page Up and Page Down go to the others. For `keys`. */
export function among(handles, count) {
  return (event, index) => {
    const by = { PageDown: 1, PageUp: -1 }[event.key];
    if (!by) return false;
    const next = handles()[(index + by + count()) % count()].node;
    for (const { node } of handles()) put(node, { tabindex: node === next ? 0 : -1 });
    next.focus();
    return true;
  };
}

// ---- sliders and buttons ------------------------------------------------------------------------------

const STRIDES = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 5, PageDown: -5 };

/** A native slider over numbers from `low` to `high`, on a linear or logarithmic scale; keys move by a
    fortieth of it, or by one. */
export function slider({ id, label, low, high, log, whole, show = fixed, get, move }) {
  const into = log ? Math.log : Number;
  const value = (place) =>
    whole ? Math.round(log ? Math.exp(place) : place) : +(log ? Math.exp(place) : place).toPrecision(4);
  const [from, to] = [into(low), into(high)];
  const single = whole && !log;
  const input = make("input", { type: "range", id, min: from, max: to, step: single ? 1 : "any" });
  const shown = make("span", { class: "ex-value", "aria-hidden": "true" });
  input.addEventListener("input", () => move(value(+input.value)));
  input.addEventListener("keydown", (event) => {
    const by = STRIDES[event.key];
    if (!by || modified(event)) return;
    event.preventDefault();
    const place = Math.min(to, Math.max(from, into(get()) + by * (single ? 1 : (to - from) / 40)));
    const next = value(place);
    move(
      whole && next === get()
        ? Math.min(high, Math.max(low, next + Math.sign(by)))
        : Math.min(high, Math.max(low, next)),
    );
  });
  const follow = () => {
    const place = into(get());
    if (Math.abs(+input.value - place) > (to - from) / 1500) input.value = place;
    input.style.setProperty("--at", (place - from) / (to - from));
    put(input, { "aria-valuetext": show(get()) });
    shown.textContent = show(get());
  };
  return { row: make("div", { class: "ex-row" }, make("label", { for: id }, label), input, shown), follow };
}

/** Sliders by `specs`, those whose names are `shown`; `get(name)` and `move(name, value)`. */
export const sliders = (specs, shown, { id, get, move }) =>
  Object.keys(specs)
    .filter((name) => shown.includes(name))
    .map((name) =>
      slider({ ...specs[name], id: `${id}-${name}`, get: () => get(name), move: (value) => move(name, value) }),
    );

/** A panel under its title. */
export const titled = (text, { svg }) => make("div", {}, make("p", { class: "ex-title" }, text), svg);

/** The rows of sliders, below all else. */
export const controlled = (rows) => make("div", { class: "ex-controls" }, ...rows.map(({ row }) => row));

export function button(text, act, attributes = {}) {
  const node = make("button", { type: "button", class: "ex-button", ...attributes }, text);
  node.addEventListener("click", act);
  return node;
}

/** The button of a bar that is pressed first. */
export const main = (text, act) => button(text, act, { class: "ex-button is-main" });

// ---- time ------------------------------------------------------------------------------------------------

export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

const eased = (share) => (share < 0.5 ? 4 * share ** 3 : 1 - (2 - 2 * share) ** 3 / 2);

/** Calls `draw(share)` once a frame from 0 to 1 within `ms`, at once where motion is unwanted or unseen.
    Returns what stops it. */
export function glide(ms, draw) {
  if (still() || document.hidden) {
    draw(1);
    return () => {};
  }
  let [frame, begun] = [0, 0];
  const tick = (now) => {
    begun ||= now;
    const share = Math.min(1, (now - begun) / ms);
    if (share < 1) frame = requestAnimationFrame(tick);
    draw(eased(share));
  };
  frame = requestAnimationFrame(tick);
  return () => cancelAnimationFrame(frame);
}

/** Calls `tick(seconds)` once a frame while it runs; a frame that was late counts a twentieth. */
export class Clock {
  constructor(tick) {
    this.tick = tick;
    this.frame = 0;
  }

  get running() {
    return this.frame !== 0;
  }

  start() {
    let last = 0;
    const step = (now) => {
      this.frame = requestAnimationFrame(step); // before the tick, which may stop it
      this.tick(last ? Math.min(0.05, (now - last) / 1000) : 0);
      last = now;
    };
    this.frame ||= requestAnimationFrame(step);
  }

  stop() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
  }
}

/** Calls `seen(whether)` as the node comes into view and leaves it. Returns what ends it. */
export function watch(node, seen) {
  const observer = new IntersectionObserver(([entry]) => seen(entry.isIntersecting), { threshold: 0.4 });
  observer.observe(node);
  return () => observer.disconnect();
}
