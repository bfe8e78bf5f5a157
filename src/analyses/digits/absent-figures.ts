import type { DigitsReport } from "../../results/digits.ts";

type Known = Pick<
  DigitsReport,
  "policy" | "comparison" | "distributions" | "truth" | "right_sequences" | "wrong_sequences"
>;

/** Which figures are entirely null, and why; one line each. */
export function absentFigures(result: Known): string[] {
  const lines: string[] = [];
  if (!result.comparison)
    lines.push(
      `no ${result.policy === "trainer" ? "rollout" : "trainer"} log-probs: the policies are not compared`,
    );
  if (result.distributions.length === 0) {
    lines.push(
      "no top-k alternatives or digit distributions: expected digit, NTL-MSE and NTL-WAS need the probabilities of the digits that were not sampled",
    );
  }
  if (!result.truth)
    lines.push("no ground truth (--truth COLUMN or FILE): the sampled digits are not checked");
  if (!result.right_sequences && !result.wrong_sequences)
    lines.push("no correctness: correct and incorrect sequences are not distinguished");
  return lines;
}
