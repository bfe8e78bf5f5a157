import type { Assessment, CorrectionNeed, Verdict } from "../../results/index.ts";

/** What the answer is made of. */
export interface AssessmentInput {
  /** Of the pooled figures, against published baselines. */
  readonly verdict: Pick<Verdict, "level" | "headline">;
  readonly need: CorrectionNeed | undefined;
}

/** The one answer about a run. Pure: the same input gives the same answer, whichever verb asks. */
export function assess({ verdict, need }: AssessmentInput): Assessment {
  return {
    level: verdict.level,
    sentence: verdict.headline,
    correction: need === undefined ? null : { need },
  };
}
