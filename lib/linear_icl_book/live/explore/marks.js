// What the figures are drawn with, as text: it works without a DOM, so that the image of a figure is
// made by the code that draws it live. Colours are roles (`--c`), their values stand in marks.css.

/** An SVG element as text; an attribute that is null is left out. */
export function tag(name, attributes, content = "") {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => ` ${key}="${value}"`);
  return `<${name}${written.join("")}>${content}</${name}>`;
}

export const ink = (role) => `--c:var(--ex-${role})`;

// ---- numbers -------------------------------------------------------------------------------------

export const px = (value) => Math.round(value * 10) / 10;
const minus = (text) => text.replace("-", "−");

/** Two decimals for what is read at a glance, three digits for what is small, powers of ten beyond. */
export function fixed(value) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size < 5e-13) return "0";
  if (size >= 0.0995 && size < 99.5) return minus(value.toFixed(2));
  if (size >= 99.5 && size < 99999.5) return minus(value.toFixed(0));
  if (size >= 0.00095 && size < 1) return minus(value.toFixed(size < 0.00995 ? 4 : 3));
  const [mantissa, exponent] = value.toExponential(1).split("e");
  const raised = [...String(+exponent)].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c])).join("");
  return mantissa === "1.0" ? `10${raised}` : `${minus(mantissa)} × 10${raised}`;
}

export const pair = ([a, b]) => `(${fixed(a)}, ${fixed(b)})`;

// ---- shapes around (0, 0) ----------------------------------------------------------------------------

export const ring = (r) => `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
export const diamond = (r) => `M0 ${-r}L${r} 0L0 ${r}L${-r} 0z`;
export const star = (r) =>
  `M${Array.from({ length: 10 }, (_, k) => {
    const size = k % 2 ? 0.42 * r : r;
    const angle = (Math.PI * (k - 2.5)) / 5;
    return `${px(size * Math.cos(angle))} ${px(size * Math.sin(angle))}`;
  }).join("L")}z`;

/** A shape of a role at a value in a plane; its kind is ex-full, ex-open, … of the style sheet. */
export const mark = (plane, at, d, kind, role) =>
  tag("path", { class: kind, style: ink(role), d, transform: `translate(${plane.at(at).map(px).join(" ")})` });

// ---- planes ------------------------------------------------------------------------------------------

const GAP = 26; // px between planes side by side

/** A frame of pixels over a rectangle of values. */
export class Plane {
  constructor({ x, y, left, right, top, bottom }) {
    this.x = x;
    this.y = y;
    this.left = left;
    this.right = right;
    this.top = top;
    this.bottom = bottom;
    this.across = (right - left) / (x[1] - x[0]);
    this.up = (bottom - top) / (y[1] - y[0]);
  }

  /** @param {number[]} at */
  at([a, b]) {
    return [this.left + (a - this.x[0]) * this.across, this.bottom - (b - this.y[0]) * this.up];
  }

  /** @param {number[]} place */
  value([p, q]) {
    return [this.x[0] + (p - this.left) / this.across, this.y[0] + (this.bottom - q) / this.up];
  }

  /** The nearest value in the frame: where a hand is held, never where a result is drawn.
      @param {number[]} at */
  nearest([a, b]) {
    const held = (v, [low, high]) => Math.min(high, Math.max(low, v));
    return [held(a, this.x), held(b, this.y)];
  }

  /** @param {number[]} at */
  holds([a, b]) {
    return a >= this.x[0] && a <= this.x[1] && b >= this.y[0] && b <= this.y[1];
  }

  /** Where the way from a value inside to one outside crosses the frame. */
  exit(from, to) {
    const room = (k, [low, high]) => {
      const way = to[k] - from[k];
      return way > 0 ? (high - from[k]) / way : way < 0 ? (low - from[k]) / way : Infinity;
    };
    const share = Math.max(0, Math.min(1, room(0, this.x), room(1, this.y)));
    return [from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])];
  }

  /** The path through these values; a gap where one is not a number. */
  path(values) {
    let [d, pen] = ["", "M"];
    for (const value of values) {
      const [p, q] = this.at(value);
      const there = Number.isFinite(p + q);
      if (there) d += `${pen}${px(p)} ${px(q)}`;
      pen = there ? "L" : "M";
    }
    return d;
  }

  /** Rules at the ticks, the axes heavier, numbers at the foot and at the left, and what is measured. */
  frame({ x = [], y = [], names = ["", ""], styles = [null, null] }) {
    const rule = (v, d) => tag("path", { class: v === 0 ? "ex-axis" : "ex-rule", d });
    const number = (v, place) => tag("text", { class: "ex-tick", ...place }, minus(String(v)));
    const [columns, rows] = [x.map((v) => px(this.at([v, 0])[0])), y.map((v) => px(this.at([0, v])[1]))];
    return (
      x
        .map(
          (v, k) =>
            rule(v, `M${columns[k]} ${this.bottom}V${this.top}`) +
            number(v, { x: columns[k], y: this.bottom + 16, "text-anchor": "middle" }),
        )
        .join("") +
      y
        .map(
          (v, k) =>
            rule(v, `M${this.left} ${rows[k]}H${this.right}`) +
            number(v, { x: this.left - 6, y: rows[k] + 4, "text-anchor": "end" }),
        )
        .join("") +
      tag(
        "text",
        { class: "ex-name", style: styles[0], x: this.right, y: this.bottom + 17, "text-anchor": "end" },
        names[0],
      ) +
      tag(
        "text",
        { class: "ex-name", style: styles[1], x: this.left - 6, y: this.top + 11, "text-anchor": "end" },
        names[1],
      )
    );
  }

  clip(id) {
    return tag(
      "clipPath",
      { id },
      tag("rect", { x: this.left, y: this.top, width: this.right - this.left, height: this.bottom - this.top }),
    );
  }
}

/** Square planes side by side in a figure of this width, or one under another: the side of each, and
    the frame of a plane in it. */
export function squares(width, count) {
  const side = width < 560 || count < 2 ? Math.min(width, count < 2 ? 420 : 340) : Math.floor((width - GAP) / 2);
  return { side, frame: { left: 30, right: side - 6, top: 8, bottom: side - 28 } };
}

/** Squares side by side in a still image. */
export const sideBySide = (side, drawings, down = 0) =>
  drawings.map((drawing, k) => tag("g", { transform: `translate(${k * (side + GAP)} ${down})` }, drawing)).join("");

/** A point; above the frame an arrow with its number. */
export function pin(plane, at, kind, role) {
  if (plane.holds(at)) return mark(plane, at, ring(6.5), kind, role);
  const edge = plane.at(plane.nearest(at));
  const anchor = edge[0] > plane.right - 70 ? "end" : "start";
  return tag(
    "text",
    { class: "ex-word", style: ink(role), x: px(edge[0]), y: px(plane.top + 14), "text-anchor": anchor },
    `↑ ${fixed(at[1])} at ${fixed(at[0])}`,
  );
}

/** The ellipse with half-axes (in values) at an angle, around a centre; for planes with equal units. */
export function ellipse(plane, centre, halves, angle, attributes) {
  const [rx, ry] = halves.map((half) => px(Math.min(2e4, Math.max(0.4, half * plane.across))));
  const place = `translate(${plane.at(centre).map(px).join(" ")}) rotate(${px((-angle * 180) / Math.PI)})`;
  return tag("path", {
    ...attributes,
    transform: place,
    d: `M${-rx} 0a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0z`,
  });
}

/** The line {v : vᵀn = c} across a plane, "" for n = 0. */
export function lineOf(plane, [a, b], c, attributes) {
  const square = a * a + b * b;
  if (square < 1e-12) return "";
  const reach = (20 * (plane.x[1] - plane.x[0])) / Math.sqrt(square);
  const ends = [-reach, reach].map((t) => [(a * c) / square - b * t, (b * c) / square + a * t]);
  return tag("path", { ...attributes, d: plane.path(ends) });
}

/** An arrow. One that leaves the frame ends there, dotted and without a head. */
export function arrow(plane, from, to, attributes, size = 10) {
  const inside = plane.holds(to);
  const [a, b] = [plane.at(from), plane.at(plane.exit(from, to))];
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
  if (!(length >= 1)) return "";
  const [e, f] = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
  const head = Math.min(size, 0.6 * length);
  const behind = (along, aside) => `${px(b[0] - along * e - aside * f)} ${px(b[1] - along * f + aside * e)}`;
  const shaft = tag("path", {
    class: "ex-shaft",
    "stroke-dasharray": inside ? null : "1 5",
    d: `M${px(a[0])} ${px(a[1])}L${behind(inside ? 0.8 * head : 0, 0)}`,
  });
  const point = tag("path", {
    class: "ex-head",
    d: `M${behind(0, 0)}L${behind(head, 0.42 * head)}L${behind(head, -0.42 * head)}z`,
  });
  return tag("g", attributes, shaft + (inside ? point : ""));
}

// ---- words beside marks --------------------------------------------------------------------------------

const PLACES = [
  [13, 0],
  [-13, 0],
  [0, -19],
  [0, 19],
  [12, -14],
  [12, 14],
  [-12, -14],
  [-12, 14],
  [16, -28],
  [-16, 28],
  [0, -40],
  [0, 40],
  [-16, -44],
  [-16, 52],
  [16, -44],
  [16, 52],
];

const overlap = (a, b) =>
  Math.max(0, Math.min(a[2], b[2]) - Math.max(a[0], b[0])) * Math.max(0, Math.min(a[3], b[3]) - Math.max(a[1], b[1]));

/** Words beside points, [{at, text, role, dim}] in pixels, over no other word and no mark [x, y, r]: each
    takes the best of sixteen places in turn. */
export function words(plane, wanted, marks, size = 13) {
  const taken = marks.map(([p, q, r]) => [p - r, q - r, p + r, q + r]);
  return wanted
    .map(({ at: [p, q], text, role, dim }) => {
      const wide = 0.545 * size * text.length;
      const boxes = PLACES.map(([dx, dy]) => {
        const left = p + dx - (dx > 0 ? 0 : dx < 0 ? wide : wide / 2);
        return [left, q + dy - 0.62 * size, left + wide, q + dy + 0.62 * size];
      });
      const cost = (box, k) => {
        const out =
          Math.max(0, plane.left + 2 - box[0]) +
          Math.max(0, box[2] + 2 - plane.right) +
          Math.max(0, plane.top - box[1]) +
          Math.max(0, box[3] - plane.bottom);
        return taken.reduce((sum, other) => sum + 6 * overlap(box, other), 60 * out + 5 * k);
      };
      const costs = boxes.map(cost);
      const best = boxes[costs.indexOf(Math.min(...costs))];
      taken.push(best);
      return tag(
        "text",
        {
          class: `ex-word${dim ? " is-dim" : ""}${size > 14 ? " ex-large" : ""}`,
          style: ink(role),
          x: px(best[0]),
          y: px(best[3] - 0.28 * size),
        },
        text,
      );
    })
    .join("");
}
