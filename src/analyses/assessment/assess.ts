import type { Assessment, CorrectionNeed, Finite, Verdict } from "../../results/index.ts";
import type { Segmentation } from "./when.ts";
import { sayWhen } from "./when-words.ts";

/** What the answer is made of. */
export interface AssessmentInput {
  /** Of the pooled figures and the steps, against published baselines. */
  readonly verdict: Pick<Verdict, "level" | "headline">;
  readonly finite: Finite;
  readonly segmentation: Segmentation;
  readonly need: CorrectionNeed | undefined;
}

/** The one answer about a run. Pure: the same input gives the same answer, whichever verb asks. */
export function assess({ verdict, finite, segmentation, need }: AssessmentInput): Assessment {
  return {
    level: verdict.level,
    sentence: verdict.headline,
    finite,
    when: { words: sayWhen(segmentation, verdict.level), ...segmentation },
    correction: need === undefined ? null : { need },
  };
}
