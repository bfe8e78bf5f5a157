import { formatCount, formatNumber, formatShare } from "../../core/text/index.ts";
import type { SweepReport } from "../../results/sweep.ts";

/** One sentence on how useful product ratios are at this length; undefined if unknown. */
export function budgetSentence({ corrections, metrics }: SweepReport): string | undefined {
  const budget = corrections[0]?.token_budget;
  if (!budget) return undefined;
  const { ess_half, in_bounds, sequence_length_mean, ess_at_mean_length } = budget;
  if (ess_half === Number.POSITIVE_INFINITY)
    return "Product ratios: both policies agree, so sequences may have any length.";
  return `Product ratios: usable up to about ${tokens(in_bounds)} tokens (one standard deviation within 1/2 to 2); their ESS halves at ${tokens(ess_half)}, and at the mean length of ${tokens(sequence_length_mean)} that is ${formatShare(ess_at_mean_length)} if Δ is normal; measured here ${formatShare(metrics.ess_seq)}.`;
}

function tokens(count: number): string {
  return count < 1 ? formatNumber(count) : formatCount(count);
}
