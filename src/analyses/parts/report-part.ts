/**
 * A part to the report that one process would have printed.
 *
 * @module
 */
import type { MismatchReport } from "../../results/index.ts";
import type { ParityTrainer } from "../../trainers/index.ts";
import { buildReport } from "../report/index.ts";
import { nothingToCompare } from "../runs/index.ts";
import type { ReportSums } from "./kinds/index.ts";
import type { Part } from "./part.ts";
import { listSources, nameRun, partFindings } from "./part-findings.ts";

/** @throws EmptyInputError when no token is left to compare */
export function reportPart(
  { info, sums: { summary, prompts } }: Part<ReportSums>,
  { parity = [] }: { readonly parity?: readonly ParityTrainer[] } = {},
): MismatchReport {
  const sources = listSources(info);
  const report = buildReport({
    run: nameRun(info),
    paths: [...new Set(info.calls.flatMap(({ paths }) => paths))].sort(),
    flags: info.settings,
    parity,
    summary,
    prompts,
    findings: partFindings(info),
    sources,
  });
  if (report.metrics.tokens === 0) throw nothingToCompare(report);
  return report;
}
