import {
  type Figure,
  formatCount,
  formatId,
  formatNumber,
  formatShare,
  formatSigned,
  plural,
} from "../../core/text/index.ts";
import type {
  ColumnComparison,
  CompareReport,
  CompareSide,
  DifferenceSlice,
  DifferingToken,
} from "../../results/compare.ts";
import { RUN_METRICS } from "../../results/metrics/run-metrics.ts";
import { figureColumn, makeTable, metricColumn, type Table, textColumn } from "../document/table.ts";

type Row = readonly [label: string, value: string, meaning: string];

/** `0.0021 (0.0019 to 0.0023)`; without bounds the value alone. */
function formatBounded(value: Figure, low: Figure, high: Figure): string {
  if (low === null || high === null) return formatNumber(value);
  return `${formatNumber(value)} (${formatNumber(low)} to ${formatNumber(high)})`;
}

/** The figures of a first screen, whose header has the tokens. */
const FEW = new Set([
  "unequal",
  ...(["delta_abs_mean", "delta_abs_max", "prob_diff_max", "k3"] as const).map(
    (key) => RUN_METRICS[key].label,
  ),
]);

/** The figures that a certificate rests on; `isShort`: the few on a first screen, without a title. */
export function certificateTable(
  { metrics }: ColumnComparison,
  { test }: CompareReport,
  isShort = false,
): Table {
  const rows: Row[] = [
    [
      "tokens",
      formatCount(metrics.tokens),
      `in ${plural(metrics.sequences, "sequence")} of ${plural(metrics.clusters, test.unit)}`,
    ],
    ["unequal", formatCount(metrics.unequal), unequalMeaning(metrics)],
    [
      RUN_METRICS.delta_abs_mean.label,
      formatBounded(metrics.delta_abs_mean, metrics.delta_abs_mean_low, metrics.delta_abs_mean_high),
      "nats; one-sided bounds",
    ],
    [
      RUN_METRICS.delta_mean.label,
      formatBounded(metrics.delta_mean, metrics.delta_mean_low, metrics.delta_mean_high),
      "nats, B − A, with sign",
    ],
    [RUN_METRICS.delta_abs_p99.label, formatNumber(metrics.delta_abs_p99), "nats"],
    [RUN_METRICS.delta_abs_max.label, formatNumber(metrics.delta_abs_max), "nats"],
    [
      RUN_METRICS.prob_diff_max.label,
      formatNumber(metrics.prob_diff_max),
      "largest difference of probabilities",
    ],
    [RUN_METRICS.k3.label, formatNumber(metrics.k3), "nats; KL(A ‖ B) if A sampled them"],
  ];
  const found = metrics.unequal === 0 ? rows.slice(0, 2) : rows;
  const shown = isShort ? found.filter(([label]) => FEW.has(label)) : found;
  return makeTable("certificate", isShort ? "" : "Figures", [
    textColumn(
      "figure",
      shown.map(([label]) => label),
    ),
    textColumn(
      "value",
      shown.map(([, value]) => value),
      { align: "right" },
    ),
    textColumn(
      "what it is",
      shown.map(([, , meaning]) => meaning),
      { wrap: true, priority: 3 },
    ),
  ]);
}

function unequalMeaning({
  unequal,
  unequal_share: share,
  unequal_sequences: sequences,
  unequal_share_upper: upper,
  unequal_clusters_share_upper: upperClusters,
  signed_zeros: zeros,
}: ColumnComparison["metrics"]): string {
  const signs =
    zeros === 0 ? "" : `; ${formatCount(zeros)} are 0 on one side and −0 on the other, which is equal`;
  if (unequal === 0)
    return `none: at most ${formatShare(upper)} of tokens, and of prompts at most ${formatShare(upperClusters)}, can be unequal at that confidence${signs}`;
  return `${formatShare(share)} of tokens, in ${formatCount(sequences)} sequences${signs}`;
}

/** Units in the last place up to which the order of summation explains a difference; listed separately. */
const NEAR = 64;
/** A unit of bfloat16 equals this many of float32. */
const FAR = 2 ** 16;

export function ulpTable({ ulps }: ColumnComparison): Table {
  const count = (from: number, to: number): number =>
    ulps.counts.reduce((sum, one) => sum + (one.from > from && one.from <= to ? one.tokens : 0), 0);
  const rows: (readonly [label: string, tokens: number])[] = [
    ...ulps.counts
      .filter(({ from }) => from <= NEAR)
      .map(({ from, to, tokens }) => [from === to ? String(from) : `${from}–${to}`, tokens] as const),
    [`${NEAR + 1}–${formatCount(FAR)}`, count(NEAR, FAR)],
    [`above ${formatCount(FAR)}`, count(FAR, Number.POSITIVE_INFINITY)],
  ];
  const shown = rows.filter(([, tokens]) => tokens > 0);
  return makeTable(
    "ulps",
    "Units in the last place",
    [
      textColumn(
        `apart (${ulps.unit})`,
        shown.map(([label]) => label),
      ),
      figureColumn(
        "tokens",
        "count",
        shown.map(([, tokens]) => tokens),
        { bars: true },
      ),
    ],
    "Of tokens that differ: how many representable numbers lie between the two sides.",
  );
}

export function tokenTable(title: string, tokens: readonly DifferingToken[]): Table {
  return makeTable("worst", title, [
    textColumn(
      "token",
      tokens.map(({ handle }) => handle),
    ),
    textColumn(
      "turn",
      tokens.map(({ turn }) => formatId(turn)),
      { align: "right", priority: 3 },
    ),
    textColumn(
      "id",
      tokens.map(({ token_id: id }) => formatId(id)),
      { align: "right", priority: 2 },
    ),
    textColumn(
      "A",
      tokens.map(({ a }) => formatNumber(a, 6)),
      { align: "right" },
    ),
    textColumn(
      "B",
      tokens.map(({ b }) => formatNumber(b, 6)),
      { align: "right" },
    ),
    textColumn(
      "Δ",
      tokens.map(({ delta }) => formatSigned(delta)),
      { align: "right" },
    ),
  ]);
}

export function sliceTable(id: string, title: string, slices: readonly DifferenceSlice[]): Table {
  return makeTable(id, title, [
    textColumn(
      id,
      slices.map(({ value }) => formatId(value)),
      { align: "right" },
    ),
    figureColumn(
      "tokens",
      "count",
      slices.map(({ tokens }) => tokens),
    ),
    figureColumn(
      "unequal",
      "count",
      slices.map(({ unequal }) => unequal),
    ),
    metricColumn("delta_abs_mean", () => slices.map(({ delta_abs_mean: mean }) => mean), { bars: true }),
  ]);
}

export function columnTable(columns: readonly ColumnComparison[]): Table {
  return makeTable("columns", "Columns", [
    textColumn("column", columns.map(nameColumns)),
    textColumn(
      "certificate",
      columns.map(({ certificate }) => certificate),
    ),
    figureColumn(
      "tokens",
      "count",
      columns.map(({ metrics }) => metrics.tokens),
    ),
    figureColumn(
      "unequal",
      "count",
      columns.map(({ metrics }) => metrics.unequal),
    ),
    metricColumn("delta_abs_mean", () => columns.map(({ metrics }) => metrics.delta_abs_mean)),
    metricColumn("delta_abs_max", () => columns.map(({ metrics }) => metrics.delta_abs_max)),
  ]);
}

export function nameColumns({ a_column: a, b_column: b }: ColumnComparison): string {
  return a === b ? a : `${a} – ${b}`;
}

export function figureTable({ figures }: CompareReport): Table {
  return makeTable(
    "figures",
    "Figures",
    [
      textColumn(
        "figure",
        figures.map(({ name }) => name),
      ),
      figureColumn(
        "A",
        "number",
        figures.map(({ a }) => a),
      ),
      figureColumn(
        "B",
        "number",
        figures.map(({ b }) => b),
      ),
      textColumn(
        "B − A",
        figures.map(({ difference, difference_low: low, difference_high: high }) =>
          formatBounded(difference, low, high),
        ),
        { align: "right" },
      ),
    ],
    "Of each run's own rollout and trainer policies; in brackets a one-sided bound on either side.",
  );
}

export function inputTable(
  sides: readonly (readonly [label: string, side: CompareSide])[],
  most: number,
): Table {
  const all = sides.flatMap(([label, { inputs }]) => inputs.map((input) => ({ label, ...input })));
  const shown = all.slice(0, most);
  const left = all.length - shown.length;
  return makeTable(
    "inputs",
    "Files",
    [
      textColumn(
        "side",
        shown.map(({ label }) => label),
      ),
      textColumn(
        "file",
        shown.map(({ file }) => file),
      ),
      textColumn(
        "format",
        shown.map(({ trainer, format }) => `${trainer} ${format}`),
        { priority: 3 },
      ),
      figureColumn(
        "bytes",
        "count",
        shown.map(({ bytes }) => bytes),
        { priority: 4 },
      ),
      textColumn(
        "sha256",
        shown.map(({ sha256 }) => sha256 ?? "not a local file"),
        { priority: 2 },
      ),
    ],
    left > 0 ? `${formatCount(left)} more files are in --json.` : undefined,
  );
}
