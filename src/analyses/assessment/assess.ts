import type { Assessment, Verdict } from "../../results/index.ts";

/** What the answer is made of. */
export interface AssessmentInput {
  /** Of the pooled figures, against published baselines. */
  readonly verdict: Pick<Verdict, "level" | "headline">;
}

/** The one answer about a run. Pure: the same input gives the same answer, whichever verb asks. */
export function assess({ verdict }: AssessmentInput): Assessment {
  return { level: verdict.level, sentence: verdict.headline };
}
