// A recorded transformer, run where the reader is: the forward pass of linear_icl.nonlinear.model for
// columns, softmax, MLPs, normalisations and learned positions. transformer.py compares it with torch.
//
// A token is a list of `width` numbers, a matrix a list of its rows one after the other.

const DELTA = 1e-5; // what torch adds to a variance before it divides by its root

/** The models of a file of weights: `float32` holds for each all parameters in a row, in base64. */
export const read = ({ layers, heads, width, shapes, float32 }) =>
  float32.map((packed) => {
    const text = atob(packed);
    const bytes = new Uint8Array(text.length);
    for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
    const row = new Float32Array(bytes.buffer);
    let end = 0;
    const values = shapes.map(([name, shape]) => {
      const start = end;
      end += shape.reduce((a, b) => a * b, 1);
      return [name, row.subarray(start, end)];
    });
    return { layers, heads, width, values: Object.fromEntries(values) };
  });

// ---- maps of one token ---------------------------------------------------------------------------------

function linear(rows, bias, token) {
  const [size, made] = [token.length, Float64Array.from(bias)];
  for (let i = 0, k = 0; i < made.length; i++) for (let j = 0; j < size; j++, k++) made[i] += rows[k] * token[j];
  return made;
}

function add(token, other) {
  for (let k = 0; k < token.length; k++) token[k] += other[k];
}

function normal(scale, shift, token) {
  const size = token.length;
  let [mean, variance] = [0, 0];
  for (let k = 0; k < size; k++) mean += token[k] / size;
  for (let k = 0; k < size; k++) variance += (token[k] - mean) ** 2 / size;
  return token.map((value, k) => ((value - mean) / Math.sqrt(variance + DELTA)) * scale[k] + shift[k]);
}

/** x times the share of a standard Gaussian law below x. The series of the error function has positive
    terms only, so it loses no digits. */
export function gelu(x) {
  if (Math.abs(x) > 9) return Math.max(x, 0);
  let [term, sum] = [x, x];
  for (let n = 3; Math.abs(term) > 1e-17 * Math.abs(sum); n += 2) sum += term *= (x * x) / n;
  return x * (0.5 + (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI));
}

function softmax(scores) {
  const top = Math.max(...scores);
  const raised = scores.map((score) => Math.exp(score - top));
  const total = raised.reduce((sum, value) => sum + value, 0);
  return raised.map((value) => value / total);
}

// ---- a prompt ------------------------------------------------------------------------------------------

/** The token of (x, y) at this place through all blocks. It sees `before`, the keys and values of the
    examples before it, block by block, and itself, which it adds to `own`. `rows`: by block and head,
    how it shares its attention among those, itself last. */
function pass({ layers, heads, width, values: w }, before, x, y, place) {
  const token = linear(w["read.weight"], w["read.bias"], [x, y]);
  add(token, w.positions.subarray(place * width, (place + 1) * width));
  const [own, rows, size] = [[], [], width / heads];
  for (let b = 0; b < layers; b++) {
    const of = (name) => w[`blocks.${b}.${name}`];
    const seen = normal(of("norm_1.weight"), of("norm_1.bias"), token);
    const [query, key, value] = ["query", "key", "value"].map((name, k) =>
      linear(of(name), of("bias").subarray(k * width, (k + 1) * width), seen),
    );
    own[b] = { key, value };
    const all = [...before.map((one) => one[b]), own[b]];
    const mixed = new Float64Array(width);
    rows[b] = Array.from({ length: heads }, (_, h) => {
      const [from, to] = [h * size, (h + 1) * size];
      const scores = all.map((one) => {
        let score = 0;
        for (let k = from; k < to; k++) score += query[k] * one.key[k];
        return score / Math.sqrt(size);
      });
      const row = softmax(scores);
      row.forEach((share, i) => {
        for (let k = from; k < to; k++) mixed[k] += share * all[i].value[k];
      });
      return row;
    });
    add(token, linear(of("out.weight"), of("out.bias"), mixed));
    const given = normal(of("norm_2.weight"), of("norm_2.bias"), token);
    const inner = linear(of("up.weight"), of("up.bias"), given).map(gelu);
    add(token, linear(of("down.weight"), of("down.bias"), inner));
  }
  return { token, own, rows };
}

/** What a model keeps of a prompt's examples [x, y]: each sees itself and those before it. */
export function memory(model, examples) {
  const kept = [];
  for (const [x, y] of examples) kept.push(pass(model, kept, x, y, kept.length).own);
  return kept;
}

/** What the model answers to x after the examples that it keeps, and how it shares its attention. */
export function ask(model, kept, x) {
  const { token, rows } = pass(model, kept, x, 0, kept.length);
  const w = model.values;
  return {
    answer: linear(w["write.weight"], w["write.bias"], normal(w["norm.weight"], w["norm.bias"], token))[0],
    rows,
  };
}
