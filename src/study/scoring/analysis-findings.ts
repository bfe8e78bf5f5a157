/**
 * Findings made while a scored study is analyzed.
 *
 * @module
 */

import type { LogratioError } from "../../core/base/index.ts";
import type { Finding, FindingLog, Severity } from "../../core/schema/index.ts";
import { formatNumber } from "../../core/text/index.ts";
import { describeDiffering } from "../analysis/pool/pool-studies.ts";
import type { ExcludedMass } from "../analysis/pool/study-sums.ts";
import type { TextSummary } from "../analysis/summary.ts";

/** Probability outside the common vocabulary above which figures are distorted. */
const NEGLIGIBLE_MASS = 1e-3;

const SEVERITIES: readonly Severity[] = ["skipped", "warning", "info"];

/** Sorts findings by severity: an order that does not depend on how texts were divided into studies. */
export function orderFindings(findings: readonly Finding[]): Finding[] {
  const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
  return findings.toSorted(
    (a, b) =>
      SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
      compare(a.code, b.code) ||
      compare(a.message, b.message),
  );
}

export function reportUnscored(findings: FindingLog, name: string, file: string): void {
  findings.add({
    code: "policy-skipped",
    severity: "skipped",
    subject: name,
    count: 1,
    describe: (count) =>
      count === 1
        ? `${name} has no complete scores and is left out`
        : `${name} has no complete scores in ${count} studies, whose texts are left out of it`,
    at: { file },
    likely: "scoring was interrupted, or its model could not be opened",
    hint: "run logratio score again: it continues where it stopped",
  });
}

export function reportTokenizer(findings: FindingLog, tokenizer: string, error: LogratioError): void {
  findings.add({
    code: "note",
    severity: "warning",
    subject: "tokenizer",
    count: 1,
    describe: () => `alternatives are shown as token ids: ${error.message}`,
    at: { file: tokenizer },
    likely: "the tokenizer that was used for scoring has moved",
  });
}

/** Findings about the distributions of P and Q, from their summaries. */
export function reportSummarized(
  findings: FindingLog,
  p: string,
  q: string,
  summaries: readonly TextSummary[],
  excluded: ExcludedMass,
): void {
  reportInfinite(findings, p, q, summaries);
  reportNan(findings, p, q, summaries);
  reportExcluded(findings, p, q, excluded.p);
  reportExcluded(findings, q, p, excluded.q);
}

/** @param studies that differ from the first one */
export function reportDiffering(findings: FindingLog, name: string, studies: number): void {
  findings.add({
    code: "note",
    severity: "warning",
    subject: `models ${name}`,
    count: studies,
    describe: (count) => describeDiffering(name, count),
    at: {},
    likely: "studies of different models were given under one name",
    hint: "compare the locations under policies in --json",
  });
}

export function reportInfinite(
  findings: FindingLog,
  p: string,
  q: string,
  summaries: readonly TextSummary[],
): void {
  const count = summaries.reduce((sum, { infiniteKl = 0 }) => sum + infiniteKl, 0);
  if (count === 0) return;
  findings.add({
    code: "non-finite",
    severity: "warning",
    subject: `${p} ${q}`,
    count,
    describe: (tokens) =>
      `the KL from ${p} to ${q} is infinite at ${tokens} ${tokens === 1 ? "token, which is" : "tokens, which are"} left out of means and spikes`,
    at: {},
    likely: `${q} gives some token a probability of exactly 0 where ${p} does not: masked logits, or saved logits that were truncated`,
  });
}

/** Reports models with NaN in their weights or overflowing logits, which must not look like models without a KL. */
export function reportNan(
  findings: FindingLog,
  p: string,
  q: string,
  summaries: readonly TextSummary[],
): void {
  const count = summaries.reduce((sum, { nanKl = 0 }) => sum + nanKl, 0);
  if (count === 0) return;
  findings.add({
    code: "non-finite",
    severity: "warning",
    subject: `${p} ${q} nan`,
    count,
    describe: (tokens) =>
      `the KL from ${p} to ${q} is NaN at ${tokens} ${tokens === 1 ? "token, which is" : "tokens, which are"} in no figure`,
    at: {},
    likely: `the logits of ${p} or ${q} hold NaN or +inf: its weights do, or they overflow in half precision`,
    hint: "score both with --dtype float32; if it stays, the checkpoint is damaged",
  });
}

/** @param mass largest probability of `name` in columns that `other` lacks */
function reportExcluded(findings: FindingLog, name: string, other: string, mass: number): void {
  if (!(mass > 0)) return;
  findings.add({
    code: "vocabulary",
    severity: mass > NEGLIGIBLE_MASS ? "warning" : "info",
    subject: `${name} ${other}`,
    count: 1,
    describe: () =>
      `${name} has more vocabulary columns than ${other}, with up to ${formatNumber(mass, 2)} of a token's probability in them; divergences use only the common columns`,
    at: {},
    likely: "the head is padded to a round size, or one tokenizer was extended",
  });
}
