
// ---- the static page: figures without a kernel, their values in the address ------------------------
// Shares its scope with live.js. Reads the widget states and views in the page, plays the part of the
// notebook's models, and leaves the image standing where anything goes wrong.

/** An anywidget model with nothing behind it. */
class Model {
  constructor(state) {
    Object.assign(this, { state, heard: {} });
  }
  get(name) {
    return this.state[name];
  }
  set(name, value) {
    if (Object.is(this.state[name], value)) return;
    this.state[name] = value;
    for (const listener of this.heard[`change:${name}`] || []) listener(value);
  }
  on(event, listener) {
    (this.heard[event] ||= []).push(listener);
  }
  off(event, listener) {
    this.heard[event] = (this.heard[event] || []).filter((other) => other !== listener);
  }
  save_changes() {}
  send() {}
}

const json = (kind) => [...document.querySelectorAll(`script[type="application/vnd.jupyter.widget-${kind}+json"]`)]
  .map((script) => [script, JSON.parse(script.textContent)]);

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

// The address: #plateau=sigma:0.01,N:8&phase=u:0.5, after the name of a section if there was one.
// Only figures that were moved are in it. A name is written with _ for blanks, and with ~ and a
// number for what has a meaning there.
const parts = () => decodeURIComponent(location.hash.slice(1)).split("&").filter(Boolean);

const written = (value) => (isName(value)
  ? value.replace(/[%&=,:#_~"<>`]/g, (c) => `~${c.charCodeAt(0).toString(16)}`).replace(/ /g, "_")
  : plain(value, 4));

function read(figures) {
  for (const part of parts()) {
    const [name, values] = part.split("=");
    const model = values && figures.get(name);
    if (!model) continue;
    for (const pair of values.split(",")) {
      const [key, text] = pair.split(":");
      const axis = model.get("spec").axes.find((one) => one.name === key);
      if (!axis || !text) continue;
      const name = axis.values.find((value) => isName(value) && written(value) === text);
      if (name) model.set(key, name);
      else if (!isName(axis.init) && Number.isFinite(+text)) model.set(key, axis.values[Math.round(locate(axis.values, +text))]);
    }
  }
}

function write(figures) {
  const section = parts().filter((part) => !part.includes("="));
  const states = [];
  for (const [name, model] of figures) {
    const { axes } = model.get("spec");
    if (axes.every((axis) => model.get(axis.name) === axis.init)) continue;
    states.push(`${name}=${axes.map((axis) => `${axis.name}:${written(model.get(axis.name))}`).join(",")}`);
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

function mount() {
  const states = Object.assign({}, ...json("state").map(([, { state }]) => state));
  const isLink = ([, { model_name: kind }]) => /LinkModel$/.test(kind);
  const models = Object.fromEntries(Object.entries(states).filter((entry) => !isLink(entry)).map(([id, own]) => [id, modelOf(own)]));
  const figures = new Map();
  const places = new Map();
  for (const [script, { model_id: id }] of json("view")) {
    const model = models[id];
    if (!model || [...figures.values()].includes(model)) continue;
    const { name } = model.get("spec");
    const taken = [...figures.keys()].filter((other) => other.replace(/-\d+$/, "") === name).length;
    figures.set(taken ? `${name}-${taken + 1}` : name, model);
    places.set([...figures.keys()].pop(), script.parentElement);
  }
  read(figures);
  Object.entries(states).filter(isLink).forEach(([, own]) => link(own, models));
  for (const [script, { model_id: id }] of json("view")) {
    const box = script.closest(".live-box");
    if (!box || !models[id]) continue;
    const host = document.createElement("div");
    host.className = "live-mount";
    box.append(host);
    box.classList.add("is-mounting"); // laid out, so that the figure knows its width
    try {
      render({ model: models[id], el: host });
      box.classList.add("is-live");
    } catch (error) {
      host.remove();
      console.error("live figure:", error);
    }
    box.classList.remove("is-mounting");
  }
  let timer = 0;
  for (const model of figures.values()) {
    for (const axis of model.get("spec").axes) {
      model.on(`change:${axis.name}`, () => {
        clearTimeout(timer);
        timer = setTimeout(() => write(figures), 200); // browsers limit how often it may change
      });
    }
  }
  addEventListener("hashchange", () => read(figures));
  arrive(figures, places);
}

const begun = performance.now();
mount();
document.documentElement.dataset.liveMountMs = (performance.now() - begun).toFixed(1);
