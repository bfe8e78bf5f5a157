/**
 * At which tokens, and at which kinds of token.
 *
 * @module
 */
import type { CategoryFigures, KlReport, SpikeFigures } from "../../protocol/kl.ts";
import { makeTable, type Table, textColumn } from "../content/table.ts";
import { column, intervalColumn, meanColumn, NONE, quoted } from "./values.ts";

/** Categories of a checkpoint, most KL first. */
export function categoryRows(report: KlReport, checkpoint: string): (readonly [string, CategoryFigures])[] {
  return Object.entries(report.categories[checkpoint] ?? {}).sort(([, a], [, b]) => b.mean_kl - a.mean_kl);
}

export function categoryTable(report: KlReport): Table {
  const checkpoint = report.metrics.last_checkpoint;
  const entries = categoryRows(report, checkpoint);
  const rows = entries.map(([, figures]) => figures);
  return makeTable("categories", `Token categories at ${checkpoint}`, [
    textColumn(
      "category",
      entries.map(([name]) => name),
    ),
    meanColumn(
      "mean KL ± std",
      rows.map(({ mean_kl }) => mean_kl),
      rows.map(({ std_kl }) => std_kl),
      { priority: 1, bars: true },
    ),
    intervalColumn(
      "95 % interval",
      rows.map(({ mean_kl_interval }) => mean_kl_interval),
      { priority: 3 },
    ),
    column(
      "tokens",
      "count",
      rows.map(({ count }) => count),
      { priority: 1 },
    ),
    column(
      "of tokens",
      "share",
      rows.map(({ share_of_tokens }) => share_of_tokens),
      { priority: 2 },
    ),
    column(
      "of KL",
      "share",
      rows.map(({ share_of_kl }) => share_of_kl),
      { priority: 1, worst: "most" },
    ),
    column(
      "spikes",
      "count",
      rows.map(({ spikes }) => spikes),
      { priority: 2 },
    ),
    column(
      "max",
      "number",
      rows.map(({ max_kl }) => max_kl),
      { priority: 4 },
    ),
    column(
      "min",
      "number",
      rows.map(({ min_kl }) => min_kl),
      { priority: 5 },
    ),
  ]);
}

/** Categories down, checkpoints across: mean KL, null where a checkpoint has no such token. */
export function categoryMatrix(report: KlReport): {
  readonly checkpoints: readonly string[];
  readonly rows: readonly { readonly category: string; readonly values: readonly (number | null)[] }[];
} {
  const checkpoints = Object.keys(report.categories);
  const names = [...new Set(checkpoints.flatMap((name) => Object.keys(report.categories[name] ?? {})))];
  const rows = names.map((category) => ({
    category,
    values: checkpoints.map((name) => report.categories[name]?.[category]?.mean_kl ?? null),
  }));
  return { checkpoints, rows };
}

/** No row with fewer than two checkpoints: the table of the last one says it all. */
export function categoryProgressTable(report: KlReport): Table {
  const { checkpoints, rows } = categoryMatrix(report);
  const shown = checkpoints.length < 2 ? [] : rows;
  return makeTable("category-progress", "Mean KL of categories by checkpoint", [
    textColumn(
      "category",
      shown.map(({ category }) => category),
    ),
    ...checkpoints.map((name, at) =>
      column(
        name,
        "number",
        shown.map(({ values }) => values[at]),
        { priority: at === 0 || at === checkpoints.length - 1 ? 2 : 3 },
      ),
    ),
  ]);
}

export function tokenTable({ top_tokens: all, metrics }: KlReport, most: number): Table {
  const rows = all.slice(0, most);
  return makeTable("tokens", `Tokens with most KL at ${metrics.last_checkpoint}`, [
    textColumn(
      "token",
      rows.map(({ token }) => quoted(token)),
    ),
    textColumn(
      "category",
      rows.map(({ category }) => category),
      { priority: 2 },
    ),
    column(
      "count",
      "count",
      rows.map(({ count }) => count),
      { priority: 1 },
    ),
    column(
      "mean KL",
      "number",
      rows.map(({ mean_kl }) => mean_kl),
      { priority: 1 },
    ),
    column(
      "of KL",
      "share",
      rows.map(({ share_of_kl }) => share_of_kl),
      { priority: 1 },
    ),
    column(
      "spikes",
      "count",
      rows.map(({ spikes }) => spikes),
      { priority: 2 },
    ),
    column(
      "mean Δ",
      "signed",
      rows.map(({ mean_delta }) => mean_delta),
      { priority: 2, meaning: "log p checkpoint − log p reference" },
    ),
    column(
      "problems",
      "count",
      rows.map(({ problems }) => problems),
      { priority: 3 },
    ),
  ]);
}

export function spikeTable(spikes: readonly SpikeFigures[], id: string, title: string): Table {
  return makeTable(id, title, [
    textColumn(
      "token",
      spikes.map(({ token }) => quoted(token)),
    ),
    textColumn(
      "where",
      spikes.map(({ handle }) => handle),
    ),
    column(
      "KL",
      "number",
      spikes.map(({ kl }) => kl),
      { priority: 1 },
    ),
    column(
      "z",
      "number",
      spikes.map(({ zscore }) => zscore),
      { priority: 3 },
    ),
    column(
      "p",
      "number",
      spikes.map(({ probability }) => probability),
      { priority: 2, meaning: "of the token, checkpoint" },
    ),
    column(
      "p reference",
      "number",
      spikes.map(({ reference_probability }) => reference_probability),
      { priority: 2 },
    ),
    textColumn(
      "category",
      spikes.map(({ category }) => category),
      { priority: 3 },
    ),
    textColumn(
      "region",
      spikes.map(({ region }) => region),
      { priority: 4 },
    ),
    textColumn(
      "since",
      spikes.map(({ since }) => since ?? NONE),
      { priority: 2, meaning: "first checkpoint with half of this KL, and keeping it" },
    ),
    textColumn(
      "problem",
      spikes.map(({ problem }) => problem),
      { priority: 3 },
    ),
  ]);
}
