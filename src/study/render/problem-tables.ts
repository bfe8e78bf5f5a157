/**
 * The distribution of spikes over problems, and which problems stand out.
 *
 * @module
 */

import { makeTable, type Table, textColumn } from "../../render/document/index.ts";
import type { KlReport } from "../results/report.ts";
import { makeColumns } from "./values.ts";

/** For the last checkpoint, as in the published analysis. */
export function spikeDistributionTable(report: KlReport): Table {
  const checkpoint = report.metrics.last_checkpoint;
  const rows = report.spike_distribution[checkpoint] ?? [];
  const by = makeColumns(rows);
  return makeTable("spike-distribution", `Spike distribution at ${checkpoint}`, [
    by.text("spikes", ({ range }) => range, { align: "right" }),
    by.figure("problems", "count", ({ problems }) => problems, { priority: 1 }),
    by.figure("share", "share", ({ share }) => share, { priority: 1, bars: true }),
  ]);
}

/** Shares of problems by number of spikes, a row per checkpoint; no rows for fewer than two checkpoints. */
export function spikeDistributionsTable({ spike_distribution: byCheckpoint }: KlReport): Table {
  const names = Object.keys(byCheckpoint);
  const shown = names.length < 2 ? [] : names;
  const ranges = [...new Set(names.flatMap((name) => (byCheckpoint[name] ?? []).map(({ range }) => range)))];
  const by = makeColumns(shown);
  return makeTable("spike-distributions", "Problems by number of spikes, by checkpoint", [
    textColumn("checkpoint", shown),
    ...ranges.map((wanted) =>
      by.figure(
        `${wanted} spikes`,
        "share",
        (name) => byCheckpoint[name]?.find(({ range }) => range === wanted)?.share,
        { priority: 2 },
      ),
    ),
  ]);
}

export function topProblemTables(report: KlReport, most: number): Table[] {
  const checkpoint = report.metrics.last_checkpoint;
  const top = report.top_problems[checkpoint];
  const table = (
    id: string,
    title: string,
    first: "spikes" | "mean_kl",
    rows: NonNullable<typeof top>["by_spikes"],
  ): Table => {
    const by = makeColumns(rows.slice(0, most));
    const spikes = by.figure("spikes", "count", (row) => row.spikes, { priority: 1 });
    const kl = by.figure("mean KL", "number", (row) => row.mean_kl, { priority: 1 });
    return makeTable(id, title, [
      by.figure("rank", "id", (_, at) => at + 1, { priority: 2 }),
      by.text("problem", ({ problem }) => problem),
      ...(first === "spikes" ? [spikes, kl] : [kl, spikes]),
    ]);
  };
  return [
    table("most-spikes", `Problems with most spikes at ${checkpoint}`, "spikes", top?.by_spikes ?? []),
    table(
      "highest-kl",
      `Problems with the highest mean KL at ${checkpoint}`,
      "mean_kl",
      top?.by_mean_kl ?? [],
    ),
  ];
}
