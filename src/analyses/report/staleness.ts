/**
 * The age of the weights that sampled a token: the step at which it is trained on, minus the version of the weights.
 *
 * @module
 */
import { FIELDS, mismatchSums, type TokenBlock } from "../../core/kernels/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import { type SequenceExtras, sumSurprisal } from "../../core/summaries/index.ts";
import type { BoundedSlices } from "./bounded-slices.ts";

/** Response tokens `[from, to)` of a batch sampled by weights of one age; NaN if not known. */
export interface StalenessRun {
  readonly from: number;
  readonly to: number;
  readonly staleness: number;
}

/**
 * The runs of a row, in order. Tokens that the policy did not sample have no age: they belong to the surrounding run. A
 * rollout that continued after a weight update has several.
 */
export function splitByStaleness(
  { steps, offsets, weightVersions, responseMask: mask }: RecordBatch,
  row: number,
): readonly StalenessRun[] {
  const step = steps[row]!;
  if (weightVersions === undefined || Number.isNaN(step)) return [];
  const end = offsets[row + 1]!;
  const runs: StalenessRun[] = [];
  let from = offsets[row]!;
  let version: number | undefined;
  const close = (to: number): void => {
    if (version !== undefined) runs.push({ from, to, staleness: version < 0 ? Number.NaN : step - version });
    from = to;
  };
  for (let t = from; t < end; t++) {
    if (mask[t] === 0 || weightVersions[t] === version) continue;
    if (version !== undefined) close(t);
    version = weightVersions[t];
  }
  close(end);
  return runs;
}

/** The age of all tokens of a row; NaN if not known, or if they differ. */
export function uniformStaleness(runs: readonly StalenessRun[]): number {
  return runs.length === 1 ? runs[0]!.staleness : Number.NaN;
}

/** Adds a row sampled by weights of several ages: each age gets its tokens, as a separate sequence. */
export function addMixedRow(
  slices: BoundedSlices<number>,
  block: TokenBlock,
  runs: readonly StalenessRun[],
  { cluster, isPrompt, entropy, unit }: MixedRow,
): void {
  for (const { from, to, staleness } of runs) {
    if (Number.isNaN(staleness)) continue;
    let starved = 0;
    const part: TokenBlock = { ...block, offsets: Int32Array.of(from, to) };
    const { rows } = mismatchSums(part, {
      sink: (tokens) => {
        slices.open(staleness, unit).addTokens(tokens);
        starved += sumStarved(tokens.delta, 0, tokens.count);
      },
    });
    const extras: SequenceExtras = {
      surprisal: entropy && sumSurprisal(block, entropy, from, to),
      starved,
    };
    slices.open(staleness, unit).addSequence(rows.subarray(0, FIELDS), 0, cluster, isPrompt, extras);
  }
}

export interface MixedRow {
  readonly cluster: number;
  readonly isPrompt: boolean;
  /** The rollout's entropies, for the whole batch. */
  readonly entropy: RecordBatch["entropies"][string] | undefined;
  /** The batch, named as in `MismatchSummary.beginUnit`. */
  readonly unit: string;
}

/** No float32 lies between this and −ln 2: tokens with ρ < ½ have at most this Δ. */
export const STARVED_DELTA = Math.fround(-Math.LN2);

/** 1 − ρ for a token with ρ < ½; 0 for others. */
export function starve(delta: number): number {
  return delta < -Math.LN2 ? -Math.expm1(delta) : 0;
}

/** Σ(1 − ρ) over the tokens with ρ < ½. */
export function sumStarved(delta: ArrayLike<number>, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) {
    const value = delta[i]!;
    if (value < -Math.LN2) sum -= Math.expm1(value);
  }
  return sum;
}
