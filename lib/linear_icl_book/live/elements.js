// Elements, paths through pixels, and places for the entries of a legend.

const SVG = "http://www.w3.org/2000/svg";

export function element(name, attributes = {}, ...children) {
  const svg = ["svg", "path", "line", "text", "desc", "g", "clipPath", "rect"].includes(name);
  const node = svg ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

export const round = (pixels) => Math.round(pixels * 100) / 100;

/** Path through the pixels; a gap where either is not a number. */
export function pathThrough(xs, ys) {
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
export function stripBetween(xs, lows, highs) {
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
export function dotsAt(xs, ys) {
  let d = "";
  for (let j = 0; j < ys.length; j++) {
    if (Number.isFinite(xs[j]) && Number.isFinite(ys[j])) d += `M${round(xs[j])} ${round(ys[j])}h0`;
  }
  return d;
}

/** Tops of boxes of these heights that are as near as possible to where they want to be, inside
    `room` and without overlap: boxes that would overlap form a block around their common goal. */
export function spread(wanted, heights, room) {
  const order = wanted.map((_, k) => k).sort((a, b) => wanted[a] - wanted[b]);
  for (let i = 1; i < order.length; i++) {
    // lines that end together keep the order of the figure
    for (let j = i; j && order[j - 1] > order[j] && wanted[order[j]] - wanted[order[j - 1]] < 3; j--)
      [order[j - 1], order[j]] = [order[j], order[j - 1]];
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
