/**
 * What the viewer's page needs about a report's tables in addition to their cells: the part that each belongs to, the
 * rows behind it, and the targets of its rows.
 *
 * @module
 */

import type { PageMove } from "../../results/page.ts";
import type { MismatchReport } from "../../results/report.ts";
import type { TopTokens } from "../../results/view.ts";
import type { Section } from "../document/document.ts";
import { unfoldedRows } from "../document/rows.ts";
import type { Table } from "../document/table.ts";

/** What only the viewer knows about a run. */
export interface ReportPlaces {
  readonly top: TopTokens;
  /** The target of a row, given its table and its name. */
  link(table: string, name: string): PageMove | null;
}

/** Titles under which the page gathers tables. */
export const PARTS = { worst: "Worst places", where: "Where the mismatch is" } as const;
const FIGURES = "Every figure with its interval";
const TAILS = "Quantiles and tails";
/** Number of rows of the worst places shown at first. */
export const FIRST = 5;

type Rows = (report: MismatchReport) => readonly object[];

const TABLES: Readonly<Record<string, readonly [part: string | undefined, rows?: Rows]>> = {
  "worst-turns": [PARTS.worst],
  "worst-tokens": [PARTS.worst],
  "worst-sequences": [PARTS.worst, (report) => report.worst_sequences],
  "gradient-tokens": [PARTS.worst, ({ gradient }) => gradient?.worst_tokens ?? []],
  "gradient-sequences": [PARTS.worst, ({ gradient }) => gradient?.worst_sequences ?? []],
  turns: [PARTS.where, (report) => report.per_turn],
  correctness: [PARTS.where, (report) => report.per_correctness],
  environments: [PARTS.where, (report) => report.per_environment],
  engines: [PARTS.where, (report) => report.per_engine],
  "finish-reasons": [PARTS.where, (report) => report.per_finish_reason],
  staleness: [PARTS.where, (report) => report.per_staleness],
  ranks: [PARTS.where, (report) => report.per_rank],
  positions: [PARTS.where, (report) => report.per_position_decile],
  probabilities: [PARTS.where, (report) => report.per_rollout_probability],
  classes: [PARTS.where],
  figures: [
    FIGURES,
    ({ metrics, intervals }) =>
      Object.entries(metrics).map(([figure, value]) => ({
        figure,
        value,
        low: intervals[figure]?.low ?? null,
        high: intervals[figure]?.high ?? null,
      })),
  ],
  baselines: [FIGURES, ({ verdict }) => verdict.readings],
  sequences: [FIGURES, (report) => [report.sequence_metrics]],
  identity: [FIGURES],
  trust: [FIGURES],
  gradient: ["In the policy gradient", ({ gradient }) => gradient?.per_step ?? []],
  steps: [undefined, (report) => report.per_step],
  tail: [TAILS, (report) => report.tail_curve],
  tails: [TAILS, ({ tails }) => Object.entries(tails).map(([tail, figures]) => ({ tail, ...figures }))],
  distributions: [
    TAILS,
    ({ distributions }) =>
      Object.entries(distributions).map(([of, { quantiles, ...rest }]) => ({ of, ...rest, ...quantiles })),
  ],
  sources: ["What was read", (report) => report.sources],
  absent: ["What was read"],
};

/** A section of one table under its part; the page folds all but the parts on places and the distributions. */
export function inPart(section: Section, { per_step }: MismatchReport): Section {
  const { id } = section;
  const named =
    id === "steps"
      ? `${per_step.length} steps`
      : id.startsWith("parity")
        ? "As logged by the trainers"
        : TABLES[id]?.[0];
  const isOpen = named === PARTS.worst || named === PARTS.where || id === "spread";
  return { ...section, ...(named !== undefined && { part: named }), ...(!isOpen && { isFolded: true }) };
}

/** A table with its rows to export and the viewer's links; groups and places show their essential columns. */
export function onPage(table: Table, report: MismatchReport, places: ReportPlaces | undefined): Table {
  const [part, rows] = TABLES[table.id] ?? [];
  const names = table.columns[0]?.cells ?? [];
  const links = places === undefined ? [] : names.map((name) => places.link(table.id, name));
  return {
    ...(rows !== undefined && { raw: () => unfoldedRows(rows(report)) }),
    ...(part === PARTS.worst && { handles: true, first: FIRST }),
    ...(part !== PARTS.worst && part !== PARTS.where && { isWhole: true }),
    ...(links.some((link) => link !== null) && { links }),
    ...table,
  };
}
