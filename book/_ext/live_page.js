// ---- the static page: figures without a kernel, their values in the address ------------------------
// Shares its scope with the modules of LiveFigure, and of the figures that compute, as far as the page
// has them; `kinds` names those. Reads the widget states and views in the page, plays the part of the
// notebook's models, and leaves the image standing where anything goes wrong.

/** An anywidget model with nothing behind it. */
class Model {
  constructor(state) {
    this.state = state;
    this.start = structuredClone(state);
    this.heard = {};
  }
  get(name) {
    return this.state[name];
  }
  set(name, value) {
    if (same(this.state[name], value)) return;
    this.state[name] = value;
    for (const listener of this.heard[`change:${name}`] || []) listener(value);
  }
  on(event, listener) {
    this.heard[event] ||= [];
    this.heard[event].push(listener);
  }
  off(event, listener) {
    this.heard[event] = (this.heard[event] || []).filter((other) => other !== listener);
  }
  save_changes() {}
  send() {}
}

const same = (a, b) =>
  Object.is(a, b) ||
  (Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((one, k) => Object.is(one, b[k])));

const json = (kind) =>
  [...document.querySelectorAll(`script[type="application/vnd.jupyter.widget-${kind}+json"]`)].map((script) => [
    script,
    JSON.parse(script.textContent),
  ]);

function modelOf({ state, buffers = [] }) {
  const own = { ...state };
  for (const { path, data } of buffers) own[path[0]] = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
  return new Model(own);
}

function link({ model_name: kind, state: { source, target } }, models) {
  const [[a, p], [b, q]] = [source, target].map(([id, trait]) => [models[id.slice("IPY_MODEL_".length)], trait]);
  a.on(`change:${p}`, (value) => b.set(q, value));
  if (kind === "LinkModel") b.on(`change:${q}`, (value) => a.set(p, value));
}

// ---- two families of figures: on a grid, and computing ------------------------------------------------
// Of each: its name, the traits that stand in the address, how a trait is read from there and written.
// `read` returns what the figure does not have, "" where all is well.

const onGrid = {
  name: (model) => model.get("spec").name,
  traits: (model) => model.get("spec").axes.map((axis) => axis.name),
  read(model, key, text) {
    const axis = model.get("spec").axes.find((one) => one.name === key);
    if (!axis || !text) return "";
    const name = axis.values.find((value) => isName(value) && onGrid.written(value) === text);
    if (name) model.set(key, name);
    else if (!isName(axis.init) && Number.isFinite(+text))
      model.set(key, axis.values[Math.round(locate(axis.values, +text))]);
    return "";
  },
  // with _ for blanks, and with ~ and a number for what has a meaning in the address
  written: (value) =>
    isName(value)
      ? value.replace(/[%&=,:#_~"<>`]/g, (c) => `~${c.charCodeAt(0).toString(16)}`).replace(/ /g, "_")
      : plain(value, 4),
  /** All of them where one is moved: a grid may start elsewhere in the next edition. */
  moved(model) {
    const { axes } = model.get("spec");
    return axes.every((axis) => model.get(axis.name) === axis.init) ? [] : axes.map((axis) => axis.name);
  },
};

const computing = {
  name: (model) => model.get("name"),
  traits: (model) => Object.keys(kinds[model.get("figure")].traits),
  read(model, key, text) {
    const trait = kinds[model.get("figure")].traits[key];
    if (!trait) return `${key}, which this figure does not have`;
    const value = readOf(trait, text);
    if (value === null) return `${key} = ${text}; it goes from ${trait.low} to ${trait.high}`;
    model.set(key, value);
    return "";
  },
  written: (value) =>
    [value]
      .flat()
      .map((one) => String(+one.toPrecision(6)))
      .join(";"),
  moved: (model) => computing.traits(model).filter((name) => !same(model.get(name), model.start[name])),
};

/** A number or a list of numbers that a trait may have, else null.
    @param {import("../../lib/linear_icl_book/live/types").Trait} trait @param {string} text */
function readOf({ low, high, whole, lengths, points }, text) {
  const numbers = text === "" ? [] : text.split(";").map((one) => (one.trim() === "" ? NaN : +one));
  const index = (k) => points && k % 3 === 0;
  const fits = numbers.every((value, k) =>
    index(k)
      ? Number.isInteger(value) && value >= 0 && value < points
      : value >= low && value <= high && (!whole || Number.isInteger(value)),
  );
  if (!fits) return null;
  if (points)
    return numbers.length % 3 || new Set(numbers.filter((_, k) => index(k))).size < numbers.length / 3 ? null : numbers;
  if (!(lengths ?? [1]).includes(numbers.length)) return null;
  return lengths ? numbers : numbers[0];
}

const familyOf = (model) => (model.get("spec") ? onGrid : computing);

// ---- the address ---------------------------------------------------------------------------------------
// #plateau=sigma:0.01,N:8&step-plane=w:1.5;-1, after the name of a section if there was one. Only
// figures that were moved are in it.

const parts = () => decodeURIComponent(location.hash.slice(1)).split("&").filter(Boolean);

/** Sets the traits of "key:value,key:value"; says beneath the figure what it does not have. */
function setAll(model, text, place) {
  const { read: one } = familyOf(model);
  const wrong = text
    .split(",")
    .map((pair) => one(model, ...[...pair.split(":"), ""].slice(0, 2)))
    .filter(Boolean);
  place?.querySelector(".ex-note")?.remove();
  if (!wrong.length || !place) return;
  const note = document.createElement("p");
  note.className = "ex-note";
  note.setAttribute("role", "status");
  note.textContent = `The address asks for ${wrong.join(", and for ")}. It is left out.`;
  place.append(note);
}

function read(figures, places) {
  for (const part of parts()) {
    const [name, values] = part.split("=");
    const model = values && figures.get(name);
    if (!model) continue;
    if (familyOf(model) === computing) for (const key of computing.traits(model)) model.set(key, model.start[key]);
    setAll(model, values, places.get(name));
  }
}

function write(figures) {
  const section = parts().filter((part) => !part.includes("="));
  const states = [];
  for (const [name, model] of figures) {
    const { moved, written } = familyOf(model);
    const own = moved(model);
    if (own.length) states.push(`${name}=${own.map((key) => `${key}:${written(model.get(key))}`).join(",")}`);
  }
  try {
    const hash = [...section, ...states].join("&");
    history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
  } catch {
    // an address that may not change, as in some viewers of local files
  }
}

/** Where a shared address leads: its section, or else its first figure. */
function arrive(figures, places) {
  const [first, second] = parts();
  if (!first || !(first + second).includes("=")) return; // a plain anchor is the browser's own affair
  const section = !first.includes("=") && document.getElementById(first);
  const goal = section || (figures.has(first.split("=")[0]) && places.get(first.split("=")[0]));
  if (goal) goal.scrollIntoView({ block: section ? "start" : "center" });
}

// ---- all of it -------------------------------------------------------------------------------------------

/** Replaces the image by the figure; the image stands where that fails. */
function mountOne(box, model) {
  const host = document.createElement("div");
  host.className = "live-mount";
  box.append(host);
  box.classList.add("is-mounting"); // laid out, so that the figure knows its width
  try {
    kinds[model.get("figure") ?? "live"].render({ model, el: host });
    box.classList.add("is-live");
  } catch (error) {
    host.remove();
    console.error("live figure:", error);
  }
  box.classList.remove("is-mounting");
}

/** Words of the prose that set a figure of the page (book/_ext/figure_set.py) become a link where it
    is live. What they do not name goes back to its start, so that they always lead to one state. */
function makeLinks(figures, places) {
  /** @type {NodeListOf<HTMLElement>} */
  const said = document.querySelectorAll("[data-figure][data-set]");
  for (const words of said) {
    const { figure, set } = words.dataset;
    const [model, place] = [figures.get(figure), places.get(figure)];
    if (!place?.closest(".live-box.is-live")) continue;
    const link = document.createElement("a");
    link.href = `#${figure}=${set}`; // to be copied, or opened beside
    words.replaceWith(link);
    link.append(words);
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault(); // the address follows by itself
      for (const key of familyOf(model).traits(model)) model.set(key, structuredClone(model.start[key]));
      setAll(model, set, place);
      if (!inSight(place)) place.scrollIntoView({ block: "center" });
    });
  }
}

/** Whether half of it is in the window, or half of the window shows it. */
function inSight(place) {
  const { top, bottom, height } = place.getBoundingClientRect();
  return Math.min(bottom, innerHeight) - Math.max(top, 0) >= 0.5 * Math.min(height, innerHeight);
}

/** Keeps the address and the figures in step. An address that came since the last write is read
    first: its own event may come after the timer of a figure moved just before. */
function keepAddress(figures, places) {
  let timer = 0;
  let known = location.hash;
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(settle, 200); // browsers limit how often it may change
  };
  const hear = () => {
    if (location.hash === known) return;
    known = location.hash;
    read(figures, places);
  };
  const settle = () => {
    hear();
    clearTimeout(timer); // what was read is written now
    write(figures);
    known = location.hash;
  };
  for (const model of figures.values()) {
    for (const name of familyOf(model).traits(model)) model.on(`change:${name}`, later);
  }
  addEventListener("hashchange", hear);
}

function mount() {
  const states = Object.assign({}, ...json("state").map(([, { state }]) => state));
  const isLink = ([, { model_name: kind }]) => /LinkModel$/.test(kind);
  const models = Object.fromEntries(
    Object.entries(states)
      .filter((entry) => !isLink(entry))
      .map(([id, own]) => [id, modelOf(own)]),
  );
  const figures = new Map();
  const places = new Map();
  for (const [script, { model_id: id }] of json("view")) {
    const model = models[id];
    if (!model || [...figures.values()].includes(model)) continue;
    const name = familyOf(model).name(model);
    const taken = [...figures.keys()].filter((other) => other.replace(/-\d+$/, "") === name).length;
    figures.set(taken ? `${name}-${taken + 1}` : name, model);
    places.set([...figures.keys()].pop(), script.parentElement);
  }
  read(figures, places);
  Object.entries(states)
    .filter(isLink)
    .forEach(([, own]) => link(own, models));
  for (const [script, { model_id: id }] of json("view")) {
    const box = script.closest(".live-box");
    if (box && models[id]) mountOne(box, models[id]);
  }
  keepAddress(figures, places);
  makeLinks(figures, places);
  arrive(figures, places);
}

mount();
