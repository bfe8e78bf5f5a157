/**
 * The tables of a sweep, as every medium shows them.
 *
 * @module
 */

import { type FigureKind, formatShare, formatSigned, isFigure, plural } from "../../core/text/index.ts";
import type { DroppedGroup, SweepCorrection, SweepReport } from "../../results/sweep.ts";
import { figureColumn, makeTable, type Table, type TableColumn, textColumn } from "../document/table.ts";

/** For corrections that drop less than this, the dropped part is too small to describe. */
const LEAST_DROPPED = 1e-3;

/** What each correction keeps and costs. */
export function correctionTable(report: SweepReport, rows: readonly SweepCorrection[]): Table {
  const { metrics, corrections } = report;
  const column = columnMaker(rows);
  const columns: TableColumn[] = [
    textColumn(
      "",
      rows.map(
        ({ name, on_front }) => `${name === report.recommendation.name ? ">" : ""}${on_front ? "*" : ""}`,
      ),
    ),
    nameColumn(rows),
    column("ESS", "near-one", 1, ({ ess_tokens }) => ess_tokens, "least"),
    column("mean w", "near-one", 1, ({ weight_mean }) => weight_mean),
    column("moved", "share", 1, ({ mass_moved }) => mass_moved),
    column("dropped", "share", 1, ({ dropped }) => dropped.tokens_share),
    column("sequences", "share", 2, ({ dropped }) => dropped.sequences_share),
    column("max w", "number", 2, ({ weight_max }) => weight_max),
    ...(metrics.groups === null ? [] : [column("groups", "count", 2, ({ dropped }) => dropped.groups_lost)]),
    ...(metrics.reward_mean === null ? [] : [rewardColumn(rows)]),
    column("truncated", "share", 4, ({ truncated_share }) => truncated_share),
    column("ESS seq", "near-one", 3, ({ ess_sequences }) => ess_sequences),
    column("budget", "count", 5, ({ token_budget }) => token_budget?.ess_half ?? null),
    textColumn(
      "--correction",
      rows.map(({ correction_text }) => correction_text),
      { priority: 7 },
    ),
  ];
  const hidden = corrections.length - rows.length;
  const title = hidden === 0 ? "Corrections" : `Corrections, ${rows.length} of ${corrections.length}`;
  return makeTable("corrections", title, columns);
}

type MakeColumn = (
  header: string,
  kind: FigureKind,
  priority: number,
  pick: (row: SweepCorrection) => number | null,
  worst?: "most" | "least",
) => TableColumn;

function columnMaker(rows: readonly SweepCorrection[]): MakeColumn {
  return (header, kind, priority, pick, worst) =>
    figureColumn(header, kind, rows.map(pick), { priority, ...(worst && { worst }) });
}

function nameColumn(rows: readonly SweepCorrection[]): TableColumn {
  return textColumn(
    "correction",
    rows.map(({ name }) => name),
  );
}

function rewardColumn(rows: readonly SweepCorrection[]): TableColumn {
  const cells = rows.map(({ dropped }) => formatShift(dropped.reward_shift));
  return textColumn("reward", cells, { priority: 2, align: "right" });
}

/** What the marks of {@link correctionTable} mean. */
export const FRONT_LEGEND = "* Pareto front of ESS, moved and mean w; > recommended";

/** The meaning of the columns of {@link correctionTable}, except those in `without`. */
export function correctionLegend({ metrics }: SweepReport, without: readonly string[] = []): string {
  const meanings: Readonly<Record<string, string>> = {
    ESS: "(Σw)²/(n Σw²) over all tokens, dropped ones as 0; without weights, of the kept tokens' own ratios",
    "mean w": "mean weight of the loss, and so the gradient's scale",
    moved: "share of weight mass that truncation and dropping remove, or that a lower clamp adds",
    dropped: "share of tokens",
    sequences: "share of sequences dropped as a whole",
    "max w": "largest weight",
    ...(metrics.groups !== null && { groups: `of ${metrics.groups} GRPO groups, those without a survivor` }),
    ...(metrics.reward_mean !== null && {
      reward: "shift of the mean by dropping, in standard deviations",
    }),
    "ESS seq": "of the sequences' mean weights",
    budget: "tokens after which products of kept ratios have an ESS below one half",
    truncated: "share of tokens whose weight was clamped",
    "--correction": "the row as a value for this flag",
  };
  const told = Object.entries(meanings).filter(([name]) => !without.includes(name));
  return [FRONT_LEGEND, ...told.map(([name, meaning]) => `${name}: ${meaning}`)].join(". ");
}

/** Who is dropped, for the rows that drop more than a few tokens; undefined if none does. */
export function droppedTable(report: SweepReport, rows: readonly SweepCorrection[]): Table | undefined {
  const dropping = rows.filter(({ dropped }) => dropped.tokens_share >= LEAST_DROPPED);
  const [first] = dropping;
  if (first === undefined) return undefined;
  const columns = [
    nameColumn(dropping),
    ...outcomeColumns(report, dropping),
    ...groupColumns(first, dropping),
  ];
  const note =
    "R: mean reward. Then the share dropped of the tokens with positive and negative advantage, of the shortest and longest quarter of the sequences, of the first and last turn.";
  return makeTable("dropped", "Who is dropped", columns, note);
}

/** Rewards and correctness of what is kept and what is dropped. */
function outcomeColumns(
  { metrics: { reward_mean, accuracy } }: SweepReport,
  rows: readonly SweepCorrection[],
): TableColumn[] {
  const column = columnMaker(rows);
  return [
    ...(reward_mean === null
      ? []
      : [
          column("R kept", "number", 2, ({ dropped }) => dropped.reward_kept),
          column("R dropped", "number", 1, ({ dropped }) => dropped.reward_dropped),
        ]),
    // Many trainers record correctness as the reward: show it once.
    ...(accuracy === null || accuracy === reward_mean
      ? []
      : [
          column("right kept", "share", 4, ({ dropped }) => dropped.accuracy_kept),
          column("right dropped", "share", 3, ({ dropped }) => dropped.accuracy_dropped),
        ]),
  ];
}

/** Shares dropped by sign of the advantage, by length and by turn; all rows have the same groups as the first. */
function groupColumns({ dropped }: SweepCorrection, rows: readonly SweepCorrection[]): TableColumn[] {
  const column = columnMaker(rows);
  const lengths = findEnds(dropped.by_length, (group) => `${group.from}–${group.to} tokens`);
  const turns = findEnds(dropped.by_turn, ({ from, to }) => `turn ${from}${to === null ? "+" : ""}`);
  return [
    ...(dropped.by_advantage === null
      ? []
      : [
          column("A>0", "share", 1, (row) => row.dropped.by_advantage?.positive ?? null),
          column("A<0", "share", 1, (row) => row.dropped.by_advantage?.negative ?? null),
        ]),
    ...lengths.map(({ header, at }) =>
      column(header, "share", 3, (row) => row.dropped.by_length[at]?.dropped_share ?? null),
    ),
    ...(dropped.by_turn.length < 2 ? [] : turns).map(({ header, at }) =>
      column(header, "share", 4, (row) => row.dropped.by_turn[at]?.dropped_share ?? null),
    ),
  ];
}

/** The first and last group; `--json` has those between. */
function findEnds(
  groups: readonly DroppedGroup[],
  header: (group: DroppedGroup) => string,
): { readonly header: string; readonly at: number }[] {
  const ends = groups.length < 2 ? [0] : [0, groups.length - 1];
  return ends.flatMap((at) => (groups[at] === undefined ? [] : [{ header: header(groups[at]), at }]));
}

function formatShift(shift: number | null): string {
  if (!isFigure(shift)) return "n/a";
  return Math.abs(shift) < 5e-4 ? "0" : formatSigned(shift, 2);
}

/** `54,994 tokens in 768 sequences …`, in parts. */
export function inputParts({ metrics, excluded }: SweepReport): string[] {
  const left = excluded.missing + excluded.delta_negative_infinite + excluded.delta_positive_infinite;
  return [
    plural(metrics.sequences, "sequence"),
    plural(metrics.tokens, "token"),
    ...(metrics.groups === null ? [] : [plural(metrics.groups, "group")]),
    ...(metrics.turns_max > 1 ? [`up to ${plural(metrics.turns_max, "turn")}`] : []),
    `${plural(metrics.corrections, "correction")} tried`,
    `${formatShare(metrics.ratio_outside)} of ratios outside 1/2 to 2`,
    ...(left > 0 ? [`${plural(left, "token")} left out: no finite Δ`] : []),
  ];
}
