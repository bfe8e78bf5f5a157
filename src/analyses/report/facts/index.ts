/**
 * The sentences under "what stands out", each with its evidence. Whether a group stands out is decided in `standouts`.
 *
 * @module
 */
import type { SequenceSample } from "../../../core/summaries/index.ts";
import type { Fact } from "../../../results/report.ts";
import type { Comparisons } from "../standouts/index.ts";
import { comparisonFacts } from "./comparisons.ts";
import { descriptiveFacts } from "./descriptive.ts";
import type { FactSource } from "./fact-source.ts";

export type { FactSource } from "./fact-source.ts";

/** A factor of two, or equivalent concentration: less is not worth a sentence. */
const WORTH_SAYING = 1;
const TOLD = 3;

/**
 * The three most telling facts: each question contributes at most one, weighted by its distance from "nothing special"
 * (log of the factor by which one part differs from the rest, or of the concentration). Comparisons are reported only
 * if their test is significant.
 */
export function findFacts(source: FactSource, sample: SequenceSample, comparisons: Comparisons): Fact[] {
  const clusters = sample.list();
  return [
    ...descriptiveFacts(source, sample.isWhole ? clusters : undefined),
    ...comparisonFacts(comparisons, clusters),
  ]
    .filter((fact) => fact.weight >= WORTH_SAYING)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, TOLD);
}
