/**
 * The reference implementation's divergences: sums of non-negative terms, which are small when the columns are close.
 *
 * @module
 */

import type { DivergenceRows } from "../logit-block.ts";
import { computeK3 } from "../scalar.ts";
import { computeSoftmax, type Softmax } from "./scalar.ts";

/** Two softmaxes over the same columns. */
interface Pair {
  readonly p: Float32Array;
  readonly q: Float32Array;
  readonly columns: number;
  readonly ofP: Softmax;
  readonly ofQ: Softmax;
}

/** Below this |x| the series of `computeJensen` is more accurate than its logarithms. */
const JENSEN_SERIES = 0.05;
const LOG2 = Math.LN2;

/**
 * With D = log q − log p and x = tanh(D / 2) = (q − p) / (q + p): ½ [(1 + x) log(1 + x) + (1 − x) log(1 − x)]. Times
 * (p + q) / 2 this is a column's term of the Jensen-Shannon divergence.
 */
export function computeJensen(ratio: number): number {
  const size = Math.abs(ratio);
  const x = Math.tanh(size / 2);
  if (x < JENSEN_SERIES) {
    const square = x * x;
    let series = 0;
    for (let n = 6; n >= 1; n--) series = series * square + 1 / (2 * n * (2 * n - 1));
    return square * series;
  }
  const u = Math.exp(-size);
  return -Math.log1p(Math.expm1(-size) / 2) - (u === 0 ? 0 : (size * u) / (1 + u));
}

/**
 * Fills row `row` of `into`: P against Q over the columns that both have. Stays NaN if either row contains a NaN or
 * +inf, or has no finite logit among those columns.
 */
export function compareRow(p: Float32Array, q: Float32Array, row: number, into: DivergenceRows): void {
  const columns = Math.min(p.length, q.length);
  const ofP = computeSoftmax(p, 0, columns);
  const ofQ = computeSoftmax(q, 0, columns);
  if (!ofP || !ofQ) return;
  const excludedP = excludedMass(p, columns, ofP);
  const excludedQ = excludedMass(q, columns, ofQ);
  if (Number.isNaN(excludedP + excludedQ)) return;
  into.excludedP[row] = excludedP;
  into.excludedQ[row] = excludedQ;
  writeDivergences({ p, q, columns, ofP, ofQ }, row, into);
}

/** Probability of the columns from `columns` on; NaN if one of them is NaN or +inf. */
function excludedMass(logits: Float32Array, columns: number, common: Softmax): number {
  const tail = logits.subarray(columns);
  if (tail.every((logit) => logit === Number.NEGATIVE_INFINITY)) return 0;
  const excluded = computeSoftmax(tail, 0, tail.length);
  return excluded ? computeShare(excluded, common) : Number.NaN;
}

/** The share of the first of two softmaxes over disjoint columns. */
export function computeShare(own: Softmax, other: Softmax): number {
  return 1 / (1 + Math.exp(other.max - own.max + Math.log1p(other.rest) - Math.log1p(own.rest)));
}

function writeDivergences(pair: Pair, row: number, into: DivergenceRows): void {
  const { p, q, columns, ofP, ofQ } = pair;
  const shift = ofQ.max - ofP.max;
  const logP = Math.log1p(ofP.rest);
  // The float64 remainder of Σ q − Σ p goes into the offset; otherwise it would show when P and Q are nearly equal.
  const first = Math.log1p(ofQ.rest) - logP;
  const offset = first + Math.log1p(computeExcess(pair, shift, first));

  let [forward, reverse, jensen, distance] = [0, 0, 0, 0];
  for (let i = 0; i < columns; i++) {
    const a = p[i]!;
    const b = q[i]!;
    if (a === Number.NEGATIVE_INFINITY && b === Number.NEGATIVE_INFINITY) continue;
    const ratio = b - a - shift - offset;
    const pi = Math.exp(a - ofP.max - logP);
    const qi = Math.exp(b - ofQ.max - logP - offset);
    if (Math.abs(ratio) < 1) {
      forward += pi * computeK3(ratio);
      reverse += qi * computeK3(-ratio);
      distance += Math.abs(pi * Math.expm1(ratio));
    } else {
      // If one of them is 0, so is its product with log q − log p, unless the divergence is infinite.
      forward += qi - pi - (pi === 0 && ratio > 0 ? 0 : pi * ratio);
      reverse += pi - qi + (qi === 0 && ratio < 0 ? 0 : qi * ratio);
      distance += Math.abs(qi - pi);
      if (b === Number.NEGATIVE_INFINITY) forward = Number.POSITIVE_INFINITY;
      if (a === Number.NEGATIVE_INFINITY) reverse = Number.POSITIVE_INFINITY;
    }
    jensen += ((pi + qi) / 2) * computeJensen(ratio);
  }
  into.forwardKl[row] = forward;
  into.reverseKl[row] = reverse;
  into.jsDivergence[row] = Math.min(jensen, LOG2);
  into.totalVariation[row] = Math.min(distance / 2, 1);
}

/** Σ (q − p), with Q normalized by the shift and the offset. */
function computeExcess({ p, q, columns, ofP, ofQ }: Pair, shift: number, offset: number): number {
  const logP = Math.log1p(ofP.rest);
  let excess = 0;
  for (let i = 0; i < columns; i++) {
    const ratio = q[i]! - p[i]! - shift - offset;
    const pi = Math.exp(p[i]! - ofP.max - logP);
    if (Math.abs(ratio) < 1) excess += pi * Math.expm1(ratio);
    else excess += Math.exp(q[i]! - ofQ.max - logP - offset) - pi;
  }
  return excess;
}
