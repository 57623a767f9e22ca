// node typeset.mjs NODE_MODULES: reads {tex, display, letters, plain} per line, answers {svg, mathml, glyphs} or {error}.
// svg is a list: between its entries a line may break.
// One formula becomes flat SVG (glyphs referred to by id, so that a page holds each outline once) for the eye
// and MathML for a screen reader. Started and spoken to by typeset.py.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const require = createRequire(`${process.argv[2]}/`);
const load = (name) => require(`mathjax-full/js/${name}`);
const { mathjax } = load("mathjax.js");
const { TeX } = load("input/tex.js");
const { SVG } = load("output/svg.js");
const { liteAdaptor } = load("adaptors/liteAdaptor.js");
const { AllPackages } = load("input/tex/AllPackages.js");
const { TEXCLASS } = load("core/MmlTree/MmlNode.js");
load("handlers/html.js").RegisterHTMLHandler(liteAdaptor());

// Without these two packages an unknown macro or a missing brace is an error, not red ink on the page.
const packages = AllPackages.filter((name) => name !== "noundefined" && name !== "noerrors");
let problem = null;
const formatError = (jax, error) => {
  problem = error.message;
  return jax.formatError(error);
};
const input = new TeX({ packages, formatError });
const output = new SVG({ fontCache: "local" });
const doc = mathjax.document("", { InputJax: input, OutputJax: output });

// ---- the book's coloured letters -------------------------------------------------------------------------

const textOf = (node) =>
  node.kind === "text" ? node.getText() : node.childNodes.map((c) => (c ? textOf(c) : "")).join("");
const LETTER_VARIANTS = new Set([undefined, "italic", "normal"]); // not bold, calligraphic, blackboard

function isLetter(node) {
  while ((node.kind === "TeXAtom" || node.isInferred) && node.childNodes.length === 1) node = node.childNodes[0];
  return node.kind === "mi" && LETTER_VARIANTS.has(node.attributes.getExplicit("mathvariant"));
}

function colour(node, { letters, plain }) {
  if (!node || node.kind === "text") return;
  const inside = (children) => children.forEach((child) => colour(child, { letters, plain }));
  if ((node.kind === "msub" || node.kind === "msubsup") && isLetter(node.childNodes[0])) {
    const [base, sub, sup] = node.childNodes;
    const letter = textOf(base),
      index = textOf(sub).replace(/\u2212/g, "-");
    if (!plain.includes(`${letter}_${index}`)) {
      const name = letters[`${letter}_${index}`] ?? letters[`${letter}_${index.split(",")[0]}`] ?? letters[letter];
      if (name && node.kind === "msub") node.attributes.set("class", name);
      else if (name) [base, sub].forEach((part) => part.attributes.set("class", name));
      else inside([sub]);
    }
    return inside([sup]);
  }
  if (node.kind === "mi" && isLetter(node) && letters[textOf(node)])
    node.attributes.set("class", letters[textOf(node)]);
  inside(node.childNodes);
}

// ---- flat SVG --------------------------------------------------------------------------------------------

const round = (x) => String(Math.round(x));
const attributes = (pairs) =>
  pairs
    .filter(([, v]) => v !== undefined && v !== "")
    .map(([k, v]) => ` ${k}="${v}"`)
    .join("");
const at = (x, y) =>
  attributes([
    ["x", Math.round(x) ? round(x) : ""],
    ["y", Math.round(y) ? round(y) : ""],
  ]);
const glyphOf = (link) => `mx${link.replace(/^#?MJX-\d+-TEX/, "")}`; // mx-I-1D448: italic U
const verbatim = (node) =>
  doc.adaptor
    .outerHTML(node)
    .replace(/ (?:data-[\w-]+|xmlns:xlink)="[^"]*"/g, "")
    .replace(/xlink:href="([^"]*)"/g, (_, link) => `href="#${glyphOf(link)}"`);

/** [x, y, scale] of a transform made of translations and uniform scales, null for any other. */
function placement(transform = "") {
  let x = 0,
    y = 0,
    scale = 1,
    rest = transform;
  for (const [step, name, list] of transform.matchAll(/(\w+)\(([^)]*)\)/g)) {
    const [a, b] = list.split(/[\s,]+/).map(Number);
    if (name === "translate") {
      x += scale * a;
      y += scale * (b || 0);
    } else if (name === "scale" && (b === undefined || b === a)) scale *= a;
    else return null;
    rest = rest.replace(step, "");
  }
  return rest.trim() ? null : [x, y, scale];
}

/** Serialise an SVG element, its translation (x, y) pushed down to the glyphs. */
function flat(node, x, y, used) {
  if (node.kind === "defs") return "";
  if (node.kind === "use") {
    const id = glyphOf(node.attributes["xlink:href"]),
      place = placement(node.attributes.transform);
    used.add(id);
    if (place && place[2] === 1) return `<use href="#${id}"${at(x + place[0], y + place[1])}/>`;
  }
  if (node.kind === "rect" && !node.attributes.transform) {
    const { width, height, x: left = 0, y: low = 0, ...rest } = node.attributes;
    return (
      `<rect${attributes([
        ["width", round(+width)],
        ["height", round(+height)],
      ])}${at(x + +left, y + +low)}` + `${attributes(Object.entries(rest).filter(([k]) => !k.startsWith("data-")))}/>`
    );
  }
  const place = node.kind === "g" ? placement(node.attributes.transform) : null;
  if (!place) {
    for (const use of doc.adaptor.tags(node, "use")) used.add(glyphOf(use.attributes["xlink:href"]));
    const text = verbatim(node);
    return Math.round(x) || Math.round(y) ? `<g transform="translate(${round(x)},${round(y)})">${text}</g>` : text;
  }
  const [dx, dy, scale] = place,
    scaled = scale !== 1;
  const kept = ["class", "fill", "stroke", "style"].map((name) => [name, node.attributes[name]?.trim()]);
  const inner = node.children.map((c) => flat(c, scaled ? 0 : x + dx, scaled ? 0 : y + dy, used)).join("");
  if (scaled) kept.push(["transform", `translate(${round(x + dx)},${round(y + dy)})scale(${+scale.toFixed(3)})`]);
  if (!kept.some(([, v]) => v)) return inner;
  const [, glyph] = inner.match(/^<use href="([^"]*)"\/>$/) ?? []; // a lone glyph needs no group
  return glyph ? `<use href="${glyph}"${attributes(kept)}/>` : `<g${attributes(kept)}>${inner}</g>`;
}

const LONG = 9000; // thousandths of an em: a longer inline formula may break, as in TeX, after
const BREAK_AFTER = new Map([
  [TEXCLASS.REL, LONG / 4],
  [TEXCLASS.PUNCT, LONG / 4],
  [TEXCLASS.BIN, LONG],
]); // this much

/** [start, end) of the pieces into which a line may break an inline formula, and the elements of each. */
function pieces(root, elements, width) {
  const row = root.childNodes[0].childNodes,
    all = [{ from: 0, to: width, elements }];
  if (width < LONG || row.length !== elements.length) return all;
  const left = elements.map((e) => placement(e.attributes.transform)?.[0]);
  if (left.includes(undefined)) return all;
  const cuts = [0];
  row.forEach((node, k) => {
    const since = k && k + 1 < row.length ? left[k + 1] - left[cuts.at(-1)] : 0;
    if (since > (BREAK_AFTER.get(node.texClass) ?? Infinity)) cuts.push(k + 1);
  });
  return cuts.map((k, i) => ({
    from: left[k],
    to: i + 1 < cuts.length ? left[cuts[i + 1]] : width,
    elements: elements.slice(k, cuts[i + 1]),
  }));
}

const COLUMN = 16000; // about what a phone shows; a display wider than this may break, where it has to,
const NAME = 2500; // at wide gaps, before a relation and before a term of a sum, if this much
const SUM = 4000; // came before
const alone = (node) => (node.childNodes?.length === 1 ? alone(node.childNodes[0]) : node);
const base = (node) => (/^ms(up|ub|ubsup)$/.test(node.kind) ? node.childNodes[0] : node);
const isGap = (node) => alone(node).kind === "mspace" && parseFloat(alone(node).attributes.get("width")) >= 0.9;

/** The same of a display. Brackets and bars stay whole; a gap is left out at the end of a line. */
function rows(root, elements, width) {
  const row = root.childNodes[0].childNodes,
    all = [{ from: 0, to: width, elements }];
  if (width < COLUMN || row.length !== elements.length) return all;
  const left = elements.map((e) => placement(e.attributes.transform)?.[0]);
  if (left.includes(undefined)) return all;
  const found = [];
  let first = 0,
    depth = 0,
    bars = 0;
  const cut = (end, start) => {
    if (end > first)
      found.push({
        from: left[first] ?? 0,
        to: left[end],
        elements: elements.slice(first, end),
        gap: left[start] - left[end],
      });
    first = start;
  };
  row.forEach((node, k) => {
    const open = depth || bars % 2,
      since = left[k] - left[first];
    if (k && k + 1 < row.length && !open) {
      if (isGap(node)) cut(k, k + 1);
      else if (node.texClass === TEXCLASS.REL && row[k - 1].texClass !== TEXCLASS.REL && since > NAME) cut(k, k);
      else if (node.texClass === TEXCLASS.BIN && since > SUM) cut(k, k);
    }
    depth += (node.texClass === TEXCLASS.OPEN) - (node.texClass === TEXCLASS.CLOSE);
    if (/^[|∣∥‖]$/u.test(textOf(base(node)))) bars += 1;
  });
  return [...found, { from: left[first], to: width, elements: elements.slice(first) }];
}

function drawing(item, display, used) {
  const svg = item.typesetRoot.children.find((c) => c.kind === "svg");
  const [, top, width, height] = svg.attributes.viewBox.split(" ").map(Number);
  const perEx = width / parseFloat(svg.attributes.width),
    ex = (v) => `${+(v / perEx).toFixed(3)}ex`;
  const page = svg.children.find((c) => c.kind === "g"); // flips the y axis
  const math =
    page.children.length === 1 && page.children[0].attributes["data-mml-node"] === "math" ? page.children[0] : page;
  const parts = (display ? rows : pieces)(item.root, math.children, width);
  return parts.map(
    ({ from, to, elements, gap }) =>
      `<svg aria-hidden="true" width="${ex(to - from)}" height="${ex(height)}" viewBox="0 ${round(top)} ${round(to - from)} ${round(height)}" ` +
      `style="vertical-align:${ex(-(top + height))}"><g transform="scale(1,-1)">${elements.map((e) => flat(e, -from, 0, used)).join("")}</g></svg>${gap ? `<span style="word-spacing:calc(${ex(gap)} - .25em)"> </span>` : ""}`,
  );
}

// ---- MathML ----------------------------------------------------------------------------------------------

const ESCAPE = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text) => text.replace(/[&<>"]/g, (c) => ESCAPE[c]);
const SPOKEN = ["mathvariant", "open", "close", "linethickness", "notation"]; // attributes that change what is read out

function mathml(node) {
  if (node.kind === "text") return escaped(node.getText());
  const children = node.childNodes.map((c) => (c ? mathml(c) : "")).join("");
  if (node.isInferred || (node.kind === "TeXAtom" && node.childNodes[0].childNodes.length === 1)) return children;
  if (node.kind === "mspace" || node.kind === "mpadded" || node.kind === "mstyle")
    return node.kind === "mspace" ? "" : `<mrow>${children}</mrow>`;
  const kept = SPOKEN.map((name) => [name, node.attributes.getExplicit(name)]).filter(
    ([, v]) => !String(v).startsWith("-tex"),
  );
  const tag = node.kind === "TeXAtom" ? "mrow" : node.kind;
  return `<${tag}${attributes(kept)}>${children}</${tag}>`;
}

// ---- one line in, one line out ---------------------------------------------------------------------------

function answer({ tex, display, letters, plain }) {
  problem = null;
  const item = new doc.options.MathItem(tex, input, display);
  item.setMetrics(16, 8, 1280, 1e7, 1);
  item.compile(doc);
  item.root.walkTree((node) => {
    if (node.kind === "mlabeledtr") problem = "a \\tag: label the equation instead, Sphinx numbers it";
  });
  if (problem) return { error: problem };
  colour(item.root, { letters, plain });
  item.typeset(doc);
  const used = new Set(),
    svg = drawing(item, display, used),
    glyphs = {};
  for (const path of doc.adaptor.tags(item.typesetRoot, "path")) {
    const id = glyphOf(path.attributes.id ?? "");
    if (used.has(id)) glyphs[id] = path.attributes.d;
  }
  return { svg, mathml: mathml(item.root), glyphs };
}

for await (const line of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(answer(JSON.parse(line)))}\n`);
