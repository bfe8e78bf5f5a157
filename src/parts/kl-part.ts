/**
 * Builds the report on several studies from their parts, equal to the one that a single process would build.
 *
 * @module
 */

import { EmptyInputError } from "../core/base/index.ts";
import { buildKlReport, type KlReportInput, poolStudies } from "../study/analysis/index.ts";
import type { KlReport } from "../study/results/report.ts";
import {
  describeAnalysis,
  type FigureSpec,
  mergeConfigs,
  orderFindings,
  readAnalysisConfig,
  reportDiffering,
  reportSummarized,
  type StudyConfig,
} from "../study/scoring/index.ts";
import type { KlSums } from "./kinds/kl-sums.ts";
import type { Part } from "./part.ts";
import { collectFindings } from "./part-findings.ts";

/**
 * @param more settings of the report alone (`alpha`, `bootstrap`, `seed`, `cases`, `figures`), which override the
 * studies'
 * @param how whether to list every spike (`allSpikes`)
 * @throws EmptyInputError when no study could be read, or no text is scored
 * @throws SchemaError when the studies have different policies, or have a text in common
 */
export function reportStudies(
  { info, sums }: Part<KlSums>,
  more: StudyConfig = {},
  { allSpikes }: Pick<KlReportInput, "allSpikes"> = {},
): { readonly report: KlReport; readonly figures: FigureSpec } {
  const findings = collectFindings(info);
  const studies = sums.list(info.shards.map(({ name }) => name));
  if (sums.settings === undefined || studies.length === 0) {
    const [first] = findings.list();
    throw new EmptyInputError(`none of ${info.shards.length} studies could be read`, {
      ...(first !== undefined && { at: first.at, likely: first.message }),
      hint: "run logratio score again for them, with their inputs",
    });
  }
  const stored = JSON.parse(sums.settings) as StudyConfig;
  const { analysis, figures } = readAnalysisConfig(mergeConfigs(stored, more), undefined);
  const { differing, ...pooled } = poolStudies(studies);
  for (const [name, count] of differing) reportDiffering(findings, name, count);
  for (const { name, texts, excluded } of pooled.checkpoints)
    reportSummarized(findings, name, pooled.reference, texts, excluded);
  for (const { p, q, texts, excluded } of pooled.pairs) reportSummarized(findings, p, q, texts, excluded);
  const input: KlReportInput = {
    ...pooled,
    settings: describeAnalysis(analysis),
    categories: analysis.categories,
    findings: orderFindings(findings.list()),
    sizes: { cases: analysis.cases },
    allSpikes,
  };
  return { report: buildKlReport(input), figures };
}
