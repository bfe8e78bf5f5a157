/**
 * Wording that several answers share.
 *
 * @module
 */
import { formatNumber, formatSigned } from "../../../core/text/index.ts";
import type { KlAnswer, KlReport } from "../../results/report.ts";
import type { PairedDifference } from "../../results/wrong-texts.ts";

/** The figures that answers are based on. */
export type AnsweredFigures = Omit<KlReport, "answers" | "caveats" | "absent">;

/** `+0.12 points`: percentage points. */
export function points(share: number): string {
  return `${formatSigned(100 * share)} points`;
}

export function tested({ adjusted_p_value: p }: PairedDifference): string {
  return p === null ? " (too few problems differ for a test)" : ` (${probability(p)})`;
}

export function probability(p: number): string {
  return p < 1e-15 ? "p < 1e-15" : `p = ${formatNumber(p)}`;
}

export function unknown(question: string, answer: string): KlAnswer {
  return { question, answer, support: "not enough data" };
}
