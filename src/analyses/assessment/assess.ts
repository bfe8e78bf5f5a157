import type { Assessment, CorrectionNeed } from "../../results/assessment.ts";
import type { BesideFinding } from "../../results/beside.ts";
import type { Diagnosis } from "../../results/diagnosis.ts";
import type { MistakeEvents } from "../../results/events.ts";
import type { Finite } from "../../results/finite.ts";
import type { GradientReport } from "../../results/gradient.ts";
import type { MismatchReport, Verdict } from "../../results/report.ts";
import { tellBeside } from "./beside.ts";
import { groupCauses } from "./causes.ts";
import { assessComparable } from "./comparable.ts";
import { assessReach } from "./reach.ts";
import { settleVerdict } from "./settle.ts";
import type { Segmentation } from "./when.ts";
import { sayWhen } from "./when-words.ts";
import { findStandingParts, type PartSource } from "./where.ts";

/** What the assessment is based on. */
export interface AssessmentInput {
  readonly source: PartSource & { readonly gradient: GradientReport | null };
  /** The verdict on the pooled figures and the steps, from published baselines. */
  readonly verdict: Verdict;
  readonly finite: Finite;
  readonly segmentation: Segmentation;
  readonly events: MistakeEvents;
  readonly beside: readonly BesideFinding[];
  readonly need: CorrectionNeed | undefined;
  /** Why the figures do not compare the two policies, as noticed while reading. */
  readonly fault?: string | undefined;
  /** Undefined if the doctor did not run. */
  readonly diagnosis?: Diagnosis | undefined;
}

/** The one assessment of a run. Pure: the same input gives the same answer, whichever verb asks. */
export function assess(input: AssessmentInput): Pick<MismatchReport, "assessment" | "verdict"> {
  const { source, finite, segmentation, events, beside, need, fault, diagnosis } = input;
  const comparable = assessComparable(fault, diagnosis);
  const causes = diagnosis === undefined ? [] : groupCauses(diagnosis);
  const levels = new Set(segmentation.segments.map(({ level }) => level));
  const settled = settleVerdict({
    verdict: input.verdict,
    comparable,
    finite,
    diagnosis,
    causes,
    meanAbs: source.metrics.delta_abs_mean,
    jumps: levels.size > 1,
  });
  const verdict = tellBeside(settled, beside);
  const { is_comparable: isComparable } = comparable;
  const assessment: Assessment = {
    level: verdict.level,
    sentence: verdict.headline,
    comparable,
    finite,
    when: { words: sayWhen(segmentation, input.verdict.level), ...segmentation },
    diagnosis: diagnosis?.verdict ?? null,
    causes,
    events,
    // If the columns cannot be compared, no figure means anything.
    reach: isComparable ? assessReach(source.gradient, segmentation, input.verdict.level) : null,
    where: isComparable ? findStandingParts(source) : [],
    beside,
    correction: need === undefined ? null : { need },
    untested: diagnosis?.untested ?? [],
    next: diagnosis?.next_experiment ?? null,
  };
  return { assessment, verdict };
}
