/**
 * From a part to the report that one process would have printed.
 *
 * @module
 */

import { type Answer, answerRun } from "../analyses/evidence/index.ts";
import { nothingToCompare } from "../analyses/runs/nothing-to-compare.ts";
import type { MismatchReport } from "../results/report.ts";
import type { ParityTrainer } from "../trainers/index.ts";
import type { ReportSums } from "./kinds/index.ts";
import type { Part } from "./part.ts";
import { listSources, nameRun, partFindings } from "./part-findings.ts";

/** @throws EmptyInputError when no token is left to compare */
export function reportPart(
  part: Part<ReportSums>,
  { parity = [] }: { readonly parity?: readonly ParityTrainer[] } = {},
): MismatchReport {
  const { report } = answerPart(part, { parity });
  if (report.metrics.tokens === 0) throw nothingToCompare(report);
  return report;
}

/** The answer based on a part, even if no token can be compared. */
export function answerPart(
  { info, sums: { evidence, prompts } }: Part<ReportSums>,
  asked: { readonly parity: readonly ParityTrainer[]; readonly trainer?: string | undefined },
): Answer {
  return answerRun({
    run: nameRun(info),
    paths: [...new Set(info.calls.flatMap(({ paths }) => paths))].sort(),
    flags: info.settings,
    ...asked,
    evidence,
    prompts,
    findings: partFindings(info),
    sources: listSources(info),
  });
}
