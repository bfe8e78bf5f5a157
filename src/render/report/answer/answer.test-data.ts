import { sampleReport } from "../../../../test/report/sample-report.ts";
import { makeAssessment } from "../../../../test/support/assessment.ts";
import type { Assessment, CauseGroup, StandingPart, StepSegment } from "../../../results/assessment.ts";
import type { EventAlternative, MistakeEvent } from "../../../results/events.ts";
import type { MismatchReport } from "../../../results/report.ts";

/** A report whose answer has only what is given. */
export function makeReport(
  answer: Partial<Assessment> = {},
  more: Partial<MismatchReport> = {},
): MismatchReport {
  return { ...sampleReport(), facts: [], assessment: makeAssessment(answer), ...more };
}

export function makeGroup(
  title: string,
  probability: number,
  { causes = [], ...more }: Partial<CauseGroup> = {},
): CauseGroup {
  const own = { id: "some_cause", title, probability };
  return {
    ...{ title, part: null, probability, coexists: false, causes: causes.length === 0 ? [own] : causes },
    ...{ evidence: [], picture: null, explains: 0.9, fix: null },
    ...more,
  };
}

export function makePart(kind: StandingPart["kind"], name: string, k3_share: number): StandingPart {
  return { kind, name, token_share: 0.1, k3_share, delta_abs_mean: 0.01 };
}

export function makeSegment(
  [from_step, to_step]: readonly [number, number],
  level: StepSegment["level"],
  delta_abs_mean = 0.01,
): StepSegment {
  const counts = { steps: 3, steps_at_level: 3, tokens: 4000 };
  return { from_step, to_step, level, delta_abs_mean, k3: delta_abs_mean / 100, ...counts };
}

export function makeAlternative(
  text: string | null,
  [rollout, trainer]: readonly [number | null, number | null],
) {
  return {
    ...{ token_id: 7, text, sampled: false },
    ...{ rollout_probability: rollout, trainer_probability: trainer },
  } satisfies EventAlternative;
}

/** The mistake of the example: 0 where the trainer would have written 1. */
export function makeEvent(more: Partial<MistakeEvent> = {}): MistakeEvent {
  return {
    ...{ key: "0123456789abcd", handle: "s30.q48.t39", file: "step_30.npz", steps: [30] },
    ...{ tokens: 7, answers: 7, of_answers: 8, answers_right: 0, answers_wrong: 7, turn: 1, token: 39 },
    ...{ delta_abs_sum: 70, delta_abs_share: 0.3, k3_sum: 60, k3_share: 0.5 },
    ...{ reaches_gradient: 0, gradient_share: 0, token_id: 16, advantage: 0, context: null },
    ...{ delta: -10.8, rollout_logprob: Math.log(0.983), trainer_logprob: Math.log(0.000_02) },
    text: {
      before: "adding both sides we have 110.\nTherefore x = 1",
      token: "0",
      after: "0. #### 100",
      prompt: "Question: please Solve x - 86 = 24",
    },
    alternatives: [
      { ...makeAlternative("0", [0.983, 0.000_02]), sampled: true },
      makeAlternative("1", [0.016, 0.9999]),
    ],
    ...more,
  };
}

/** The events of a run with only these. */
export function eventsOf(...list: readonly MistakeEvent[]): Assessment["events"] {
  return { ...makeAssessment().events, list, by_raw: list, count: list.length, tokens: 7, tokens_kept: 7 };
}
