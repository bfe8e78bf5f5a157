/**
 * How spikes lie over problems, and which problems stand out.
 *
 * @module
 */
import type { KlReport } from "../../protocol/kl.ts";
import { makeTable, type Table, textColumn } from "../content/table.ts";
import { column } from "./values.ts";

/** Of the last checkpoint, as in the published analysis. */
export function spikeDistributionTable(report: KlReport): Table {
  const checkpoint = report.metrics.last_checkpoint;
  const rows = report.spike_distribution[checkpoint] ?? [];
  return makeTable("spike-distribution", `Spike distribution at ${checkpoint}`, [
    textColumn(
      "spikes",
      rows.map(({ range }) => range),
      { align: "right" },
    ),
    column(
      "problems",
      "count",
      rows.map(({ problems }) => problems),
      { priority: 1 },
    ),
    column(
      "share",
      "share",
      rows.map(({ share }) => share),
      { priority: 1, bars: true },
    ),
  ]);
}

/** Shares of problems by number of spikes, a row per checkpoint; no row with fewer than two. */
export function spikeDistributionsTable({ spike_distribution: byCheckpoint }: KlReport): Table {
  const names = Object.keys(byCheckpoint);
  const shown = names.length < 2 ? [] : names;
  const ranges = [...new Set(names.flatMap((name) => (byCheckpoint[name] ?? []).map(({ range }) => range)))];
  return makeTable("spike-distributions", "Problems by number of spikes, by checkpoint", [
    textColumn("checkpoint", shown),
    ...ranges.map((wanted) =>
      column(
        `${wanted} spikes`,
        "share",
        shown.map((name) => byCheckpoint[name]?.find(({ range }) => range === wanted)?.share),
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
    const shown = rows.slice(0, most);
    const spikes = column(
      "spikes",
      "count",
      shown.map((row) => row.spikes),
      { priority: 1 },
    );
    const kl = column(
      "mean KL",
      "number",
      shown.map((row) => row.mean_kl),
      { priority: 1 },
    );
    return makeTable(id, title, [
      column(
        "rank",
        "id",
        shown.map((_, at) => at + 1),
        { priority: 2 },
      ),
      textColumn(
        "problem",
        shown.map(({ problem }) => problem),
      ),
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
