import {
  FEWEST_FOR_BROKEN,
  FEWEST_SEQUENCES,
  FEWEST_TOKENS,
  isEnough,
} from "../../core/statistics/enough.ts";
import { formatCount, formatShare, plural } from "../../core/text/index.ts";
import type { CorrectionNeed } from "../../results/assessment.ts";
import { runMetric } from "../../results/metrics/run-metrics.ts";
import type { BaselineReading, LeftOut, ReadingLevel, Verdict } from "../../results/report.ts";
import {
  BROKEN_DELTA,
  findWorstLevel,
  LEVELS,
  type Ranges,
  readBaselines,
  type VerdictMetrics,
} from "./baselines.ts";
import { droppedShares, type Kept } from "./left-out.ts";
import type { Segmentation } from "./when.ts";
import { placeWords, sayWhen } from "./when-words.ts";

const MEANING: Readonly<Record<ReadingLevel, string>> = {
  none: "rollout and trainer log-probs are identical: the engines agree bit for bit, or one column was written as both (AReaL without its decoupled loss overwrites the engine's)",
  normal: "kernels and precision explain the mismatch",
  elevated: "larger than kernels and precision explain",
  high: "large enough to bias the updates: correct for it and find the cause",
  broken: "these are hardly the same policy: first check for misaligned tokens, masks or weights",
};

/** Replaces "correct for it" if the ratios are so even that there is nothing to correct. */
const HIGH_BUT_EVEN =
  "find the cause; no correction is needed, since the ratios are even, but the mismatch is far larger than kernels and precision explain";

/**
 * If at least this share of the comparable data is lost, the first line says so; from the second share on, it comes
 * first.
 */
const TOLD_SHARE = 0.1;
const TOLD_FIRST_SHARE = 0.5;

export interface VerdictInput {
  readonly metrics: VerdictMetrics;
  /** Uncertainty of the pooled figures. */
  readonly ranges: Ranges;
  /** Where the level of the steps jumps. */
  readonly segmentation: Segmentation;
  /** What is missing from the figures: a large share is stated with the verdict. */
  readonly leftOut: readonly LeftOut[];
  /** Number of files read. */
  readonly files: number;
  /** Whether a correction is needed: if not, the verdict does not ask for one. */
  readonly need?: CorrectionNeed | undefined;
  /** Why the numbers are not log-probs, if they are not: then nothing else can be said about them. */
  readonly fault?: string | undefined;
}

/**
 * Compares the pooled figures with the published baselines, at both ends of their intervals, and each segment of the
 * run too: a run that is healthy on average but was high in some steps is high, and the verdict says when. With too few
 * tokens or sequences there are readings but no verdict.
 */
export function judgeRun({
  metrics,
  ranges,
  segmentation,
  leftOut,
  files,
  need,
  fault,
}: VerdictInput): Verdict {
  const readings = readBaselines(metrics, ranges);
  const { tokens, sequences } = metrics;
  const meaning = (of: ReadingLevel): string =>
    of === "high" && need === "none" ? HIGH_BUT_EVEN : MEANING[of];
  const tell = tellDropped(droppedShares(leftOut, { token: tokens, sequence: sequences, file: files }));
  const settled = (level: Verdict["level"], headline: string): Verdict => {
    return { level, level_range: [level, level], headline: tell(headline), readings };
  };
  if (tokens === 0) return settled("too_few", "no token has both log-probs, so nothing can be compared");
  if (fault !== undefined) return settled("broken", fault);
  const level = judgeLevel(metrics, readings);
  if (level === "too_few") {
    const equal = metrics.delta_abs_max === 0 ? ", all of them equal bit for bit" : "";
    const needed = `${plural(FEWEST_TOKENS, "token")} and ${plural(FEWEST_SEQUENCES, "sequence")}`;
    return settled(
      level,
      `${plural(tokens, "token")} of ${plural(sequences, "sequence")}${equal}; a verdict needs at least ${needed}`,
    );
  }
  if (level === "none") return settled(level, MEANING.none);
  const settledLevels = segmentation.segments.map((segment) => segment.level);
  // With so little data the only possible verdict is broken, by the median: the readings may be milder.
  if (level === "broken" && !isEnough(metrics)) settledLevels.push(level);
  const [mildest, severest] = [0, 1].map((end) =>
    findWorstLevel([...readings.map(({ level_range }) => level_range[end]!), ...settledLevels]),
  ) as [ReadingLevel, ReadingLevel];
  const when = sayWhen(segmentation, mildest);
  const reason = placeWords(when, `${meaning(mildest)}${because(readings, mildest)}`);
  if (mildest === severest) return settled(mildest, reason);
  const open = readings.filter(({ level_range }) => isWorse(level_range[1], mildest)).map(labelReading);
  return {
    level: mildest,
    level_range: [mildest, severest],
    headline: tell(`${reason}; may be ${severest} (${open.join(", ")}): more prompts would tell`),
    readings,
  };
}

/** Judges the pooled figures alone, ignoring their intervals. */
export function judgeLevel(metrics: VerdictMetrics, readings: readonly BaselineReading[]): Verdict["level"] {
  if (!isEnough(metrics)) {
    const isSurelyBroken = metrics.tokens >= FEWEST_FOR_BROKEN && metrics.delta_abs_p50 > BROKEN_DELTA;
    return isSurelyBroken ? "broken" : "too_few";
  }
  return metrics.delta_abs_max === 0 ? "none" : findWorstLevel(readings.map(({ level }) => level));
}

const isWorse = (level: ReadingLevel, than: ReadingLevel): boolean =>
  LEVELS.indexOf(level) > LEVELS.indexOf(than);

const labelReading = ({ metric }: BaselineReading): string => runMetric(metric).label;

function because(readings: readonly BaselineReading[], level: ReadingLevel): string {
  const culprits = readings
    .filter(({ level_range }) => level_range[0] === level && level !== "normal")
    .map(labelReading);
  return culprits.length === 0 ? "" : ` (${culprits.join(", ")})`;
}

/** Adds to a headline what was lost, if it is a large share. */
function tellDropped([worst]: readonly Kept[]): (headline: string) => string {
  if (worst === undefined) return (headline) => headline;
  const { unit, kept, dropped } = worst;
  const share = dropped / (kept + dropped);
  if (share < TOLD_SHARE) return (headline) => headline;
  const lost = `${formatCount(dropped)} of ${plural(kept + dropped, unit)} (${formatShare(share)}) left out`;
  return (headline) =>
    kept > 0 && share > TOLD_FIRST_SHARE ? `${lost}; of the rest: ${headline}` : `${headline}; ${lost}`;
}
