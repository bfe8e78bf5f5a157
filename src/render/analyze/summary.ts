/**
 * The sentences of an analysis, before any table.
 *
 * @module
 */

import { formatCount, formatNumber, formatPlainShare, formatShare, plural } from "../../core/text/index.ts";
import type { AnalyzeReport, Scenario } from "../../results/analyze.ts";
import type { VerdictLevel } from "../../results/report.ts";
import { printable } from "../text/printable.ts";
import { testSentence } from "./test-table.ts";

/** What was read: `2,000 tokens · 100 iterations · 743 responses`. */
export function inputParts({ metrics, where }: AnalyzeReport): string[] {
  const { records, records_read, iterations, sequences, files, lines_skipped } = metrics;
  const filtered = where === null ? "" : ` of ${formatCount(records_read)} where ${where}`;
  return [
    `${plural(records, "logged token")}${filtered}`,
    ...(iterations > 0 ? [plural(iterations, "iteration")] : []),
    ...(sequences === null ? [] : [plural(sequences, "response")]),
    ...(files > 1 ? [plural(files, "file")] : []),
    ...(lines_skipped > 0 ? [`${plural(lines_skipped, "line")} skipped`] : []),
  ].map(printable);
}

/** Label and sentence of each key figure. */
export function keyLines(report: AnalyzeReport): (readonly [label: string, text: string])[] {
  const { metrics, digits, by_correctness: groups } = report;
  const { correct, incorrect } = groups;
  const lines: [string, string][] = [
    [
      "divergence",
      `mean ${formatNumber(metrics.divergence_mean)}, median ${formatNumber(metrics.divergence_p50)}, most ${formatNumber(metrics.divergence_max)}; ${formatCount(metrics.above_09)} above 0.9`,
    ],
  ];
  if (correct.count + incorrect.count > 0) {
    lines.push([
      "answers",
      `${formatShare(metrics.correct_share)} from correct answers (mean ${formatNumber(correct.mean)}, most ${formatNumber(correct.max)}), ${formatShare(incorrect.share)} from incorrect ones (mean ${formatNumber(incorrect.mean)}, most ${formatNumber(incorrect.max)})`,
    ]);
  }
  lines.push([
    "digits",
    digits.count === 0
      ? digits.texts_unknown > 0
        ? "unknown: the log has no token texts"
        : "no digit token"
      : digits.correct.count + digits.incorrect.count === 0
        ? `${plural(digits.count, "digit token")}, mean ${formatNumber(digits.mean)}`
        : `${plural(digits.count, "digit token")}: ${formatCount(digits.correct.count)} from correct answers (${formatShare(digits.correct.share)}, mean ${formatNumber(digits.correct.mean)}), ${formatCount(digits.incorrect.count)} from incorrect ones (${formatShare(digits.incorrect.share)}, mean ${formatNumber(digits.incorrect.mean)}); ${testSentence(report)}`,
  ]);
  const hypothesis = hypothesisSentence(report);
  if (hypothesis !== undefined) lines.push(["hypothesis 1", hypothesis]);
  for (const { id, count } of report.selections) {
    if (id === "early") lines.push(["early", `${plural(count, "token")} at a position below 10`]);
    if (id === "confident_correct") {
      lines.push([
        "rejected",
        `${plural(count, "token")} of correct answers above 0.9 that the rollout policy was sure of and the trainer policy rejects`,
      ]);
    }
  }
  return lines;
}

/** The guide's rule, and whether chance explains the difference; undefined if no correctness is known. */
function hypothesisSentence({ hypothesis }: AnalyzeReport): string | undefined {
  const { correct_share, share_limit, share_above_limit, share_above_chance } = hypothesis;
  if (correct_share === null || share_above_limit === null) return undefined;
  const above = share_above_limit;
  const rule = `${formatShare(correct_share)} from correct answers is ${above ? "above" : "not above"} the guide's ${formatPlainShare(share_limit)} for strong evidence`;
  if (share_above_chance === null) return `${rule}; the data do not show whether that is more than chance`;
  if (share_above_chance)
    return `${rule}, ${above ? "and" : "but"} significantly more than chance: ${above ? "supported" : "weakly supported"}`;
  return `${rule}, ${above ? "but" : "and"} not significantly more than chance: not supported`;
}

/** The severity of a scenario that holds. */
export function scenarioLevel({ id, status }: Scenario): VerdictLevel {
  if (status !== "yes") return "none";
  if (id === "mostly_incorrect") return "high";
  return id === "mostly_correct" || id === "digits_correct" || id === "digits_only" ? "normal" : "elevated";
}

/** Scenarios that hold, then undecided ones, then the others, each in the order of the guide. */
export function orderedScenarios({ scenarios }: AnalyzeReport): Scenario[] {
  const order = ["yes", "not enough data", "no"];
  return [...scenarios].sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
}
