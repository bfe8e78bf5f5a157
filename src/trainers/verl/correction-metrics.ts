/**
 * The `rollout_corr/*` metrics: `compute_is_metrics`, `compute_rs_metrics` and `compute_offpolicy_metrics` of
 * verl/trainer/ppo/rollout_corr_helper.py @ 1dda039b. All are over the original response mask, and those about weights are before normalization.
 *
 * @module
 */
import { EmptyInputError } from "../../core/base/index.ts";
import { MismatchSummary } from "../../core/summaries/index.ts";
import type { AppliedCorrection, CorrectionBlock } from "../neutral/index.ts";
import type { BatchMetrics } from "../shared/index.ts";
import {
  computeMaskedMean,
  type Figures,
  Moments,
  maskedEffectiveSize,
  maskedMean,
  maskedStd,
  prefixed,
  rowStd,
} from "../shared/index.ts";
import { verlOffpolicyMetrics } from "./mismatch-metrics.ts";
import { VERL_BOUND, type VerlImportance, type VerlPlan, type VerlRejection } from "./settings.ts";

/**
 * Sums one batch. `finish` raises EmptyInputError where verl raises ValueError: no token with mask 1.
 * `rollout_is_eff_sample_size` is NaN where every weight is 0, for which verl stops with ZeroDivisionError.
 */
export function verlBatchMetrics({ importance, rejections }: VerlPlan): BatchMetrics {
  const summary = new MismatchSummary({ detail: "slice" });
  const weights = importance && importanceFigures(importance);
  const rejected = rejections.length > 0 ? rejectionFigures(rejections) : undefined;
  let tokens = 0;
  return {
    add(block, applied) {
      tokens += block.mask.reduce((count, bit) => count + (bit === 0 ? 0 : 1), 0);
      summary.merge(MismatchSummary.of(block, { detail: "slice" }));
      weights?.add(block, applied);
      rejected?.add(block, applied);
    },
    finish() {
      if (tokens === 0) {
        throw new EmptyInputError("response_mask must contain at least one valid token (1).", {
          likely: "every token of this batch is a prompt, tool or padding token",
        });
      }
      const figures = { ...weights?.finish(), ...rejected?.finish(), ...verlOffpolicyMetrics(summary) };
      return prefixed("rollout_corr/", figures);
    },
  };
}

interface Accumulator {
  add(block: CorrectionBlock, applied: AppliedCorrection): void;
  finish(): Figures;
}

function importanceFigures({ level, lower, upper, normalize }: VerlImportance): Accumulator {
  const low = lower ?? 1 / upper;
  const [logLow, logHigh] = [Math.log(low), Math.log(upper)];
  const tokens = new Moments();
  const rows = new Moments();
  const validRows = new Moments();
  const deviations = new Moments();
  const logs = new Moments();
  const above = { tokens: 0, rows: 0, logs: 0 };
  const below = { tokens: 0, rows: 0, logs: 0 };

  return {
    add({ mask, offsets }, { weights, rawWeights, logWeights, steps }) {
      const factor = steps.find(({ step }) => step.action === "normalize")?.factor ?? 1;
      for (let row = 0; row + 1 < offsets.length; row++) {
        let count = 0;
        let sum = 0;
        let rawSum = 0;
        for (let t = offsets[row]!; t < offsets[row + 1]!; t++) {
          if (mask[t] === 0) continue;
          const weight = weights![t]! * factor;
          const raw = rawWeights![t]!;
          tokens.add(weight);
          count++;
          sum += weight;
          rawSum += raw;
          if (raw > upper) above.tokens++;
          if (raw < low) below.tokens++;
        }
        const mean = maskedMean(sum, count);
        rows.add(mean);
        if (count > 0) validRows.add(mean);
        deviations.add(Math.abs(mean - 1));
        const rawMean = maskedMean(rawSum, count);
        if (rawMean > upper) above.rows++;
        if (rawMean < low) below.rows++;
        if (level === "token") continue;
        const log = logWeights!.values[row]!;
        logs.add(log);
        if (log > logHigh) above.logs++;
        if (log < logLow) below.logs++;
      }
    },
    finish() {
      const count = tokens.count;
      const size = maskedEffectiveSize(tokens);
      const norm = level === "token" ? computeMaskedMean(tokens) : validRows.mean;
      return {
        rollout_is_mean: computeMaskedMean(tokens),
        rollout_is_max: level === "token" ? tokens.max : Math.exp(Math.min(logs.max, VERL_BOUND)),
        rollout_is_min: level === "token" ? tokens.min : Math.exp(logs.min),
        rollout_is_ratio_fraction_high:
          level === "token" ? maskedMean(above.tokens, count) : above.logs / logs.count,
        rollout_is_ratio_fraction_low:
          level === "token" ? maskedMean(below.tokens, count) : below.logs / logs.count,
        rollout_is_std: maskedStd(tokens),
        rollout_is_eff_sample_size: size === Number.POSITIVE_INFINITY ? Number.NaN : size,
        rollout_is_seq_mean: rows.mean,
        rollout_is_seq_std: rowStd(rows),
        rollout_is_seq_max: rows.max,
        rollout_is_seq_min: rows.min,
        rollout_is_seq_max_deviation: deviations.max,
        rollout_is_seq_fraction_high: above.rows / rows.count,
        rollout_is_seq_fraction_low: below.rows / rows.count,
        ...(lower !== undefined && {
          rollout_is_oob_ratio: maskedMean(above.tokens + below.tokens, count),
        }),
        ...(normalize && { rollout_is_batch_norm_factor: norm > 1e-8 ? norm : 1 }),
      };
    },
  };
}

function rejectionFigures(rejections: readonly VerlRejection[]): Accumulator {
  const options = rejections.map(optionFigures);
  const rejectedTokens = new Moments();
  let rows = 0;
  let rejectedRows = 0;
  return {
    add(block, applied) {
      const masks = applied.steps.filter(({ step }) => step.action === "mask");
      options.forEach((option, i) => {
        option.add(block, masks[i]!.measured!);
      });
      const { mask, offsets } = block;
      for (let row = 0; row + 1 < offsets.length; row++) {
        let lost = false;
        for (let t = offsets[row]!; t < offsets[row + 1]!; t++) {
          if (mask[t] === 0) continue;
          const rejected = applied.mask[t] === 0 ? 1 : 0;
          rejectedTokens.add(rejected);
          if (rejected) lost = true;
        }
        rows++;
        if (lost) rejectedRows++;
      }
    },
    finish() {
      return {
        ...Object.assign({}, ...options.map((option) => option.finish())),
        rollout_rs_masked_fraction: computeMaskedMean(rejectedTokens),
        rollout_rs_seq_masked_fraction: rejectedRows / rows,
      };
    },
  };
}

interface OptionFigures {
  add(
    block: CorrectionBlock,
    measured: { readonly values: Float64Array; readonly rejected: Uint8Array },
  ): void;
  finish(): Figures;
}

function optionFigures({
  option,
  statistic,
  level,
  aggregation,
  lower,
  upper,
}: VerlRejection): OptionFigures {
  const tokens = new Moments();
  const clamped = new Moments();
  const rows = new Moments();
  const sizes = new Moments();
  const above = { tokens: 0, rows: 0 };
  const below = { tokens: 0, rows: 0 };
  const rejections = { tokens: 0, rows: 0 };
  const floor = lower ?? 0;

  const addToken = (value: number, weight: number, rejected: boolean): void => {
    tokens.add(value, weight);
    clamped.add(value < floor ? floor : Math.min(value, upper), weight);
    if (value > upper) above.tokens += weight;
    if (lower !== undefined && value < lower) below.tokens += weight;
    if (rejected) rejections.tokens += weight;
  };

  return {
    add({ mask, offsets }, { values, rejected }) {
      for (let row = 0; row + 1 < offsets.length; row++) {
        let count = 0;
        let sum = 0;
        let lost = false;
        for (let t = offsets[row]!; t < offsets[row + 1]!; t++) {
          if (mask[t] === 0) continue;
          count++;
          if (level === "sequence") continue;
          sum += values[t]!;
          if (rejected[t] === 1) lost = true;
          addToken(values[t]!, 1, rejected[t] === 1);
        }
        if (count === 0) continue;
        if (level === "sequence") {
          const value = values[row]! * (aggregation === "mean" ? maskedMean(count, count) : 1);
          lost = rejected[row] === 1;
          addToken(value, count, lost);
          sum = value;
        }
        const value = level === "sequence" ? sum : maskedMean(sum, count);
        rows.add(value);
        sizes.add(Math.abs(value));
        if (value > upper) above.rows++;
        if (lower !== undefined && value < lower) below.rows++;
        if (lost) rejections.rows++;
      }
    },
    finish() {
      const extremes = level === "token" ? tokens : rows;
      const share = (of: { readonly tokens: number; readonly rows: number }): number =>
        level === "token" ? maskedMean(of.tokens, tokens.count) : of.rows / rows.count;
      const figures: Figures = {
        mean: computeMaskedMean(tokens),
        max: extremes.max,
        min: extremes.min,
        fraction_high: share(above),
        fraction_low: share(below),
        std: maskedStd(clamped),
        seq_mean: rows.mean,
        seq_std: rowStd(rows),
        seq_max: rows.max,
        seq_min: rows.min,
        seq_max_deviation: sizes.max,
        seq_fraction_high: above.rows / rows.count,
        ...(statistic === "k1" && { seq_fraction_low: below.rows / rows.count }),
        masked_fraction: maskedMean(rejections.tokens, tokens.count),
        seq_masked_fraction: rejections.rows / rows.count,
      };
      return prefixed(`rollout_rs_${option}_`, figures);
    },
  };
}
