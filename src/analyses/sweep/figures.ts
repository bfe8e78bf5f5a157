/**
 * From sums to the figures of a correction.
 *
 * @module
 */

import type { DroppedPart, SweepCorrection, SweepMetrics } from "../../results/sweep.ts";
import { describeCorrection, formatCorrection } from "../../trainers/neutral/index.ts";
import { type LengthGroup, lengthQuartiles, TURN_BUCKETS } from "./buckets.ts";
import type { CorrectionSums } from "./correction-sums.ts";
import type { Sweep } from "./sweep.ts";
import { tokenBudget } from "./token-budget.ts";
import type { Totals } from "./totals.ts";

export function correctionFigures(sweep: Sweep, index: number): Omit<SweepCorrection, "on_front"> {
  const { totals } = sweep;
  const { name, correction, preset = null } = sweep.corrections[index]!;
  const sums = sweep.sums[index]!;
  const counted = totals.sequences - totals.sequencesEmpty;
  return {
    name,
    correction_text: formatCorrection(correction),
    rule: describeCorrection(correction),
    preset,
    tokens_kept: sums.keptTokens,
    tokens_kept_share: sums.keptTokens / totals.tokens,
    sequences_kept: sums.keptSequences,
    sequences_kept_share: sums.keptSequences / counted,
    ...weightFigures(sums, totals.tokens, counted),
    truncated_share: sums.truncated / totals.tokens,
    dropped: droppedPart(sweep, index),
    token_budget: tokenBudget(sums.moments),
  };
}

function weightFigures(
  { weights, rawMass, movedMass, keptTokens }: CorrectionSums,
  tokens: number,
  sequences: number,
): Pick<
  SweepCorrection,
  "mass_lost" | "mass_moved" | "ess_tokens" | "ess_sequences" | "weight_mean" | "weight_max"
> {
  const total = { mass: 0, scaled: 0, squares: 0, sequenceMass: 0, sequenceSquares: 0, loss: 0, largest: 0 };
  for (const sums of weights.values()) {
    const { factor } = sums;
    total.mass += sums.mass;
    total.scaled += sums.mass / factor;
    total.squares += sums.square / factor / factor;
    total.sequenceMass += sums.sequenceMass / factor;
    total.sequenceSquares += sums.sequenceSquare / factor / factor;
    total.loss += sums.lossMass / factor;
    total.largest = Math.max(total.largest, sums.largest / factor);
  }
  return {
    mass_lost: 1 - total.mass / rawMass,
    mass_moved: movedMass / rawMass,
    ess_tokens: effective(total.scaled, total.squares, tokens),
    ess_sequences: effective(total.sequenceMass, total.sequenceSquares, sequences),
    weight_mean: total.loss / keptTokens,
    weight_max: keptTokens === 0 ? Number.NaN : total.largest,
  };
}

/** (Σw)² / (n Σw²); 0 if nothing is left, NaN if float64 cannot hold the sums (weights from exp 354 on). */
export function effective(sum: number, squares: number, count: number): number {
  if (!Number.isFinite(squares)) return Number.NaN;
  return squares === 0 ? 0 : (sum / squares) * (sum / count);
}

function droppedPart(sweep: Sweep, index: number): DroppedPart {
  const { totals, groups } = sweep;
  const sums = sweep.sums[index]!;
  const sequences = totals.sequences - totals.sequencesEmpty;
  const tokens = totals.tokens - sums.keptTokens;
  const reward = contrast(totals.rewards, sums.rewardTokens, sums.rewardSum);
  const accuracy = contrast(totals.correctness, sums.correctnessTokens, sums.correctnessSum);
  return {
    tokens,
    tokens_share: tokens / totals.tokens,
    sequences: sequences - sums.keptSequences,
    sequences_share: 1 - sums.keptSequences / sequences,
    reward_kept: reward.kept,
    reward_dropped: reward.dropped,
    reward_shift: reward.shift,
    accuracy_kept: accuracy.kept,
    accuracy_dropped: accuracy.dropped,
    accuracy_shift: accuracy.shift,
    by_advantage: sweep.hasAdvantages ? byAdvantage(totals, sums, tokens) : null,
    by_length: lengthQuartiles(totals.sequencesByLength).map((group) => ({
      from: group.from,
      to: group.to,
      ...buildShare(total(totals.tokensByLength, group), total(sums.droppedByLength, group)),
    })),
    by_turn: [...totals.tokensByTurn].flatMap((count, turn) => {
      if (count === 0) return [];
      const to = turn === TURN_BUCKETS - 1 && totals.turnsMax > TURN_BUCKETS ? null : turn;
      return [{ from: turn, to, ...buildShare(count, sums.droppedByTurn[turn]!) }];
    }),
    groups_lost: groups.groups === 0 ? null : groups.lost(index),
  };
}

function byAdvantage(totals: Totals, sums: CorrectionSums, dropped: number): DroppedPart["by_advantage"] {
  const share = (count: number, of: number): number | null => (of === 0 ? null : count / of);
  const zero = totals.advantages - totals.positive - totals.negative;
  return {
    positive: share(sums.droppedPositive, totals.positive),
    negative: share(sums.droppedNegative, totals.negative),
    zero: share(dropped - sums.droppedPositive - sums.droppedNegative, zero),
  };
}

/** Kept against dropped, over tokens; null if a side has no token or nothing is known. */
function contrast(
  all: { readonly count: number; readonly sum: number; readonly mean: number; readonly deviation: number },
  tokens: number,
  sum: number,
): { readonly kept: number | null; readonly dropped: number | null; readonly shift: number | null } {
  const kept = tokens === 0 ? null : sum / tokens;
  const dropped = all.count === tokens ? null : (all.sum - sum) / (all.count - tokens);
  if (kept === null) return { kept, dropped, shift: null };
  const shift = tokens === all.count || all.deviation === 0 ? 0 : (kept - all.mean) / all.deviation;
  return { kept, dropped, shift };
}

function total(buckets: Float64Array, { first, last }: LengthGroup): number {
  return buckets.subarray(first, last + 1).reduce((sum, count) => sum + count, 0);
}

function buildShare(
  tokens: number,
  dropped: number,
): { readonly tokens: number; readonly dropped_share: number } {
  return { tokens, dropped_share: dropped / tokens };
}

export function sweepMetrics(sweep: Sweep, front: number): SweepMetrics {
  const { totals, corrections, groups } = sweep;
  const { moments } = sweep.sums[0]!;
  const counted = totals.sequences - totals.sequencesEmpty;
  const baseline = weightFigures(sweep.sums[0]!, totals.tokens, counted);
  const square = moments.within + moments.between - moments.sum ** 2 / moments.tokens;
  return {
    sequences: totals.sequences,
    sequences_empty: totals.sequencesEmpty,
    tokens: totals.tokens,
    turns_max: totals.turnsMax,
    groups: groups.groups === 0 ? null : groups.groups,
    corrections: corrections.length,
    front,
    delta_mean: moments.mean,
    delta_std: Math.sqrt(Math.max(0, square / totals.tokens)),
    ess: baseline.ess_tokens,
    ess_seq: effective(totals.productSum, totals.productSquares, counted),
    ratio_outside: totals.outside / totals.tokens,
    reward_mean: totals.rewards.count === 0 ? null : totals.rewards.mean,
    accuracy: totals.correctness.count === 0 ? null : totals.correctness.mean,
  };
}
