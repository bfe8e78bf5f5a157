import type { Verdict } from "../../results/report.ts";

const WORDS: Readonly<Record<Verdict["level"], string>> = {
  none: "NO MISMATCH",
  normal: "NORMAL",
  elevated: "ELEVATED",
  high: "HIGH",
  broken: "BROKEN",
  fault: "FAULT",
  not_comparable: "NOT COMPARABLE",
  too_few: "TOO FEW TO SAY",
};

/** The level in capitals, for readers who see no color; what else it may be is in the sentence. */
export function verdictWord({ level }: Pick<Verdict, "level">): string {
  return WORDS[level];
}
