import {
  type Figure,
  formatCoefficient,
  formatCount,
  formatNumber,
  formatSigned,
  isMissing,
  MISSING,
} from "../../core/text/index.ts";
import type { AnalyzeReport, Comparison, IntervalFigures } from "../../results/analyze.ts";
import { figureColumn, makeTable, type Table, type TableColumn, textColumn } from "../document/table.ts";

/** Tokens of one response depend on each other, and so do responses to one prompt; stated wherever tests are shown. */
const INDEPENDENCE =
  "Correct minus incorrect answers. Rely on the test by prompt: responses to one prompt are alike, so it counts prompts. t, Welch and U assume independent values, so their p-values are too small, above all by token.";

/** Always in this order: correct minus incorrect, others minus digits. */
const NAMES: Readonly<Record<Comparison["id"], string>> = {
  digits: "digits, by token (descriptive)",
  digits_sequences: "digits, by response",
  correctness: "all, by token (descriptive)",
  correctness_sequences: "all, by response",
  not_digits: "others − digits",
};

/** The tests, one row for each pair of groups and kind of value. */
export function comparisonTable({ comparisons }: AnalyzeReport): Table {
  const rows = comparisons.filter(({ a, b }) => a.count > 0 && b.count > 0);
  const columns = [...differenceColumns(rows), ...testColumns(rows)];
  return makeTable("tests", "Significance tests", columns, INDEPENDENCE);
}

/** What is compared, the difference, and the test by prompt. */
function differenceColumns(rows: readonly Comparison[]): TableColumn[] {
  return [
    textColumn(
      "compared",
      rows.map(({ id }) => NAMES[id]),
    ),
    textColumn(
      "values",
      rows.map(({ a, b }) => `${formatCount(a.count)} / ${formatCount(b.count)}`),
      { priority: 2, align: "right" },
    ),
    textColumn(
      "difference",
      rows.map(
        ({ mean_difference, clustered }) =>
          `${formatSigned(mean_difference)}${clustered === null ? "" : ` ${range(clustered.interval)}`}`,
      ),
      { priority: 2, align: "right", meaning: "of the means, with its 95 % interval by prompt" },
    ),
    pColumn(
      "p by prompt",
      rows.map(({ clustered }) => clustered?.p_value ?? null),
      1,
      "cluster-robust by prompt (by response, where the log has no prompts), Student's t with few degrees of freedom where one side has few prompts",
    ),
    textColumn(
      "effect",
      rows.map(({ hedges_g, clustered }) => effectText(hedges_g, clustered?.effect_interval)),
      { priority: 3, align: "right", meaning: "Hedges' g, with its 95 % interval by prompt" },
    ),
  ];
}

/** The tests that assume independent values. */
function testColumns(rows: readonly Comparison[]): TableColumn[] {
  return [
    figureColumn(
      "t",
      "signed",
      rows.map(({ t }) => t.statistic),
      { priority: 2, meaning: "Student's t, pooled variance" },
    ),
    pColumn(
      "p (t)",
      rows.map(({ t }) => t.p_value),
      2,
    ),
    figureColumn(
      "Welch t",
      "signed",
      rows.map(({ welch }) => welch.statistic),
      { priority: 4 },
    ),
    pColumn(
      "p (Welch)",
      rows.map(({ welch }) => welch.p_value),
      2,
    ),
    figureColumn(
      "U",
      "count",
      rows.map(({ mann_whitney }) => mann_whitney.statistic),
      { priority: 4, meaning: "Mann-Whitney" },
    ),
    pColumn(
      "p (U)",
      rows.map(({ mann_whitney }) => mann_whitney.p_value),
      2,
    ),
    figureColumn(
      "rank-biserial",
      "signed",
      rows.map(({ rank_biserial }) => rank_biserial),
      { priority: 4, meaning: "2 P(first > second) − 1, ties half" },
    ),
  ];
}

/** `a significant difference, p = 3.22e-3 over 41 prompts (t = 2.55 over tokens)`, or why there is no test. */
export function testSentence({ comparisons, hypothesis }: AnalyzeReport): string {
  const [tokens, responses] = (["digits", "digits_sequences"] as const).map((wanted) =>
    comparisons.find(({ id }) => id === wanted),
  ) as [Comparison, Comparison];
  if (tokens.absent !== null) return tokens.absent;
  const { statistic, p_value } = tokens.t;
  if (isMissing(p_value)) return "all values are the same: no test";
  const { clustered } = responses;
  const overTokens = `over tokens t = ${formatNumber(statistic)}, which assumes that they are independent`;
  if (clustered === null || isMissing(clustered.p_value))
    return `no test: too few prompts, or the log does not identify responses (${overTokens})`;
  const { p_value: p, clusters, by, interval } = clustered;
  // An interval that contains 0 does not mean a difference of 0: it shows how large a difference these data cannot rule
  // out.
  const found = hypothesis.digits_significant
    ? "a significant difference"
    : `no difference can be shown, nor one of ${formatSigned(interval.low)} to ${formatSigned(interval.high)} ruled out`;
  return `${found}, p = ${formatNumber(p)} over ${formatCount(clusters)} ${by}s (${overTokens})`;
}

/** An effect size deserves two decimals. */
function effectText(effect: Figure, interval: IntervalFigures | undefined): string {
  if (isMissing(effect)) return MISSING;
  const { low = null, high = null } = interval ?? {};
  if (isMissing(low) || isMissing(high)) return formatCoefficient(effect);
  return `${formatCoefficient(effect)} (${formatCoefficient(low)} to ${formatCoefficient(high)})`;
}

function pColumn(header: string, values: readonly Figure[], priority: number, meaning?: string) {
  return textColumn(
    header,
    values.map((value) => formatNumber(value)),
    { priority, align: "right", ...(meaning !== undefined && { meaning }) },
  );
}

function range({ low, high }: IntervalFigures): string {
  return isMissing(low) || isMissing(high)
    ? `(${MISSING})`
    : `(${formatSigned(low)} to ${formatSigned(high)})`;
}
