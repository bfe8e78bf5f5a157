/**
 * KL by token and by category.
 *
 * @module
 */

import { makeTable, type Table, textColumn } from "../../render/document/index.ts";
import type { CategoryFigures } from "../results/checkpoints.ts";
import type { KlReport } from "../results/report.ts";
import type { SpikeFigures } from "../results/texts.ts";
import { makeColumns, meanColumn, NONE, quoted } from "./values.ts";

/** Categories of a checkpoint, most KL first. */
export function categoryRows(report: KlReport, checkpoint: string): (readonly [string, CategoryFigures])[] {
  return Object.entries(report.categories[checkpoint] ?? {}).sort(([, a], [, b]) => b.mean_kl - a.mean_kl);
}

export function categoryTable(report: KlReport): Table {
  const checkpoint = report.metrics.last_checkpoint;
  const entries = categoryRows(report, checkpoint);
  const rows = entries.map(([, figures]) => figures);
  const by = makeColumns(rows);
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
    by.interval("95 % interval", ({ mean_kl_interval }) => mean_kl_interval, { priority: 3 }),
    by.figure("tokens", "count", ({ count }) => count, { priority: 1 }),
    by.figure("of tokens", "share", ({ share_of_tokens }) => share_of_tokens, { priority: 2 }),
    by.figure("of KL", "share", ({ share_of_kl }) => share_of_kl, { priority: 1, worst: "most" }),
    by.figure("spikes", "count", ({ spikes }) => spikes, { priority: 2 }),
    by.figure("max", "number", ({ max_kl }) => max_kl, { priority: 4 }),
    by.figure("min", "number", ({ min_kl }) => min_kl, { priority: 5 }),
  ]);
}

/** Categories down, checkpoints across: mean KL, null if a checkpoint has no such token. */
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

/** No rows for fewer than two checkpoints: the table of the last one then suffices. */
export function categoryProgressTable(report: KlReport): Table {
  const { checkpoints, rows } = categoryMatrix(report);
  const shown = checkpoints.length < 2 ? [] : rows;
  const by = makeColumns(shown);
  return makeTable("category-progress", "Mean KL of categories by checkpoint", [
    by.text("category", ({ category }) => category),
    ...checkpoints.map((name, at) =>
      by.figure(name, "number", ({ values }) => values[at], {
        priority: at === 0 || at === checkpoints.length - 1 ? 2 : 3,
      }),
    ),
  ]);
}

export function tokenTable({ top_tokens: all, metrics }: KlReport, most: number): Table {
  const rows = all.slice(0, most);
  const by = makeColumns(rows);
  return makeTable("tokens", `Tokens with most KL at ${metrics.last_checkpoint}`, [
    by.text("token", ({ token }) => quoted(token)),
    by.text("category", ({ category }) => category, { priority: 2 }),
    by.figure("count", "count", ({ count }) => count, { priority: 1 }),
    by.figure("mean KL", "number", ({ mean_kl }) => mean_kl, { priority: 1 }),
    by.figure("of KL", "share", ({ share_of_kl }) => share_of_kl, { priority: 1 }),
    by.figure("spikes", "count", ({ spikes }) => spikes, { priority: 2 }),
    by.figure("mean Δ", "signed", ({ mean_delta }) => mean_delta, {
      priority: 2,
      meaning: "log p checkpoint − log p reference",
    }),
    by.figure("problems", "count", ({ problems }) => problems, { priority: 3 }),
  ]);
}

/** Every spike of every text and checkpoint; no rows unless they were requested. */
export function allSpikesTable({ all_spikes: all }: KlReport): Table {
  const rows = Object.entries(all ?? {}).flatMap(([checkpoint, spikes]) =>
    spikes.map((spike) => ({ checkpoint, ...spike })),
  );
  const by = makeColumns(rows);
  return makeTable("all-spikes", "All spikes", [
    by.text("checkpoint", ({ checkpoint }) => checkpoint),
    by.text("where", ({ handle }) => handle),
    by.text("token", ({ token }) => quoted(token)),
    by.figure("KL", "number", ({ kl }) => kl, { priority: 1 }),
    by.figure("z", "number", ({ zscore }) => zscore, { priority: 1 }),
    by.text("region", ({ region }) => region, { priority: 2 }),
    by.text("category", ({ category }) => category, { priority: 3 }),
    by.text("text", ({ text }) => text, { priority: 3 }),
  ]);
}

export function spikeTable(spikes: readonly SpikeFigures[], id: string, title: string): Table {
  const by = makeColumns(spikes);
  return makeTable(id, title, [
    by.text("token", ({ token }) => quoted(token)),
    by.text("where", ({ handle }) => handle),
    by.figure("KL", "number", ({ kl }) => kl, { priority: 1 }),
    by.figure("z", "number", ({ zscore }) => zscore, { priority: 3 }),
    by.figure("p", "number", ({ probability }) => probability, {
      priority: 2,
      meaning: "of the token, checkpoint",
    }),
    by.figure("p reference", "number", ({ reference_probability }) => reference_probability, { priority: 2 }),
    by.text("category", ({ category }) => category, { priority: 3 }),
    by.text("region", ({ region }) => region, { priority: 4 }),
    by.text("since", ({ since }) => since ?? NONE, {
      priority: 2,
      meaning: "first checkpoint with half of this KL, and keeping it",
    }),
    by.text("problem", ({ problem }) => problem, { priority: 3 }),
  ]);
}
