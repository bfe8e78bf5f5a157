import type {
  BaselineReading,
  MismatchMetrics,
  StepMetrics,
  Verdict,
  VerdictLevel,
} from "../protocol/report.ts";
import { LEVELS, readBaselines, worstLevel } from "./baselines.ts";

/** As people write these figures. */
const LABELS: Readonly<Record<string, string>> = {
  delta_abs_mean: "mean |Δ|",
  prob_diff_mean: "mean |Δp|",
  prob_diff_max: "max |Δp|",
  pearson: "Pearson",
  ess: "ESS",
};

const MEANING: Readonly<Record<VerdictLevel, string>> = {
  none: "rollout and trainer agree bit for bit",
  normal: "the mismatch is what kernels and precision explain",
  elevated: "the mismatch is larger than kernels and precision usually explain",
  high: "the mismatch is large enough to bias the updates: correct for it, and look for the cause",
  broken:
    "these are hardly the same policy: suspect misaligned tokens, masks or weights before anything else",
};

/**
 * Holds the pooled figures against the published baselines, and each step against them too: a run that is sound on
 * average but has broken steps says so.
 */
export function verdictOf(metrics: MismatchMetrics, perStep: readonly StepMetrics[]): Verdict {
  const readings = readBaselines(metrics);
  if (metrics.tokens === 0) {
    return {
      level: "broken",
      headline: "no token has both log-probs: there is nothing to compare",
      readings,
    };
  }
  if (metrics.delta_abs_max === 0) return { level: "none", headline: MEANING.none, readings };
  const level = worstLevel(readings);
  return {
    level,
    headline: `${MEANING[level]}${because(readings, level)}${worseSteps(perStep, level)}`,
    readings,
  };
}

function because(readings: readonly BaselineReading[], level: VerdictLevel): string {
  const culprits = readings
    .filter((reading) => reading.level === level && level !== "normal")
    .map(({ metric }) => LABELS[metric] ?? metric);
  return culprits.length === 0 ? "" : ` (${culprits.join(", ")})`;
}

function worseSteps(perStep: readonly StepMetrics[], level: VerdictLevel): string {
  const worse = perStep
    .map((step) => ({ step: step.step, level: worstLevel(readBaselines(step)) }))
    .filter((step) => LEVELS.indexOf(step.level) > LEVELS.indexOf(level));
  if (worse.length === 0 || perStep.length < 2) return "";
  const worst = worse.reduce((a, b) => (LEVELS.indexOf(b.level) > LEVELS.indexOf(a.level) ? b : a));
  const count =
    worse.length === 1 ? "" : ` and ${worse.length - 1} more ${worse.length === 2 ? "step" : "steps"}`;
  return `; step ${worst.step}${count} ${worse.length === 1 ? "is" : "are"} worse (${worst.level})`;
}
