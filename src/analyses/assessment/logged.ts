import { LARGE_DELTA } from "../../core/summaries/index.ts";
import type { Assessment } from "../../results/assessment.ts";
import type { BesideFinding } from "../../results/beside.ts";
import type { Finite } from "../../results/finite.ts";
import type { ReadingLevel } from "../../results/report.ts";

/** What logged metrics alone say about a run. */
export interface LoggedParts {
  /** Level of the mismatch metrics by published baselines; null if none is logged. */
  readonly level: ReadingLevel | null;
  readonly headline: string;
  readonly finite: Finite;
  readonly beside: readonly BesideFinding[];
}

/**
 * The answer about a run with logged metrics only. Without a mismatch metric there is too little for a verdict, and
 * other bad findings become the fault.
 */
export function assessLogged({ level, headline, finite, beside }: LoggedParts): Assessment {
  const isBad = beside.some((finding) => finding.level === "bad");
  return {
    level: level ?? (isBad ? "fault" : "too_few"),
    sentence: headline,
    comparable: { is_comparable: true, reason: null, by_shift: [], shift: null },
    finite,
    when: { words: null, segments: [], steps_skipped: 0, false_alarm_rate: 0 },
    diagnosis: null,
    causes: [],
    events: {
      rank: "raw",
      list: [],
      by_raw: [],
      count: 0,
      delta_abs_from: LARGE_DELTA,
      tokens: 0,
      tokens_kept: 0,
    },
    reach: null,
    where: [],
    beside,
    correction: null,
    untested: [],
    next: null,
  };
}
