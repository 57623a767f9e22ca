// The closed forms of the book in two dimensions: what the figures compute while the reader drags.
// No state, no DOM, no dependency. agreement.py compares every function with the package.
//
// A matrix is [a11, a12, a21, a22], a vector [v1, v2]. Dimension one is Λ = diag(λ, 0): whatever
// points in the second direction is multiplied by zero, and `problem` knows it by that form.

// ---- algebra -------------------------------------------------------------------------------------

export const identity = [1, 0, 0, 1];
export const silence = [0, 0];
export const plus = (p, q) => p.map((value, k) => value + q[k]);
export const minus = (p, q) => p.map((value, k) => value - q[k]);
export const times = (factor, p) => p.map((value) => factor * value);
/** Σ pₖqₖ of two vectors, or of two matrices tr(ABᵀ). */
export const inner = (p, q) => p.reduce((sum, value, k) => sum + value * q[k], 0);
export const norm = (p) => Math.hypot(...p);
/** @type {(matrix: number[]) => number} */
export const trace = ([a, , , d]) => a + d;
export const transpose = ([a, b, c, d]) => [a, c, b, d];
/** @type {(matrix: number[], vector: number[]) => number[]} */
export const apply = ([a, b, c, d], [x, y]) => [a * x + b * y, c * x + d * y];

export function product(...matrices) {
  return matrices.reduce(([a, b, c, d], [e, f, g, h]) => [a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h]);
}

/** @param {number[]} matrix */
export function inverse([a, b, c, d]) {
  const det = a * d - b * c;
  if (det === 0) throw new RangeError("a singular matrix has no inverse");
  return [d / det, -b / det, -c / det, a / det];
}

/** Symmetric A: its values, the larger first, and the angle of the first axis; the second axis is a
    right angle further. A small value of a definite A comes from det A, where a difference would cancel.
    @param {number[]} matrix */
export function axes([a, b, , d]) {
  const large = (a + d) / 2 + Math.hypot((a - d) / 2, b);
  const small = a + d > 0 ? (a * d - b * b) / large : a + d - large;
  return { values: [large, small], angle: Math.atan2(2 * b, a - d) / 2 };
}

/** The symmetric matrix with these values along the axes at `angle`.
    @param {number[]} values @param {number} angle */
export function onAxes([p, q], angle) {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return [p * c * c + q * s * s, (p - q) * c * s, (p - q) * c * s, p * s * s + q * c * c];
}

export const rotation = (angle) => [Math.cos(angle), -Math.sin(angle), Math.sin(angle), Math.cos(angle)];

// ---- a context and its learners --------------------------------------------------------------------

/** Γ = (1 + 1/N)Λ + (tr Λ/N) I. */
export const gamma = (Lambda, N) => plus(times(1 + 1 / N, Lambda), times(trace(Lambda) / N, identity));

/** The step matrix that training at length N under label noise of this variance ends at. */
export const stepMatrix = (Lambda, N, noise = 0) => inverse(plus(gamma(Lambda, N), times(noise / N, identity)));

/** What learners read of M examples: S = 1/M Σ xxᵀ, m = 1/M Σ yx, and the mean of y². */
export function moments(xs, ys) {
  const M = xs.length;
  const mean = (of) => xs.reduce((sum, x, i) => sum + of(x, ys[i]), 0) / M;
  const cross = mean(([p, q]) => p * q);
  return {
    M,
    S: [mean(([p]) => p * p), cross, cross, mean(([, q]) => q * q)],
    m: [mean(([p], y) => y * p), mean(([, q], y) => y * q)],
    squares: mean((_, y) => y * y),
  };
}

/** The squared error of v on the context itself, 1/(2M) Σ (y − vᵀx)². */
export const contextLoss = ({ S, m, squares }, v) => squares / 2 - inner(v, m) + inner(v, apply(S, v)) / 2;

/** What v costs on new points with covariance Λ and the task w: (v − w)ᵀΛ(v − w). */
export const newError = (Lambda, v, w) => inner(minus(v, w), apply(Lambda, minus(v, w)));

/** `count` steps v ← v + A(m − Sv) from `start`; all places, the start first. */
export function steps({ S, m }, A, count, start = silence) {
  const places = [start];
  while (places.length <= count) {
    const v = places[places.length - 1];
    places.push(plus(v, apply(A, minus(m, apply(S, v)))));
  }
  return places;
}

/** The solution of least norm. Variances below 1e-12 of the largest count as none. */
export function leastSquares({ S, m }) {
  const { values, angle } = axes(S);
  const inverted = values.map((value) => (value > 1e-12 * values[0] ? 1 / value : 0));
  return apply(onAxes(inverted, angle), m);
}

/** (XᵀX + penalty I)⁻¹Xᵀy; with penalty = σ² it is Bayes for w ~ N(0, I). */
export const ridge = ({ M, S, m }, penalty) =>
  penalty === 0 ? leastSquares({ S, m }) : apply(inverse(plus(S, times(penalty / M, identity))), m);

/** The best scalar step on prompts of dimension one: each answers with q·m where q·w is asked. */
export function fittedStep(prompts) {
  const sum = (of) => prompts.reduce((total, one) => total + one.q ** 2 * of(one), 0);
  return sum(({ m, w }) => m * w) / sum(({ m }) => m * m);
}

/** One pass of the layer with blocks U, u₂₁ (keys), u₁₂, u (values). `tokens`, the query last: how much the
    query attends to each, and what it copies. `terms`: what the pairs of blocks say, from tokens with points
    and labels by their moments: points compared and copied; points, labels; labels, points; labels, labels. */
export function pass(xs, ys, query, { U, u21, u12, u }) {
  const [N, asked, mixed] = [xs.length, apply(U, query), inner(u21, query)];
  const read = (x, y) => ({ score: (inner(x, asked) + y * mixed) / N, value: inner(u12, x) + u * y });
  const tokens = [...xs.map((x, i) => read(x, ys[i])), read(query, 0)];
  const { S, m, squares } = moments(xs, ys);
  const points = inner(u12, apply(S, asked)) + (inner(u12, query) * inner(query, asked)) / N;
  const terms = [points, u * inner(m, asked), inner(u12, m) * mixed, u * squares * mixed];
  return { tokens, terms, answer: tokens.reduce((sum, { score, value }) => sum + score * value, 0) };
}

// ---- risks in closed form ----------------------------------------------------------------------------

/** E(wᵀx_q − ŷ)² of the step A from 0 on M points of covariance C, a query of covariance Q and label
    noise of variance σ², over tasks w ~ N(0, I). */
export function stepRisk(C, A, M, { noise = 0, Q = C } = {}) {
  const second = plus(product(gamma(C, M), C), times(noise / M, C)); // E[mmᵀ]
  const mixed = product(A, C); // A E[mwᵀ]
  const error = minus(plus(product(A, second, transpose(A)), identity), plus(mixed, transpose(mixed)));
  return inner(Q, error);
}

/** n = 1 + tr Λ/λ: a direction of variance λ deserves half of the way after n points. */
export const halfLength = (total, lambda) => 1 + total / lambda;

/** Error relative to silence along one direction, after the share s of the way on M points. */
export const relativeRisk = (s, n, M) => (1 - s) ** 2 + (n / M) * s * s;

// ---- chapter 6 in dimension one: points of variance one, tasks w ~ N(β, 1), no noise --------------------

export const secondLine = ({ U, u21 }, w) => U + u21 * w;

/** The slope that a layer answers to the task w, in a context of mean square S: a product of two lines. */
export const layerSlope = (lines, S, w) => S * (w - lines.root) * secondLine(lines, w);

/** The slope that the best block answers: one step from β. */
export const blockSlope = (beta, M, S, w) => beta + ((S * M) / (M + 2)) * (w - beta);

/** The risk of the layer (w − root)(U + u₂₁w), from what a token adds: p_x x² + A xz + p_z z². */
export function layerRisk({ root, U, u21 }, beta, M) {
  const [values, keys] = [beta - root, U + beta * u21];
  const [px, A, pz] = [values * keys, keys + values * u21, u21];
  const squares = (1 + 2 / M) * (px * px + 2 * px * pz + 3 * pz * pz);
  return 2 / (M + 2) + (1 + 2 / M) * (A - M / (M + 2)) ** 2 + squares - 2 * beta * (px + pz) + beta * beta;
}

// ---- one step for many variances, in endless contexts --------------------------------------------------

/** E λᵏ of a variance that takes these values with these probabilities. */
export const moment = (values, shares, k) =>
  inner(
    shares,
    values.map((value) => value ** k),
  );

/** The scalar step that training on such prompts ends at: 1/α is the mean of λ weighed by λ². */
export const sharedStep = (values, shares) => moment(values, shares, 2) / moment(values, shares, 3);

/** What the step α leaves along a direction of this variance, relative to silence. */
export const leftAlong = (alpha, value) => (alpha * value - 1) ** 2;

/** What it leaves over all of them, relative to silence; silence costs λ along each. */
export const leftInAll = (alpha, values, shares) =>
  inner(
    shares,
    values.map((value) => value * leftAlong(alpha, value)),
  ) / moment(values, shares, 1);

// ---- the landscape on the slice of chapter 3, and its flow ---------------------------------------------

/** ½u²⟨U, ΓΛUΛ⟩ − u⟨Λ², U⟩ and what follows from it. */
export function problem(Lambda, N) {
  const G = gamma(Lambda, N);
  const one = Lambda[3] === 0 && Lambda[1] === 0;
  const target = one ? [1 / G[0], 0, 0, 0] : inverse(G);
  const pull = product(Lambda, Lambda);
  return {
    Lambda,
    GL: product(G, Lambda),
    pull,
    target,
    silence: trace(Lambda) / 2,
    minimum: -inner(pull, target) / 2,
  };
}

const curved = ({ Lambda, GL }, U) => product(GL, U, Lambda);

export const loss = (p, U, u) => (u * u * inner(U, curved(p, U))) / 2 - u * inner(p.pull, U);

/** Loss above its minimum, as a square: no difference of losses, so exact near zero too. */
export function gap(p, U, u) {
  const D = minus(times(u, U), p.target);
  return inner(D, curved(p, D)) / 2;
}

/** (U′, u′) of the flow downhill. */
export function velocity(p, U, u) {
  const C = curved(p, U);
  return [plus(times(-u * u, C), times(u, p.pull)), inner(p.pull, U) - u * inner(U, C)];
}

/** When the flow from (U, u) leaves the plateau at the origin, to leading order; 0 once it is past it.
    There u = start·cosh pt + along·sinh pt, until it would reach the ceiling of the ray U = uΛ²/p. */
export function escapeTime(p, U, u) {
  const rate = norm(p.pull);
  const ceiling = Math.sqrt(rate ** 3 / inner(p.pull, curved(p, p.pull)));
  const component = inner(p.pull, U) / rate;
  const side = Math.sign(u + component); // turning both signs turns the flow
  const [start, along] = [side * u, side * component];
  if (side === 0 || start >= ceiling) return 0;
  const grown = ceiling + Math.sqrt(ceiling ** 2 - start ** 2 + along ** 2);
  return Math.max(0, Math.log(grown / (start + along)) / rate);
}

// Dormand and Prince's pair of orders 5 and 4: the tableau, and the weights of their difference.
const STAGES = [
  [1 / 5],
  [3 / 40, 9 / 40],
  [44 / 45, -56 / 15, 32 / 9],
  [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
  [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
  [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
];
const DIFFERENCE = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40];

const MOST_STEPS = 20_000; // a figure takes some hundred

const combine = (weights, slopes) => slopes[0].map((_, i) => weights.reduce((sum, a, j) => sum + a * slopes[j][i], 0));

/** One step of length h from z with slope `first`: the next place, its slope, an estimate of the error. */
function attempt(slope, z, first, h) {
  const slopes = [first];
  let next = z;
  for (const row of STAGES) {
    next = plus(z, times(h, combine(row, slopes)));
    slopes.push(slope(next));
  }
  return { next, last: slopes[6], error: h * norm(combine(DIFFERENCE, slopes)) };
}

/** The flow from (U, u): [{t, U, u}] at increasing `at` ≥ 0. Steps adapt to an error of `tolerance`
    relative to the size of the state, and land on every time asked for. RangeError where they do not end. */
export function flow(p, U, u, at, tolerance = 1e-10) {
  const slope = (z) => velocity(p, z.slice(0, 4), z[4]).flat();
  let [t, h, z] = [0, 0.01, [...U, u]];
  let [first, tried] = [slope(z), 0];
  return at.map((goal) => {
    while (t < goal) {
      if (++tried > MOST_STEPS) throw new RangeError(`the flow did not reach t = ${goal}`);
      const length = Math.min(h, goal - t);
      const { next, last, error } = attempt(slope, z, first, length);
      const share = error / (tolerance * Math.max(norm(z), norm(next), 1e-300));
      if (share <= 1) [t, z, first] = [length < h ? goal : t + length, next, last];
      if (share > 1 || length === h) h = length * Math.min(4, Math.max(0.2, 0.9 * Math.max(share, 1e-10) ** -0.2));
    }
    return { t, U: z.slice(0, 4), u: z[4] };
  });
}

/** A time by which the gap has fallen to `level`, found in growing steps; at most `most`. */
export function settled(p, U, u, level, most) {
  let [t, here] = [0, { U, u }];
  while (t < most && gap(p, here.U, here.u) > level) {
    const stride = Math.max(0.25, t / 8);
    [here] = flow(p, here.U, here.u, [stride], 1e-6);
    t += stride;
  }
  return Math.min(t, most);
}

// ---- Gaussian numbers with a seed ----------------------------------------------------------------------

/** The first `count` standard Gaussian numbers of a seed, a whole number from 0 to 2³² − 1; a longer draw
    begins with a shorter one. Mulberry32, then Box and Muller; gaussians.py is the same in Python. */
export function gaussians(seed, count) {
  let state = seed | 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return (((bits ^ (bits >>> 14)) >>> 0) + 0.5) / 2 ** 32;
  };
  const drawn = [];
  while (drawn.length < count) {
    const radius = Math.sqrt(-2 * Math.log(uniform()));
    const turn = 2 * Math.PI * uniform();
    drawn.push(radius * Math.cos(turn), radius * Math.sin(turn));
  }
  return drawn.slice(0, count);
}
