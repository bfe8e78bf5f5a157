/**
 * xtuner's mismatch metrics (InternLM/xtuner xtuner/v1/rl/rollout_is.py @ b934f462).
 *
 * @module
 */
import { UsageError } from "../../core/base/index.ts";
import {
  ABS_DELTA_SUM,
  COUNT,
  DELTA_MEAN,
  K3_SUM,
  ROLLOUT_SUM,
  TRAINER_SUM,
} from "../../core/kernels/index.ts";
import { maskedMean } from "../shared/masked-mean.ts";
import { countNonFinite, poison } from "../shared/non-finite.ts";
import {
  type Discrepancy,
  findDiscrepancies,
  type Metrics,
  type ParityBatch,
  type ParityTrainer,
} from "../shared/parity-trainer.ts";

const PREFIX = "mismatch/mismatch_";

/**
 * `compute_mismatch_metrics` of one pack. xtuner calls it on packed tensors of shape (1, N), so every "sequence"
 * figure describes the whole pack: `ppl` is exp of a pack mean, `log_ppl_diff_max` equals `_min`.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { MismatchSummary, packPadded, xtunerMismatchMetrics } from "logratio";
 *
 * const pack = packPadded({ rollout_log_probs: [[-1, -2]], old_log_probs: [[-1, -1.5]] });
 * const metrics = xtunerMismatchMetrics(MismatchSummary.of(pack).sums);
 * assert.equal(metrics["mismatch/valid"], 1);
 * assert(Math.abs((metrics["mismatch/mismatch_kl"] ?? NaN) + 0.25) < 1e-6); // nats
 * ```
 *
 * @param pack the sums of the pack: `MismatchSummary.sums`, or a row of `mismatchSums`
 * @returns KLs and log-perplexities in nats, perplexities as plain numbers, under xtuner's keys
 */
export function xtunerMismatchMetrics(pack: Float64Array): Metrics & { readonly "mismatch/valid": number } {
  const at = (field: number): number => pack[field]!;
  const count = at(COUNT);
  const state = countNonFinite(pack);
  const up = Number.POSITIVE_INFINITY;
  const down = Number.NEGATIVE_INFINITY;
  const trainer = poison(maskedMean(at(TRAINER_SUM), count), state, { trainerZero: down });
  const rollout = poison(maskedMean(at(ROLLOUT_SUM), count), state, { rolloutZero: down });
  const diff = poison(maskedMean(-at(DELTA_MEAN) * count, count), state, {
    trainerZero: up,
    rolloutZero: down,
  });
  return {
    "mismatch/valid": count > 0 || state.undefined || state.trainerZero || state.rolloutZero ? 1 : 0,
    [`${PREFIX}training_ppl`]: Math.exp(-trainer),
    [`${PREFIX}training_log_ppl`]: -trainer,
    [`${PREFIX}kl`]: diff,
    [`${PREFIX}k3_kl`]: poison(maskedMean(at(K3_SUM), count), state, { trainerZero: up, rolloutZero: up }),
    [`${PREFIX}rollout_ppl`]: Math.exp(-rollout),
    [`${PREFIX}rollout_log_ppl`]: -rollout,
    [`${PREFIX}log_ppl_diff`]: diff,
    [`${PREFIX}log_ppl_abs_diff`]: Math.abs(diff),
    [`${PREFIX}log_ppl_diff_max`]: diff,
    [`${PREFIX}log_ppl_diff_min`]: diff,
    [`${PREFIX}ppl_ratio`]: Math.exp(diff),
    [`${PREFIX}logprob_abs_diff`]: poison(maskedMean(at(ABS_DELTA_SUM), count), state, {
      trainerZero: up,
      rolloutZero: up,
    }),
  };
}

/**
 * `merge_rollout_is_metrics` of xtuner: over valid packs, keys with "max" take the maximum, with "min" the minimum, all
 * others the mean with every pack weighted alike; 0 everywhere when no pack is valid.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { mergeXtunerMetrics } from "logratio/corrections";
 *
 * const packs = [
 *   { "mismatch/valid": 1, "mismatch/mismatch_kl": 0.25, "mismatch/rollout_is_max": 2 }, // nats, a ratio
 *   { "mismatch/valid": 1, "mismatch/mismatch_kl": 0.75, "mismatch/rollout_is_max": 3 },
 *   { "mismatch/valid": 0, "mismatch/mismatch_kl": 9, "mismatch/rollout_is_max": 9 },
 * ];
 * assert.deepEqual(mergeXtunerMetrics(packs), { "mismatch/mismatch_kl": 0.5, "mismatch/rollout_is_max": 3 });
 * ```
 *
 * @param packs metrics of each pack under xtuner's keys, as `xtunerMismatchMetrics` gives them
 * @returns one figure per key, in the unit of that key
 * @throws UsageError when a pack lacks a key that another has
 */
export function mergeXtunerMetrics(packs: readonly Metrics[]): Metrics {
  const valid = packs.filter((pack) => (pack["mismatch/valid"] ?? 1) !== 0);
  const keys = Object.keys(packs[0] ?? {}).filter((key) => key !== "mismatch/valid");
  return Object.fromEntries(
    keys.map((key) => {
      const lacking = valid.findIndex((pack) => pack[key] === undefined);
      if (lacking >= 0)
        throw new UsageError(`pack ${lacking} has no ${key}, which others have`, {
          likely: "its metrics were made with other settings",
        });
      const values = valid.map((pack) => pack[key]!);
      if (values.length === 0) return [key, 0];
      if (key.includes("max")) return [key, values.reduce((a, b) => Math.max(a, b))];
      if (key.includes("min")) return [key, values.reduce((a, b) => Math.min(a, b))];
      return [key, values.reduce((a, b) => a + b) / values.length];
    }),
  );
}

function xtunerDiscrepancies({ summary, packs }: ParityBatch, logged: Metrics): Discrepancy[] {
  const { sums, sequences } = summary;
  const count = sums[COUNT]!;
  const perSequence = (sum: number): number => sum / sequences.count;
  const ofPacks = packs.length > 1;
  const tokens = ofPacks ? "mean of pack means: a short pack weighs as much as a long one" : "";
  const rows = ofPacks
    ? "computed per pack, then averaged over packs: not over sequences"
    : "computed over the pack as if it were one sequence";
  return findDiscrepancies(logged, [
    [`${PREFIX}kl`, -sums[DELTA_MEAN]!, tokens],
    [`${PREFIX}k3_kl`, sums[K3_SUM]! / count, tokens],
    [`${PREFIX}logprob_abs_diff`, sums[ABS_DELTA_SUM]! / count, tokens],
    [`${PREFIX}training_ppl`, perSequence(sequences.trainerPpl), rows],
    [`${PREFIX}training_log_ppl`, perSequence(sequences.trainerLogPpl), rows],
    [`${PREFIX}rollout_ppl`, perSequence(sequences.rolloutPpl), rows],
    [`${PREFIX}rollout_log_ppl`, perSequence(sequences.rolloutLogPpl), rows],
    [`${PREFIX}log_ppl_diff`, sequences.diffMean, rows],
    [`${PREFIX}log_ppl_abs_diff`, perSequence(sequences.diffAbs), rows],
    [`${PREFIX}log_ppl_diff_max`, sequences.diffMax, `${rows}; the worst sequence is hidden`],
    [`${PREFIX}log_ppl_diff_min`, sequences.diffMin, `${rows}; the worst sequence is hidden`],
    [`${PREFIX}ppl_ratio`, perSequence(sequences.pplRatioExcess) + 1, rows],
  ]);
}

export const xtunerParity: ParityTrainer = {
  name: "xtuner",
  source: "xtuner v1/rl/rollout_is.py @ b934f462: compute_mismatch_metrics, merge_rollout_is_metrics",
  unit: "pack",
  metrics: ({ packs }) => mergeXtunerMetrics(packs.map(xtunerMismatchMetrics)),
  discrepancies: xtunerDiscrepancies,
};
