import { formatId, formatNumber } from "../../core/text/index.ts";
import type { StepSegment } from "../../results/assessment.ts";
import type { MismatchReport, VerdictLevel } from "../../results/report.ts";

/** The state of a running run, in a word. */
interface WordNow {
  readonly level: VerdictLevel;
  readonly headline: string;
}

/**
 * Compares the last steps with those before: a mean over all steps describes neither. Falls back to the verdict on the
 * whole run if no steps stand apart, or if something other than their size decides, such as a fault.
 */
export function wordNow({ assessment, verdict }: Pick<MismatchReport, "assessment" | "verdict">): WordNow {
  const { level, when } = assessment;
  const [before, last] = when.segments.slice(-2);
  if (before === undefined || last === undefined || when.segments.every((segment) => segment.level !== level))
    return { level, headline: verdict.headline };
  return {
    level: last.level,
    headline: `since step ${formatId(last.from_step)}: mean |Δ| ${formatNumber(last.delta_abs_mean)} nats; ${before.level} in ${spanOf(before)} (${formatNumber(before.delta_abs_mean)})`,
  };
}

function spanOf({ from_step: from, to_step: to }: StepSegment): string {
  return from === to ? `step ${formatId(from)}` : `steps ${formatId(from)}–${formatId(to)}`;
}
