/**
 * Statistical tests: comparisons, correlations, correctness, the first error.
 *
 * @module
 */

import { formatCount, formatPlain } from "../../core/text/index.ts";
import { makeTable, type Table } from "../../render/document/index.ts";
import type { KlReport } from "../results/report.ts";
import type { GroupKl } from "../results/wrong-texts.ts";
import { coefficient, makeColumns, meanColumn, NONE, yesNo } from "./values.ts";

const KINDS = { consecutive: "consecutive", "first-last": "first and last", baseline: "baseline" } as const;

export function comparisonTable({ comparisons: rows, settings }: KlReport): Table {
  const by = makeColumns(rows);
  return makeTable(
    "comparisons",
    "Checkpoints compared on the same problems",
    [
      by.text("from", ({ a }) => a),
      by.text("to", ({ b }) => b),
      by.figure("problems", "count", ({ problems }) => problems, { priority: 3 }),
      by.figure("difference", "signed", ({ mean_difference }) => mean_difference, {
        priority: 1,
        meaning: "of mean KL",
      }),
      by.interval("95 % interval", ({ interval }) => interval, { signed: true, priority: 3 }),
      by.p("adjusted p", ({ adjusted_p_value }) => adjusted_p_value, { priority: 1, meaning: "Holm" }),
      by.text("significant", ({ significant }) => yesNo(significant), { priority: 2 }),
      by.figure("rank-biserial", "signed", ({ rank_biserial }) => rank_biserial, { priority: 4 }),
      by.p("p", ({ p_value }) => p_value, { priority: 4 }),
      by.figure("median", "signed", ({ median_difference }) => median_difference, { priority: 5 }),
      by.figure("W", "number", ({ statistic }) => statistic, {
        priority: 5,
        meaning: "of the median change: Wilcoxon signed rank",
      }),
      by.text("kind", ({ kind }) => KINDS[kind], { priority: 4 }),
    ],
    `Wilcoxon signed rank of the median change over problems, two-sided, Holm's correction over ${formatCount(rows.length)}; level ${formatPlain(settings.alpha)}`,
  );
}

export function pairTable({ pairs: rows }: KlReport): Table {
  const by = makeColumns(rows);
  return makeTable("pairs", "Checkpoint against checkpoint", [
    by.text("D(P‖Q)", ({ p, q }) => `${p} ‖ ${q}`),
    by.figure("problems", "count", ({ problems }) => problems, { priority: 3 }),
    by.figure("tokens", "count", ({ tokens }) => tokens, { priority: 4 }),
    meanColumn(
      "mean KL ± std",
      rows.map(({ mean_kl }) => mean_kl),
      rows.map(({ std_kl }) => std_kl),
      { priority: 1 },
    ),
    by.figure("reverse", "number", ({ mean_reverse_kl }) => mean_reverse_kl, { priority: 2 }),
    by.figure("JS", "number", ({ mean_js }) => mean_js, { priority: 3 }),
    by.figure("spikes/problem", "number", ({ spikes_mean }) => spikes_mean, { priority: 2 }),
  ]);
}

const METHODS = { spearman: "Spearman", "point-biserial": "point-biserial" } as const;

export function correlationTable({ correlations: rows }: KlReport): Table {
  const by = makeColumns(rows);
  return makeTable(
    "correlations",
    "Correlations with a problem's KL and spikes",
    [
      by.text("checkpoint", ({ checkpoint }) => checkpoint),
      by.text(
        "correlated",
        (row) => `${row.of === "mean_kl" ? "mean KL" : "spikes"} with ${row.with.replaceAll("_", " ")}`,
      ),
      by.text("coefficient", (row) => coefficient(row.coefficient, row.interval), { align: "right" }),
      by.text("method", ({ method }) => METHODS[method], { priority: 4 }),
      by.figure("problems", "count", ({ problems }) => problems, { priority: 3 }),
      by.p("p", ({ p_value }) => p_value, { priority: 4 }),
      by.p("adjusted p", ({ adjusted_p_value }) => adjusted_p_value, {
        priority: 1,
        meaning: "Benjamini-Hochberg",
      }),
      by.text("significant", ({ significant }) => yesNo(significant), { priority: 2 }),
    ],
    "95 % intervals; Benjamini-Hochberg over all of these",
  );
}

const TESTS = { wilcoxon: "Wilcoxon", "mann-whitney": "Mann-Whitney" } as const;

export function correctnessTable({ correctness: rows }: KlReport): Table {
  const by = makeColumns(rows);
  return makeTable(
    "correctness",
    "KL by correctness",
    [
      by.text("checkpoint", ({ checkpoint }) => checkpoint),
      by.text("wrong texts", ({ wrong_texts }) => groupText(wrong_texts), { align: "right" }),
      by.text("right texts", ({ right_texts }) => groupText(right_texts), { align: "right" }),
      by.p("adjusted p", ({ test }) => test?.adjusted_p_value, { priority: 1 }),
      by.figure("rank-biserial", "signed", ({ test }) => test?.rank_biserial, { priority: 4 }),
      by.text(
        "test",
        ({ test }) => (test === null ? NONE : `${TESTS[test.method]}, n ${formatCount(test.n)}`),
        { priority: 5 },
      ),
      by.figure("good KL", "number", ({ good_kl }) => good_kl, { priority: 3 }),
      by.figure("bad KL", "number", ({ bad_kl }) => bad_kl, { priority: 3 }),
      by.figure("good of both", "share", ({ good_share }) => good_share, { priority: 2 }),
      by.text("solved", ({ solved }) => groupText(solved), {
        priority: 4,
        align: "right",
        meaning: "problems that the checkpoint solves by itself",
      }),
      by.text("unsolved", ({ unsolved }) => groupText(unsolved), { priority: 4, align: "right" }),
    ],
    "mean KL ± std (problems). Good: away from the forced token in a wrong text, towards it in a right one; bad: the opposite",
  );
}

/** `0.0201 ± 9.00e-3 (60)`. */
function groupText(group: GroupKl | null): string {
  if (group === null) return NONE;
  const { mean_kl, std_kl, problems } = group;
  const [cell = ""] = meanColumn("", [mean_kl], [std_kl]).cells;
  return `${cell} (${formatCount(problems)})`;
}

export function firstErrorTable({ first_errors: rows }: KlReport): Table {
  const window = rows[0]?.window;
  const by = makeColumns(rows);
  return makeTable(
    "first-errors",
    "The first error and the spikes",
    [
      by.text("checkpoint", ({ checkpoint }) => checkpoint),
      by.figure("texts", "count", ({ texts }) => texts, { priority: 2 }),
      by.figure("spike at the error", "share", ({ spike_at_error }) => spike_at_error, { priority: 2 }),
      by.figure("tested", "count", ({ tested }) => tested, {
        priority: 2,
        meaning: "texts with another result besides the wrong one",
      }),
      by.figure("spike at their error", "share", ({ tested_at_error }) => tested_at_error, { priority: 1 }),
      by.figure("at any result", "share", ({ expected }) => expected, {
        priority: 1,
        meaning: "expected if the error were a random one of the results in its text",
      }),
      by.p("adjusted p", ({ adjusted_p_value }) => adjusted_p_value, {
        priority: 1,
        meaning: "one-sided, exact: the error moved among its text's own results",
      }),
      by.figure("KL there", "number", ({ kl_at_error }) => kl_at_error, { priority: 2 }),
      by.figure("elsewhere", "number", ({ kl_elsewhere }) => kl_elsewhere, { priority: 2 }),
      by.text(
        "nearest spike",
        ({ median_distance }) =>
          median_distance === null
            ? NONE
            : `${median_distance > 0 ? "+" : ""}${formatPlain(median_distance)} tokens`,
        { priority: 3, align: "right", meaning: "median over texts; negative: before the error" },
      ),
      by.figure("spikes at or after", "share", ({ spikes_after }) => spikes_after, { priority: 4 }),
    ],
    window === undefined
      ? undefined
      : `at the error: from ${formatCount(window)} tokens before the = that announces it to ${formatCount(window)} behind it`,
  );
}
