/**
 * Drives assembly/distribution.ts over a row of P and the same row of Q.
 *
 * zq − zp is rounded at first, which takes three operations per column instead of nine. A row whose D may have lost
 * digits this way is summed again without rounding.
 *
 * The offset between log q and log p comes from single-precision sums and is off by about 1e-7. The remainder of Σ (q −
 * p) gives the error, which is subtracted from the divergences: D(P‖Q) = Σ p k3(D + ε) − k3(ε) exactly, with k3(x) =
 * exp x − 1 − x. If that is not enough, the row is summed again with the better offset.
 *
 * @module
 */
import { computeShare } from "../distribution/divergence.ts";
import type { Softmax } from "../distribution/scalar.ts";
import type { DistributionRows, DivergenceRows, LogitBlock } from "../logit-block.ts";
import { computeK3 } from "../scalar.ts";
import { DISTANCE, EXCESS, FORWARD, HIGH, JENSEN, REVERSE, SIGNED, ZERO } from "./distribution-fields.ts";
import type { DistributionKernel } from "./distribution-kernel.ts";
import { isAccurate, type RowSums, sumRow, writeRow } from "./distribution-row.ts";

/** Beyond this |log q − log p| single precision loses digits. */
const RATIO_HIGH = 32;
/** Typical largest error of an offset from single-precision sums, relative to their rounded part. */
const OFFSET_ERROR = 3e-7;
/** Allowed relative error of the total variation, and largest share of a KL that may be subtracted from it. */
const ACCURACY = 2e-6;
const TAKEN_OUT = 0.01;
/** Divergences below this may consist of products that single precision cannot hold. */
const DIVERGENCE_LOW = 1e-28;
const ROUNDS = 5;

/** Which parts of a row are filled; the reference implementation computes the others. */
export interface RowsDone {
  readonly p: boolean;
  readonly q: boolean;
  readonly divergences: boolean;
}

/** Fills row `row` of P's figures, Q's and their divergences. */
export function wasmCompareRow(
  kernel: DistributionKernel,
  p: LogitBlock,
  q: LogitBlock,
  token: number,
  k: number,
  row: number,
  into: { readonly p: DistributionRows; readonly q: DistributionRows; readonly divergences: DivergenceRows },
): RowsDone {
  const columns = Math.min(p.vocabulary, q.vocabulary);
  const requestP = { block: p, row, token, k };
  const ofP = sumRow(kernel, requestP, "p", columns, true);
  const doneP = writeRow(kernel, requestP, ofP.whole, into.p);
  const requestQ = { block: q, row, token, k };
  const ofQ = sumRow(kernel, requestQ, "q", columns, false);
  const doneQ = writeRow(kernel, requestQ, ofQ.whole, into.q);
  return { p: doneP, q: doneQ, divergences: compareRow(kernel, ofP, ofQ, columns, row, into.divergences) };
}

function compareRow(
  kernel: DistributionKernel,
  ofP: RowSums,
  ofQ: RowSums,
  columns: number,
  row: number,
  into: DivergenceRows,
): boolean {
  const accurate = [ofP.whole, ofQ.whole, ofP.common, ofQ.common].every(isAccurate);
  if (!accurate) return false;
  const { exports } = kernel;
  const { p, q } = kernel.layout();
  if (ofP.lowest === Number.NEGATIVE_INFINITY) exports.boundBelow(p, columns);
  if (ofQ.lowest === Number.NEGATIVE_INFINITY) exports.boundBelow(q, columns);
  const divergences = refinedDivergences(kernel, ofP.common, ofQ.common, columns);
  if (!divergences) return false;
  into.forwardKl[row] = divergences.forward;
  into.reverseKl[row] = divergences.reverse;
  into.jsDivergence[row] = divergences.jensen;
  into.totalVariation[row] = divergences.distance;
  into.excludedP[row] = ofP.others ? computeShare(ofP.others, ofP.common) : 0;
  into.excludedQ[row] = ofQ.others ? computeShare(ofQ.others, ofQ.common) : 0;
  return true;
}

interface Divergences {
  readonly forward: number;
  readonly reverse: number;
  readonly jensen: number;
  readonly distance: number;
}

function refinedDivergences(
  kernel: DistributionKernel,
  p: Softmax,
  q: Softmax,
  columns: number,
): Divergences | undefined {
  const uncertain = OFFSET_ERROR * (p.rest / (1 + p.rest) + q.rest / (1 + q.rest));
  const scales = blockScales(kernel, p, columns);
  let offset = Math.log1p(q.rest) - Math.log1p(p.rest);
  for (let round = 0; round < ROUNDS; round++) {
    const exact = round > 0;
    const shift = q.max - p.max + offset;
    comparePass(kernel, shift, exact, uncertain, columns);
    const furthest = kernel.exports.furthestRatio();
    if (!(furthest <= RATIO_HIGH)) return undefined;
    const sums = addPairBlocks(kernel, scales);
    const off = Math.log1p(sums.excess);
    const distance = (sums.distance - off * (sums.signed + sums.distance)) / 2;
    // Columns whose D may have the wrong sign, because it is smaller than the offset's error.
    const doubtful = Math.abs(off) < uncertain ? sums.zero : 1;
    const forward = sums.forward - computeK3(off);
    const hasDigits = exact || keepsDigits(p, columns, Math.abs(shift), forward, distance);
    const settled =
      Math.abs(off) * doubtful <= ACCURACY * distance && computeK3(off) <= TAKEN_OUT * sums.forward;
    if (hasDigits && (furthest === 0 || settled)) {
      if (furthest > 0 && !(forward > DIVERGENCE_LOW)) return undefined;
      return {
        forward,
        reverse: sums.reverse * Math.exp(-off) - computeK3(-off),
        jensen: Math.min(sums.jensen - (off * off) / 8, Math.LN2),
        distance: Math.min(distance, 1),
      };
    }
    offset += off;
  }
  return undefined;
}

/**
 * Whether D keeps its digits although zq − zp was rounded before `shift` was subtracted.
 *
 * That error is at most 2⁻²⁴ |zq − zp|, and 0 if one of the two is at most twice the other (Sterbenz); so if there is
 * one, |zp| ≤ 2 |zq − zp|. If |D| ≥ shift / 8, it is at most 9 · 2⁻²⁴ of D. Otherwise |zq − zp| ≤ 9/8 shift, so |zp| ≤
 * 9/4 shift: these columns have at most `share` of P, and the error of their Σ p |D| is at most 9/8 · 2⁻²⁴ shift share,
 * that of Σ p D² / 2 at most 9/64 · 2⁻²⁴ shift² share. Either may be a millionth of the whole sum.
 */
function keepsDigits(
  { max, rest }: Softmax,
  columns: number,
  shift: number,
  forward: number,
  distance: number,
): boolean {
  const share = Math.min(1, columns * Math.exp((9 / 4) * shift - max - Math.log1p(rest)));
  const rounding = 2 ** -24 * shift * share;
  return (9 / 64) * rounding * shift <= 1e-6 * forward && (9 / 16) * rounding <= 1e-6 * distance;
}

function comparePass(
  kernel: DistributionKernel,
  shift: number,
  exact: boolean,
  uncertain: number,
  columns: number,
): void {
  const { p, q, exps, scratch, pairRecords } = kernel.layout();
  const high = Math.fround(shift);
  const rest = shift - high;
  kernel.exports.compare(p, q, exps, columns, high, rest, exact ? 1 : 0, uncertain, scratch, pairRecords);
}

/** The factor of each block from exponentials to probabilities. */
function blockScales(kernel: DistributionKernel, { max, rest }: Softmax, columns: number): Float64Array {
  const { float32 } = kernel.views();
  const first = kernel.layout().pRecords >> 2;
  const length = kernel.exports.ROW_RECORD.value >> 2;
  const scales = new Float64Array(Math.ceil(columns / kernel.block));
  for (let i = 0; i < scales.length; i++) {
    scales[i] = Math.exp(float32[first + i * length + 2 * HIGH]! - max) / (1 + rest);
  }
  return scales;
}

/** Sums over a row by the kernel's names. */
interface PairSums extends Divergences {
  readonly excess: number;
  readonly signed: number;
  readonly zero: number;
}

function addPairBlocks(kernel: DistributionKernel, scales: Float64Array): PairSums {
  const { float64 } = kernel.views();
  const length = kernel.exports.PAIR_RECORD.value >> 3;
  let at = kernel.layout().pairRecords >> 3;
  let [forward, reverse, jensen, excess, distance, signed, zero] = [0, 0, 0, 0, 0, 0, 0];
  for (let i = 0; i < scales.length; i++, at += length) {
    const scale = scales[i]!;
    forward += scale * float64[at + FORWARD]!;
    reverse += scale * float64[at + REVERSE]!;
    jensen += scale * float64[at + JENSEN]!;
    excess += scale * float64[at + EXCESS]!;
    distance += scale * float64[at + DISTANCE]!;
    signed += scale * float64[at + SIGNED]!;
    zero += scale * float64[at + ZERO]!;
  }
  return { forward, reverse, jensen, excess, distance, signed, zero };
}
