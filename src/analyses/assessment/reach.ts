import type { Reach } from "../../results/assessment.ts";
import type { GradientReport } from "../../results/gradient.ts";
import type { VerdictLevel } from "../../results/report.ts";
import type { Segmentation } from "./when.ts";

/** How much of the mismatch reaches the policy gradient; null if no token has an advantage. */
export function assessReach(
  gradient: GradientReport | null,
  { segments }: Segmentation,
  level: VerdictLevel,
): Reach | null {
  if (gradient === null || gradient.tokens === 0) return null;
  const bad = segments.filter((segment) => segment.level === level);
  const isPart = bad.length > 0 && bad.length < segments.length;
  return {
    k3_share_at_zero: gradient.k3_share_at_zero,
    impact_relative: gradient.impact_relative,
    impact_share_in_bad_steps: isPart ? shareIn(gradient, bad) : null,
  };
}

function shareIn(
  { per_step }: GradientReport,
  bad: readonly { readonly from_step: number; readonly to_step: number }[],
): number | null {
  const sum = (steps: GradientReport["per_step"]): number =>
    steps.reduce((total, { impact_mean, tokens }) => total + (tokens === 0 ? 0 : impact_mean * tokens), 0);
  const all = sum(per_step);
  const within = per_step.filter(({ step }) =>
    bad.some(({ from_step, to_step }) => step !== null && step >= from_step && step <= to_step),
  );
  return all > 0 ? sum(within) / all : null;
}
