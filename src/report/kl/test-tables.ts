/**
 * What is statistically there: comparisons, correlations, correctness, the first error.
 *
 * @module
 */
import type { GroupKl, KlReport } from "../../protocol/kl.ts";
import { makeTable, type Table, textColumn } from "../content/table.ts";
import { formatCount, formatPlain } from "../format.ts";
import { coefficient, column, intervalColumn, meanColumn, NONE, pColumn, yesNo } from "./values.ts";

const KINDS = { consecutive: "consecutive", "first-last": "first and last", baseline: "baseline" } as const;

export function comparisonTable({ comparisons: rows, settings }: KlReport): Table {
  return makeTable(
    "comparisons",
    "Checkpoints compared on the same problems",
    [
      textColumn(
        "from",
        rows.map(({ a }) => a),
      ),
      textColumn(
        "to",
        rows.map(({ b }) => b),
      ),
      column(
        "problems",
        "count",
        rows.map(({ problems }) => problems),
        { priority: 3 },
      ),
      column(
        "difference",
        "signed",
        rows.map(({ mean_difference }) => mean_difference),
        { priority: 1, meaning: "of mean KL" },
      ),
      intervalColumn(
        "95 % interval",
        rows.map(({ interval }) => interval),
        { signed: true, priority: 3 },
      ),
      pColumn(
        "adjusted p",
        rows.map(({ adjusted_p_value }) => adjusted_p_value),
        { priority: 1, meaning: "Holm" },
      ),
      textColumn(
        "significant",
        rows.map(({ significant }) => yesNo(significant)),
        { priority: 2 },
      ),
      column(
        "rank-biserial",
        "signed",
        rows.map(({ rank_biserial }) => rank_biserial),
        { priority: 4 },
      ),
      pColumn(
        "p",
        rows.map(({ p_value }) => p_value),
        { priority: 4 },
      ),
      column(
        "median",
        "signed",
        rows.map(({ median_difference }) => median_difference),
        { priority: 5 },
      ),
      column(
        "W",
        "number",
        rows.map(({ statistic }) => statistic),
        { priority: 5, meaning: "Wilcoxon signed rank" },
      ),
      textColumn(
        "kind",
        rows.map(({ kind }) => KINDS[kind]),
        { priority: 4 },
      ),
    ],
    `Wilcoxon signed rank over problems, two-sided, Holm's correction over ${formatCount(rows.length)}; level ${formatPlain(settings.alpha)}`,
  );
}

export function pairTable({ pairs: rows }: KlReport): Table {
  return makeTable("pairs", "Checkpoint against checkpoint", [
    textColumn(
      "D(P‖Q)",
      rows.map(({ p, q }) => `${p} ‖ ${q}`),
    ),
    column(
      "problems",
      "count",
      rows.map(({ problems }) => problems),
      { priority: 3 },
    ),
    column(
      "tokens",
      "count",
      rows.map(({ tokens }) => tokens),
      { priority: 4 },
    ),
    meanColumn(
      "mean KL ± std",
      rows.map(({ mean_kl }) => mean_kl),
      rows.map(({ std_kl }) => std_kl),
      { priority: 1 },
    ),
    column(
      "reverse",
      "number",
      rows.map(({ mean_reverse_kl }) => mean_reverse_kl),
      { priority: 2 },
    ),
    column(
      "JS",
      "number",
      rows.map(({ mean_js }) => mean_js),
      { priority: 3 },
    ),
    column(
      "spikes/problem",
      "number",
      rows.map(({ spikes_mean }) => spikes_mean),
      { priority: 2 },
    ),
  ]);
}

const METHODS = { spearman: "Spearman", "point-biserial": "point-biserial" } as const;

export function correlationTable({ correlations: rows }: KlReport): Table {
  return makeTable(
    "correlations",
    "What goes with a problem's KL and spikes",
    [
      textColumn(
        "checkpoint",
        rows.map(({ checkpoint }) => checkpoint),
      ),
      textColumn(
        "correlated",
        rows.map(
          (row) => `${row.of === "mean_kl" ? "mean KL" : "spikes"} with ${row.with.replaceAll("_", " ")}`,
        ),
      ),
      textColumn(
        "coefficient",
        rows.map((row) => coefficient(row.coefficient, row.interval)),
        { align: "right" },
      ),
      textColumn(
        "method",
        rows.map(({ method }) => METHODS[method]),
        { priority: 4 },
      ),
      column(
        "problems",
        "count",
        rows.map(({ problems }) => problems),
        { priority: 3 },
      ),
      pColumn(
        "p",
        rows.map(({ p_value }) => p_value),
        { priority: 4 },
      ),
      pColumn(
        "adjusted p",
        rows.map(({ adjusted_p_value }) => adjusted_p_value),
        { priority: 1, meaning: "Benjamini-Hochberg" },
      ),
      textColumn(
        "significant",
        rows.map(({ significant }) => yesNo(significant)),
        { priority: 2 },
      ),
    ],
    "95 % intervals; Benjamini-Hochberg over all of these",
  );
}

const TESTS = { wilcoxon: "Wilcoxon", "mann-whitney": "Mann-Whitney" } as const;

export function correctnessTable({ correctness: rows }: KlReport): Table {
  return makeTable(
    "correctness",
    "KL by correctness",
    [
      textColumn(
        "checkpoint",
        rows.map(({ checkpoint }) => checkpoint),
      ),
      textColumn(
        "wrong texts",
        rows.map(({ wrong_texts }) => groupText(wrong_texts)),
        { align: "right" },
      ),
      textColumn(
        "right texts",
        rows.map(({ right_texts }) => groupText(right_texts)),
        { align: "right" },
      ),
      pColumn(
        "adjusted p",
        rows.map(({ test }) => test?.adjusted_p_value),
        { priority: 1 },
      ),
      column(
        "rank-biserial",
        "signed",
        rows.map(({ test }) => test?.rank_biserial),
        { priority: 4 },
      ),
      textColumn(
        "test",
        rows.map(({ test }) => (test === null ? NONE : `${TESTS[test.method]}, n ${formatCount(test.n)}`)),
        { priority: 5 },
      ),
      column(
        "good KL",
        "number",
        rows.map(({ good_kl }) => good_kl),
        { priority: 3 },
      ),
      column(
        "bad KL",
        "number",
        rows.map(({ bad_kl }) => bad_kl),
        { priority: 3 },
      ),
      column(
        "good of both",
        "share",
        rows.map(({ good_share }) => good_share),
        { priority: 2 },
      ),
      textColumn(
        "solved",
        rows.map(({ solved }) => groupText(solved)),
        { priority: 4, align: "right", meaning: "problems that the checkpoint itself solves" },
      ),
      textColumn(
        "unsolved",
        rows.map(({ unsolved }) => groupText(unsolved)),
        { priority: 4, align: "right" },
      ),
    ],
    "mean KL ± std (problems). Good: away from the forced token where the text is wrong, towards it where it is right; bad: the other way",
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
  return makeTable(
    "first-errors",
    "The first error and the spikes",
    [
      textColumn(
        "checkpoint",
        rows.map(({ checkpoint }) => checkpoint),
      ),
      column(
        "texts",
        "count",
        rows.map(({ texts }) => texts),
        { priority: 2 },
      ),
      column(
        "spike at the error",
        "share",
        rows.map(({ spike_at_error }) => spike_at_error),
        { priority: 1 },
      ),
      column(
        "by chance",
        "share",
        rows.map(({ expected }) => expected),
        { priority: 1 },
      ),
      pColumn(
        "adjusted p",
        rows.map(({ adjusted_p_value }) => adjusted_p_value),
        { priority: 1, meaning: "one-sided, by permutation of places within each text" },
      ),
      column(
        "KL there",
        "number",
        rows.map(({ kl_at_error }) => kl_at_error),
        { priority: 2 },
      ),
      column(
        "elsewhere",
        "number",
        rows.map(({ kl_elsewhere }) => kl_elsewhere),
        { priority: 2 },
      ),
      textColumn(
        "nearest spike",
        rows.map(({ median_distance }) =>
          median_distance === null
            ? NONE
            : `${median_distance > 0 ? "+" : ""}${formatPlain(median_distance)} tokens`,
        ),
        { priority: 3, align: "right", meaning: "median over texts; negative: before the error" },
      ),
      column(
        "spikes at or after",
        "share",
        rows.map(({ spikes_after }) => spikes_after),
        { priority: 4 },
      ),
    ],
    window === undefined
      ? undefined
      : `at the error: from ${formatCount(window)} tokens before the = that announces it to ${formatCount(window)} behind it`,
  );
}
