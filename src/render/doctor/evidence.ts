import { formatNumber } from "../../core/text/index.ts";
import type { DoctorCause, Evidence } from "../../results/diagnosis.ts";

/** Evidence for or against a cause, strongest first. */
export interface EvidencePart {
  readonly title: string;
  readonly evidence: readonly Evidence[];
}

/** Splits evidence into that for a cause and that against it; an empty part is left out. */
export function splitEvidence({ evidence }: DoctorCause): readonly EvidencePart[] {
  return [
    { title: "Evidence for it", evidence: evidence.filter(({ weight }) => weight >= 0) },
    { title: "Evidence against it", evidence: evidence.filter(({ weight }) => weight < 0) },
  ].filter((part) => part.evidence.length > 0);
}

/** The sentence, and how much it changes the odds of the cause. */
export function weighed({ sentence, weight }: Evidence): string {
  const factor = Math.exp(Math.abs(weight));
  if (factor < 1.05) return sentence;
  const size = factor > 1000 ? "over 1,000" : formatNumber(factor, 2);
  return `${sentence.replace(/\.$/, "")} (odds ${weight < 0 ? "÷" : "×"} ${size}).`;
}
