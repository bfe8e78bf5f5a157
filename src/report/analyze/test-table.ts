import type { AnalyzeReport, Comparison, IntervalFigures } from "../../protocol/analyze.ts";
import { figureColumn, makeTable, type Table, textColumn } from "../content/table.ts";
import { type Figure, formatCount, formatNumber, formatSigned, isMissing, MISSING } from "../format.ts";

/** Tokens of one response depend on each other; said wherever tests over tokens are shown. */
export const INDEPENDENCE =
  "Correct minus incorrect answers. Tests by token take tokens for independent, and those of one response are not: their p-values are too small. Trust the rows by response, with the mean of each as one value.";

/** Always in this order: correct minus incorrect, others minus digits. */
const NAMES: Readonly<Record<Comparison["id"], string>> = {
  digits: "digits, by token",
  digits_sequences: "digits, by response",
  correctness: "all, by token",
  correctness_sequences: "all, by response",
  not_digits: "others − digits",
};

/** The tests, one row for each pair of groups and kind of value. */
export function comparisonTable({ comparisons }: AnalyzeReport): Table {
  const rows = comparisons.filter(({ a, b }) => a.count > 0 && b.count > 0);
  const columns = [
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
        ({ mean_difference, mean_difference_interval }) =>
          `${formatSigned(mean_difference)} ${range(mean_difference_interval)}`,
      ),
      { priority: 3, align: "right", meaning: "of the means, with its 95 % interval (Welch)" },
    ),
    textColumn(
      "effect",
      rows.map(({ hedges_g, hedges_g_interval }) => effectText(hedges_g, hedges_g_interval)),
      { priority: 2, align: "right", meaning: "Hedges' g, with its 95 % interval" },
    ),
    figureColumn(
      "t",
      "signed",
      rows.map(({ t }) => t.statistic),
      { priority: 2, meaning: "Student's t, pooled variance" },
    ),
    pColumn(
      "p (t)",
      rows.map(({ t }) => t.p_value),
      1,
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
  return makeTable("tests", "Is the difference more than chance?", columns, INDEPENDENCE);
}

/** `t = 2.55, p = 0.0109 over tokens, p = 3.22e-3 over responses`, or why there is no test. */
export function testSentence({ comparisons }: AnalyzeReport): string {
  const [tokens, responses] = (["digits", "digits_sequences"] as const).map((wanted) =>
    comparisons.find(({ id }) => id === wanted),
  ) as [Comparison, Comparison];
  if (tokens.absent !== null) return tokens.absent;
  const { statistic, p_value } = tokens.t;
  if (isMissing(p_value)) return "all values are the same: no test";
  const rest =
    responses.absent !== null || isMissing(responses.t.p_value)
      ? ""
      : `, p = ${formatNumber(responses.t.p_value)} over responses`;
  return `t = ${formatNumber(statistic)}, p = ${formatNumber(p_value)} over tokens${rest}`;
}

/** Two decimals are what an effect size is good for. */
function effectText(effect: Figure, { low, high }: IntervalFigures): string {
  if (isMissing(effect) || isMissing(low) || isMissing(high)) return MISSING;
  const [own, from, to] = [effect, low, high].map((value) => value.toFixed(2));
  return `${own} (${from} to ${to})`;
}

function pColumn(header: string, values: readonly Figure[], priority: number) {
  return textColumn(
    header,
    values.map((value) => formatNumber(value)),
    { priority, align: "right" },
  );
}

function range({ low, high }: IntervalFigures): string {
  return isMissing(low) || isMissing(high)
    ? `(${MISSING})`
    : `(${formatSigned(low)} to ${formatSigned(high)})`;
}
