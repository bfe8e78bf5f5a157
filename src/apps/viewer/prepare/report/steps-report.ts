/**
 * The report over some steps of a run, summed again from the cache's sequences.
 *
 * @module
 */
import { Doctor, fillPaths } from "../../../../analyses/doctor/index.ts";
import { buildReport } from "../../../../analyses/report/index.ts";
import type { MismatchReport } from "../../../../results/report.ts";
import type { TopTokens } from "../../../../results/view.ts";
import type { WireSequence } from "../../../../results/wire/sequence.ts";
import { SequenceSums } from "./sum-sequences.ts";

/** Without the list of most divergent tokens, which a filter on steps provides. */
export interface StepsReport {
  readonly report: MismatchReport;
  readonly top: Omit<TopTokens, "occurrences">;
}

export interface StepsOf {
  /** Of the whole run. */
  readonly whole: MismatchReport;
  readonly paths: readonly string[];
  /** The flags that read only these steps. */
  readonly flags: readonly string[];
  readonly hasTexts: boolean;
}

/** Undefined where no token can be compared. Values have the cache's single precision; mistakes have no alternatives. */
export async function stepsReport(
  sequences: AsyncIterable<WireSequence>,
  { whole, paths, flags, hasTexts }: StepsOf,
): Promise<StepsReport | undefined> {
  const doctor = new Doctor();
  const sums = new SequenceSums(doctor);
  for await (const sequence of sequences) sums.add(sequence);
  const { summary } = sums;
  if (summary.sequencesByFile.size === 0) return undefined;
  const { findings } = whole;
  const sources = whole.sources
    .filter(({ file }) => summary.sequencesByFile.has(file))
    .map(({ sequences: _, ...source }) => source);
  const [trainer, ...others] = whole.trainers;
  const asked = { findings, ...(trainer !== undefined && others.length === 0 && { trainer }) };
  const built = buildReport({
    run: whole.run,
    paths,
    flags,
    summary,
    // The cache lacks columns that the run has.
    diagnosis: { ...fillPaths(doctor.diagnose(asked), sources), untested: whole.assessment.untested },
    parity: [],
    findings,
    sources,
  });
  if (built.metrics.tokens === 0) return undefined;
  const report = hasTexts ? withTexts(built, sums) : built;
  return { report, top: { ...sums.groups(hasTexts), turns: sums.turns(hasTexts) } };
}

function withTexts(report: MismatchReport, sums: SequenceSums): MismatchReport {
  const { assessment } = report;
  return { ...report, assessment: { ...assessment, events: sums.spell(assessment.events) } };
}
