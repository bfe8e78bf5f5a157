/**
 * verl's mismatch metrics (verl-project/verl @ 1dda039b; per-round ones: pull request 5229 @ 63b63f3b).
 *
 * @module
 */

import {
  ABS_DELTA_SUM,
  ABS_PROB_DIFF_MAX,
  ABS_PROB_DIFF_MEAN,
  absProbDiffStd,
  COUNT,
  chi2Token,
  chi2TokenClamped,
  DELTA_MEAN,
  K3_SUM,
  PROB_COUNT,
  pearson,
} from "../../core/kernels/index.ts";
import type { MismatchSummary } from "../../core/summaries/index.ts";
import { MASKED_MEAN_EPSILON, maskedMean } from "../shared/masked-mean.ts";
import { countMasked, countNonFinite, poison } from "../shared/non-finite.ts";
import {
  type Discrepancy,
  findDiscrepancies,
  type Metrics,
  type ParityTrainer,
} from "../shared/parity-trainer.ts";

/**
 * `training/*` of `calculate_debug_metrics` (verl/utils/debug/metrics.py), on probabilities: |e^old − e^rollout| over
 * masked tokens. `_std` divides by n − 1, so it and Pearson are NaN for one token; with nothing masked in, `_valid` is
 * 0 and the rest NaN.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { MismatchSummary, packPadded, verlDebugMetrics } from "logratio";
 *
 * const batch = packPadded({
 *   rollout_log_probs: [[Math.log(0.5), Math.log(0.25)]],
 *   old_log_probs: [[Math.log(0.5), Math.log(0.5)]],
 * });
 * const metrics = verlDebugMetrics(MismatchSummary.of(batch));
 * assert(Math.abs((metrics["training/rollout_probs_diff_max"] ?? NaN) - 0.25) < 1e-6); // a fraction
 * ```
 *
 * @returns fractions and a correlation, under verl's keys
 */
export function verlDebugMetrics(summary: MismatchSummary): Metrics {
  const at = (field: number): number => summary.sums[field]!;
  const count = at(PROB_COUNT);
  const broken = countNonFinite(summary.sums).probabilities;
  const valid = count > 0 || broken;
  const unless = (value: number): number => (valid && !broken ? value : Number.NaN);
  return {
    "training/rollout_probs_diff_valid": valid ? 1 : 0,
    "training/rollout_probs_diff_max": unless(at(ABS_PROB_DIFF_MAX)),
    "training/rollout_probs_diff_mean": unless(at(ABS_PROB_DIFF_MEAN)),
    "training/rollout_probs_diff_std": unless(absProbDiffStd(summary.sums, 0, 1)),
    "training/rollout_actor_probs_pearson_corr": unless(pearson(summary.sums)),
  };
}

/**
 * `per_round/*` of verl's pull request 5229: mean |Δ| of all tokens in the i-th run of mask 1, whichever sequence it is in.
 * A round counts all its tokens; if one of them is NaN, so is the mean, and the round is never the worst. Only
 * `total_rounds` is present when nothing is masked in; a tie for `max_round_diff` goes to the earlier round, and it is
 * -1 if every mean is NaN.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { MismatchSummary, packPadded, verlPerRoundMetrics } from "logratio";
 *
 * const batch = packPadded({
 *   rollout_log_probs: [[-1, -9, -2]],
 *   old_log_probs: [[-1, -9, -1.5]],
 *   response_mask: [[1, 0, 1]], // two rounds with a tool's token between them
 * });
 * const metrics = verlPerRoundMetrics(MismatchSummary.of(batch));
 * assert.equal(metrics["per_round/total_rounds"], 2);
 * assert.equal(metrics["per_round/max_diff_value"], 0.5); // nats
 * ```
 *
 * @returns nats and counts, under verl's keys
 */
export function verlPerRoundMetrics(summary: MismatchSummary): Metrics {
  const metrics: Record<string, number> = { "per_round/total_rounds": summary.turns.length };
  let worst = -1;
  let worstValue = Number.NEGATIVE_INFINITY;
  summary.turns.forEach(({ sums }, round) => {
    const state = countNonFinite(sums);
    const infinite = Number.POSITIVE_INFINITY;
    const mean = poison(sums[ABS_DELTA_SUM]! / sums[COUNT]!, state, {
      trainerZero: infinite,
      rolloutZero: infinite,
    });
    metrics[`per_round/round_${round}_abs_diff_mean`] = mean;
    metrics[`per_round/round_${round}_token_count`] = countMasked(sums);
    if (mean > worstValue) {
      worst = round;
      worstValue = mean;
    }
  });
  if (summary.turns.length > 0) metrics["per_round/max_round_diff"] = worst;
  if (worst >= 0) metrics["per_round/max_diff_value"] = worstValue;
  return metrics;
}

/**
 * What `compute_offpolicy_metrics` returns (verl/trainer/ppo/rollout_corr_helper.py), without the prefix
 * `rollout_corr/`. Quirks kept: rows without a masked token count as rows (perplexity 1, difference 0), means over
 * rows are not weighted by length, k3 is not clamped while chi-squared clamps log ratios to ±20.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { MismatchSummary, packPadded, verlOffpolicyMetrics } from "logratio";
 *
 * const batch = packPadded({
 *   rollout_log_probs: [[Math.log(0.5), Math.log(0.25)]],
 *   old_log_probs: [[Math.log(0.5), Math.log(0.5)]],
 * });
 * const { kl } = verlOffpolicyMetrics(MismatchSummary.of(batch));
 * assert(Math.abs((kl ?? NaN) - -Math.log(2) / 2) < 1e-6); // nats
 * ```
 *
 * @returns KLs in nats, perplexities and ratios as plain numbers, under verl's keys
 */
export function verlOffpolicyMetrics(summary: MismatchSummary): Metrics {
  const at = (field: number): number => summary.sums[field]!;
  const { sequences } = summary;
  const rows = sequences.count + sequences.empty;
  const count = at(COUNT);
  const state = countNonFinite(summary.sums);
  const up = Number.POSITIVE_INFINITY;
  const down = Number.NEGATIVE_INFINITY;
  const overRows = (sum: number, ofEmpty = 0): number => (sum + sequences.empty * ofEmpty) / rows;
  const diffMean = overRows(sequences.diffMean * sequences.count);
  const pplRatio = overRows(sequences.pplRatioExcess) + 1;
  return {
    training_ppl: poison(overRows(sequences.trainerPpl, 1), state, { trainerZero: up }),
    training_log_ppl: poison(overRows(sequences.trainerLogPpl), state, { trainerZero: up }),
    kl: poison(maskedMean(-at(DELTA_MEAN) * count, count), state, { trainerZero: up, rolloutZero: down }),
    k3_kl: poison(maskedMean(at(K3_SUM), count), state, { trainerZero: up, rolloutZero: up }),
    rollout_ppl: poison(overRows(sequences.rolloutPpl, 1), state, { rolloutZero: up }),
    rollout_log_ppl: poison(overRows(sequences.rolloutLogPpl), state, { rolloutZero: up }),
    log_ppl_diff: poison(diffMean, state, { trainerZero: up, rolloutZero: down }),
    log_ppl_abs_diff: poison(overRows(sequences.diffAbs), state, { trainerZero: up, rolloutZero: up }),
    log_ppl_diff_max: poison(
      sequences.empty > 0 ? Math.max(sequences.diffMax, 0) : sequences.diffMax,
      state,
      { trainerZero: up },
    ),
    log_ppl_diff_min: poison(
      sequences.empty > 0 ? Math.min(sequences.diffMin, 0) : sequences.diffMin,
      state,
      { rolloutZero: down },
    ),
    ppl_ratio: poison(pplRatio, state, { trainerZero: up }),
    chi2_token: poison(chi2OfMaskedMean(summary.sums), state, {}),
    chi2_seq: poison(overRows(sequences.chi2), state, {}),
  };
}

/** verl's mean of ρ² − 1, Δ clamped: (n (1 + χ²)) / (n + 1e-8) − 1 without subtracting large numbers. */
function chi2OfMaskedMean(sums: Float64Array): number {
  const count = sums[COUNT]!;
  return (chi2TokenClamped(sums) * count - MASKED_MEAN_EPSILON) / (count + MASKED_MEAN_EPSILON);
}

function prefixed(prefix: string, metrics: Metrics): Metrics {
  return Object.fromEntries(Object.entries(metrics).map(([key, value]) => [prefix + key, value]));
}

function verlMetrics(summary: MismatchSummary): Metrics {
  return {
    ...verlDebugMetrics(summary),
    ...prefixed("rollout_corr/", verlOffpolicyMetrics(summary)),
    ...verlPerRoundMetrics(summary),
  };
}

const EMPTY_ROWS =
  "verl averages over all rows; a row without a masked token adds perplexity 1 and difference 0";

function verlDiscrepancies(summary: MismatchSummary, logged: Metrics): Discrepancy[] {
  const { sequences, sums } = summary;
  const perRow = (sum: number): number => sum / sequences.count;
  return findDiscrepancies(logged, [
    ["rollout_corr/training_ppl", perRow(sequences.trainerPpl), EMPTY_ROWS],
    ["rollout_corr/training_log_ppl", perRow(sequences.trainerLogPpl), EMPTY_ROWS],
    ["rollout_corr/rollout_ppl", perRow(sequences.rolloutPpl), EMPTY_ROWS],
    ["rollout_corr/rollout_log_ppl", perRow(sequences.rolloutLogPpl), EMPTY_ROWS],
    ["rollout_corr/log_ppl_diff", sequences.diffMean, EMPTY_ROWS],
    ["rollout_corr/log_ppl_abs_diff", perRow(sequences.diffAbs), EMPTY_ROWS],
    ["rollout_corr/log_ppl_diff_max", sequences.diffMax, EMPTY_ROWS],
    ["rollout_corr/log_ppl_diff_min", sequences.diffMin, EMPTY_ROWS],
    ["rollout_corr/ppl_ratio", perRow(sequences.pplRatioExcess) + 1, EMPTY_ROWS],
    [
      "rollout_corr/chi2_seq",
      perRow(sequences.chi2),
      "verl averages over all rows; a row without a masked token adds 0",
    ],
    ["rollout_corr/chi2_token", chi2Token(sums), "verl clamps log ratios to ±20 before squaring"],
  ]);
}

export const verlParity: ParityTrainer = {
  name: "verl",
  source: "verl utils/debug/metrics.py, trainer/ppo/rollout_corr_helper.py @ 1dda039b, pull request 5229",
  unit: "batch",
  metrics: (batch) => verlMetrics(batch.summary),
  discrepancies: (batch, logged) => verlDiscrepancies(batch.summary, logged),
};
