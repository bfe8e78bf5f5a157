import type {
  BaselineReading,
  LeftOut,
  MismatchMetrics,
  ReadingLevel,
  StepMetrics,
  Verdict,
} from "../protocol/report.ts";
import { BROKEN_DELTA, LEVELS, readBaselines, worstLevel } from "./baselines.ts";
import { FEWEST_FOR_BROKEN, FEWEST_SEQUENCES, FEWEST_TOKENS, isEnough } from "./enough.ts";
import { droppedShares, type Kept } from "./left-out.ts";

/** As people write these figures. */
const LABELS: Readonly<Record<string, string>> = {
  delta_abs_mean: "mean |Δ|",
  prob_diff_mean: "mean |Δp|",
  prob_diff_max: "max |Δp|",
  pearson: "Pearson",
  ess: "ESS",
};

const MEANING: Readonly<Record<ReadingLevel, string>> = {
  none: "rollout and trainer log-probs are the same numbers: engines that agree bit for bit, or one column written as both",
  normal: "the mismatch is what kernels and precision explain",
  elevated: "the mismatch is larger than kernels and precision usually explain",
  high: "the mismatch is large enough to bias the updates: correct for it, and look for the cause",
  broken:
    "these are hardly the same policy: suspect misaligned tokens, masks or weights before anything else",
};

/** From this share of what could have been compared, what is lost is said in the first line. */
const TOLD_SHARE = 0.1;

/**
 * Holds the pooled figures against the published baselines, and each step against them too: a run that is sound on
 * average but has broken steps says so. Of too few tokens or sequences there are readings, but no word on the run.
 *
 * @param leftOut what is in no figure: a large share of it is told with the verdict
 * @param files that were read
 * @param fault why the numbers are no log-probs, if they are none: nothing else can be said of them
 */
export function verdictOf(
  metrics: MismatchMetrics,
  perStep: readonly StepMetrics[],
  leftOut: readonly LeftOut[],
  files: number,
  fault?: string,
): Verdict {
  const readings = readBaselines(metrics);
  const { tokens, sequences } = metrics;
  const dropped = tellDropped(droppedShares(leftOut, { token: tokens, sequence: sequences, file: files }));
  if (tokens === 0) {
    const headline = `no token has both log-probs: there is nothing to compare${dropped}`;
    return { level: "too_few", headline, readings };
  }
  if (fault !== undefined) return { level: "broken", headline: `${fault}${dropped}`, readings };
  const level = levelOf(metrics, readings);
  if (level === "too_few") {
    const equal = metrics.delta_abs_max === 0 ? ", all of them equal bit for bit" : "";
    const headline = `${count(tokens, "token")} of ${count(sequences, "sequence")}${equal}; a verdict needs at least ${count(FEWEST_TOKENS, "token")} and ${count(FEWEST_SEQUENCES, "sequence")}${dropped}`;
    return { level, headline, readings };
  }
  const why = level === "none" ? "" : because(readings, level) + worseSteps(perStep, level);
  return { level, headline: `${MEANING[level]}${why}${dropped}`, readings };
}

function levelOf(metrics: MismatchMetrics, readings: readonly BaselineReading[]): Verdict["level"] {
  if (!isEnough(metrics)) {
    const isSurelyBroken = metrics.tokens >= FEWEST_FOR_BROKEN && metrics.delta_abs_p50 > BROKEN_DELTA;
    return isSurelyBroken ? "broken" : "too_few";
  }
  return metrics.delta_abs_max === 0 ? "none" : worstLevel(readings);
}

function because(readings: readonly BaselineReading[], level: ReadingLevel): string {
  const culprits = readings
    .filter((reading) => reading.level === level && level !== "normal")
    .map(({ metric }) => LABELS[metric] ?? metric);
  return culprits.length === 0 ? "" : ` (${culprits.join(", ")})`;
}

/** Steps with too little data are not called worse than the run. */
function worseSteps(perStep: readonly StepMetrics[], level: ReadingLevel): string {
  if (perStep.length < 2) return "";
  const worse = perStep.flatMap((metrics) => {
    const own = levelOf(metrics, readBaselines(metrics));
    return own !== "too_few" && LEVELS.indexOf(own) > LEVELS.indexOf(level)
      ? [{ step: metrics.step, level: own }]
      : [];
  });
  if (worse.length === 0) return "";
  const worst = worse.reduce((a, b) => (LEVELS.indexOf(b.level) > LEVELS.indexOf(a.level) ? b : a));
  const more =
    worse.length === 1 ? "" : ` and ${worse.length - 1} more ${worse.length === 2 ? "step" : "steps"}`;
  return `; step ${worst.step}${more} ${worse.length === 1 ? "is" : "are"} worse (${worst.level})`;
}

function tellDropped([worst]: readonly Kept[]): string {
  if (worst === undefined) return "";
  const { unit, kept, dropped } = worst;
  const share = dropped / (kept + dropped);
  if (share < TOLD_SHARE) return "";
  const all = count(kept + dropped, unit);
  return `; ${dropped.toLocaleString("en")} of ${all} (${sharePercent(share)}) left out`;
}

/** Never 100 % of what is not all. */
function sharePercent(share: number): string {
  return share < 1 && share > 0.995 ? "over 99 %" : `${Math.round(share * 100)} %`;
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
