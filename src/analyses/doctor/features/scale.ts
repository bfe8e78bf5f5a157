/**
 * Whether one side's logits are the other's times a factor, as after dividing by another temperature.
 *
 * A factor e^τ on the logits moves the log-prob of a token by dlog p / dτ = log p + H, H the entropy of the distribution
 * (log p = z − log Σe^z, dlog Z / dτ = E z). Δ is therefore τ times the mean of log p + H over the two sides, to second
 * order in τ. Where no column has entropies, the rest of the mass is taken to lie on e^L words alike, so that
 * H = h(p) + (1 − p) L with h the entropy of p against 1 − p, and L is fitted too: the ratio of log-odds alone says little,
 * since with many alternatives unsure tokens move further than sure ones.
 *
 * @module
 */
import type { View } from "../sample/view.ts";
import { SUREST } from "./spread.ts";

export interface Scale {
  /** log of the factor from the rollout's logits to the trainer's. */
  readonly tau: number;
  /** Share of the weighted ΣΔ² that the better of the two fits explains; each token is weighted by its logit's precision, 1 / (1 − p)². */
  readonly explained: number;
  /** Share of tokens at which the fit explains half of |Δ| or more: a few huge Δ of one sign fit any curve. */
  readonly followed: number;
  /** τ over its standard error. */
  readonly z: number;
  /** What H was read from. */
  readonly by: "entropies" | "alternatives";
  /** log of the fitted number of alternatives; NaN by entropies. */
  readonly alternatives: number;
  /**
   * Coefficient of a term in (1 − p)·g·|g|, g the log-odds, over τ, nats⁻¹: 0 for a temperature, below 0 where sure tokens
   * are scaled less and less (a soft-cap), far below where mass was taken from all.
   */
  readonly curvature: number;
  /** By entropies: what the fit leaves, as a share of ΣΔ²; NaN without entropies. */
  readonly left: number;
}

/** Below this a token is so sure that float32 decides its log-odds; as a difference from 1. */
const FLOOR = 0.02;
const FEWEST = 30;
/** Nats: a smaller Δ may be float32's. */
const ROUNDING = 1e-5;
/** An entropy column explains at least this much if it belongs to the same distribution as the log-probs. */
const BELONGS = 0.6;

export function measureScale(view: View): Scale | null {
  const terms = collect(view);
  if (terms.count < FEWEST) return null;
  const { u, rest, curve, delta, weight } = terms;
  const plain = solve([u, rest], delta, weight);
  const curved = solve([u, rest, curve], delta, weight);
  const alternatives = plain.coefficients[1]! / plain.coefficients[0]!;
  const curvature = curved.coefficients[2]! / curved.coefficients[0]!;
  const known = terms.whole === null ? null : solve([terms.whole], delta, weight);
  const fit = known !== null && known.explained > BELONGS ? known : plain;
  const by = fit === known ? "entropies" : "alternatives";
  return {
    tau: fit.coefficients[0]!,
    // Of a soft-cap the entropies, which have nothing to fit, explain less; it is a factor on the logits all the same.
    explained: Math.max(fit.explained, plain.explained),
    followed: shareFollowed(delta, fit.fitted),
    z: fit.z,
    by,
    alternatives: by === "entropies" ? Number.NaN : alternatives,
    curvature,
    left: by === "entropies" ? 1 - fit.explained : Number.NaN,
  };
}

interface Terms {
  readonly count: number;
  readonly u: Float64Array;
  readonly rest: Float64Array;
  readonly curve: Float64Array;
  readonly delta: Float64Array;
  readonly weight: Float64Array;
  /** log p + H with the recorded entropies; null unless all tokens have one. */
  readonly whole: Float64Array | null;
}

function collect(view: View): Terms {
  const column = (): Float64Array => new Float64Array(view.tokens);
  const [u, rest, curve, delta, weight, whole] = [column(), column(), column(), column(), column(), column()];
  let [count, known] = [0, 0];
  for (let i = 0; i < view.tokens; i++) {
    const [a, c] = [view.a[i]!, view.c[i]!];
    if (!view.isOwn(i) || !(a < SUREST && c < SUREST)) continue;
    const [p, q] = [-Math.expm1(a), -Math.expm1(c)];
    const unsure = (p + q) / 2;
    const odds = (view.logits.rollout[i]! + view.logits.trainer[i]!) / 2;
    u[count] = (a + c + binary(a, p) + binary(c, q)) / 2;
    rest[count] = unsure;
    curve[count] = unsure * odds * Math.abs(odds);
    delta[count] = view.d[i]!;
    weight[count] = 1 / (unsure * unsure + FLOOR * FLOOR);
    const entropies = readEntropies(view, i);
    if (entropies !== undefined) {
      whole[count] = entropies;
      known++;
    }
    count++;
  }
  const cut = (values: Float64Array): Float64Array => values.subarray(0, count);
  return {
    count,
    u: cut(u),
    rest: cut(rest),
    curve: cut(curve),
    delta: cut(delta),
    weight: cut(weight),
    whole: known === count ? cut(whole) : null,
  };
}

/** −p log p − (1 − p) log(1 − p), from log p and 1 − p. */
function binary(logprob: number, unsure: number): number {
  return -Math.exp(logprob) * logprob - unsure * Math.log(unsure);
}

/** log p + H, the mean of the sides that have an entropy. */
function readEntropies(view: View, i: number): number | undefined {
  const { rolloutEntropy, trainerEntropy } = view.row(i);
  const t = view.index(i);
  const [ours, theirs] = [rolloutEntropy?.[t] ?? Number.NaN, trainerEntropy?.[t] ?? Number.NaN];
  const [x, y] = [view.a[i]! + ours, view.c[i]! + theirs];
  if (Number.isNaN(x)) return Number.isNaN(y) ? undefined : y;
  return Number.isNaN(y) ? x : (x + y) / 2;
}

interface Fit {
  readonly coefficients: readonly number[];
  readonly fitted: Float64Array;
  readonly explained: number;
  /** Of the first coefficient. */
  readonly z: number;
}

/** Weighted least squares without an intercept, by Gauss and Jordan on the normal equations. */
function solve(columns: readonly Float64Array[], y: Float64Array, weight: Float64Array): Fit {
  const n = columns.length;
  const rows = columns.map((own, r) => {
    const sums = [...columns, y].map((other) => sum(y.length, (i) => weight[i]! * own[i]! * other[i]!));
    return [...sums, ...columns.map((_, k) => (k === r ? 1 : 0))];
  });
  for (const [k, pivot] of rows.entries()) {
    const scale = pivot[k]!;
    for (let j = 0; j < pivot.length; j++) pivot[j]! /= scale;
    for (const [r, row] of rows.entries()) {
      const factor = row[k]!;
      if (r !== k) for (let j = 0; j < row.length; j++) row[j]! -= factor * pivot[j]!;
    }
  }
  const coefficients = rows.map((row) => row[n]!);
  const total = sum(y.length, (i) => weight[i]! * y[i]! ** 2);
  const fitted = y.map((_, i) => columns.reduce((all, column, k) => all + coefficients[k]! * column[i]!, 0));
  const left = sum(y.length, (i) => weight[i]! * (y[i]! - fitted[i]!) ** 2);
  const error = Math.sqrt((left / (y.length - n)) * rows[0]![n + 1]!);
  return { coefficients, fitted, explained: total === 0 ? 0 : 1 - left / total, z: coefficients[0]! / error };
}

function shareFollowed(delta: Float64Array, fitted: Float64Array): number {
  let [followed, count] = [0, 0];
  delta.forEach((value, i) => {
    if (Math.abs(value) < ROUNDING) return;
    count++;
    if (Math.abs(value - fitted[i]!) < Math.abs(value) / 2) followed++;
  });
  return count === 0 ? 0 : followed / count;
}

function sum(count: number, term: (i: number) => number): number {
  let total = 0;
  for (let i = 0; i < count; i++) total += term(i);
  return total;
}

/** What Δ would be without the factor, for the tokens that the fit covers; the others keep theirs. */
export function removeScale(view: View, { tau, by, alternatives }: Scale): Float64Array {
  const level = by === "alternatives" ? alternatives : 0;
  return view.d.map((delta, i) => {
    const [a, c] = [view.a[i]!, view.c[i]!];
    if (!view.isOwn(i) || !(a < SUREST && c < SUREST)) return delta;
    const [p, q] = [-Math.expm1(a), -Math.expm1(c)];
    const plain = (a + c + binary(a, p) + binary(c, q)) / 2 + (level * (p + q)) / 2;
    return delta - tau * ((by === "entropies" ? readEntropies(view, i) : undefined) ?? plain);
  });
}
