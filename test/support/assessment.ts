import type { Assessment } from "../../src/results/assessment.ts";

/** The answer about a run of which only what is given is known. */
export function makeAssessment(known: Partial<Assessment> = {}): Assessment {
  return {
    level: "normal",
    sentence: "kernels and precision explain the mismatch",
    comparable: { is_comparable: true, reason: null, by_shift: [], shift: null },
    finite: { found: [], sentence: null, read_as_missing: 0 },
    when: { words: null, segments: [], steps_skipped: 0, false_alarm_rate: 0.05 },
    diagnosis: null,
    causes: [],
    events: {
      rank: "raw",
      list: [],
      by_raw: [],
      count: 0,
      delta_abs_from: 0.693359375,
      tokens: 0,
      tokens_kept: 0,
    },
    reach: null,
    where: [],
    beside: [],
    correction: null,
    untested: [],
    next: null,
    ...known,
  };
}
