/**
 * The `rollout_corr/*` metrics: `compute_is_metrics`, `compute_rs_metrics` and `compute_offpolicy_metrics` of
 * verl/trainer/ppo/rollout_corr_helper.py @ 1dda039b. All are over the original response mask, and those about weights
 * are before normalization.
 *
 * @module
 */
import { EmptyInputError } from "../../core/base/index.ts";
import { MismatchSummary } from "../../core/summaries/index.ts";
import { prefixed } from "../shared/masked-figures.ts";
import type { BatchMetrics } from "../shared/preset.ts";
import { ImportanceSums } from "./importance-metrics.ts";
import { verlOffpolicyMetrics } from "./mismatch-metrics.ts";
import { RejectionSums } from "./rejection-metrics.ts";
import type { VerlPlan } from "./settings.ts";

/**
 * Sums one batch. `finish` throws EmptyInputError if no token has mask 1, where verl raises ValueError.
 * `rollout_is_eff_sample_size` is NaN if every weight is 0, where verl stops with ZeroDivisionError.
 */
export function verlBatchMetrics({ importance, rejections }: VerlPlan): BatchMetrics {
  const summary = new MismatchSummary({ detail: "slice" });
  const weights = importance && new ImportanceSums(importance);
  const rejected = rejections.length > 0 ? new RejectionSums(rejections) : undefined;
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
