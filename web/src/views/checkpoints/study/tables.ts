/**
 * The tables of the report, and what is exported of each.
 *
 * @module
 */
import type { KlReport } from "../../../../../src/protocol/kl.ts";
import type { Table } from "../../../../../src/report/content/table.ts";
import { attentionTable, hiddenTable } from "../../../../../src/report/kl/attention-tables.ts";
import {
  boundTable,
  checkpointTable,
  detailTable,
  policyTable,
  regionTable,
  rlProbeTable,
} from "../../../../../src/report/kl/checkpoint-tables.ts";
import {
  spikeDistributionsTable,
  spikeDistributionTable,
  topProblemTables,
} from "../../../../../src/report/kl/problem-tables.ts";
import {
  progressionTable,
  stageTable,
  turningTable,
} from "../../../../../src/report/kl/progression-tables.ts";
import {
  comparisonTable,
  correctnessTable,
  correlationTable,
  firstErrorTable,
  pairTable,
} from "../../../../../src/report/kl/test-tables.ts";
import {
  categoryProgressTable,
  categoryTable,
  spikeTable,
  tokenTable,
} from "../../../../../src/report/kl/token-tables.ts";
import type { Row } from "../../../ui/export.ts";
import {
  categoryRows,
  checkpointRows,
  progressionRows,
  rowsOf,
  spikeRangeRows,
  stageRows,
} from "./report-rows.ts";

export interface StudyTable {
  readonly table: Table;
  readonly rows: () => readonly Row[];
  /** Where each row's first cell leads. */
  readonly handles?: readonly string[];
}

const MOST_ROWS = 100;

export function checkpointTables(report: KlReport): StudyTable[] {
  const rows = (): Row[] => checkpointRows(report);
  return [
    { table: checkpointTable(report), rows },
    { table: boundTable(report), rows },
  ];
}

export function trainingTables(report: KlReport): StudyTable[] {
  return [
    { table: progressionTable(report), rows: () => progressionRows(report) },
    { table: turningTable(report), rows: () => rowsOf(report.progression?.turning_points ?? []) },
    { table: stageTable(report), rows: () => stageRows(report) },
    { table: comparisonTable(report), rows: () => rowsOf(report.comparisons) },
  ];
}

export function kindTables(report: KlReport): StudyTable[] {
  return [
    { table: categoryTable(report), rows: () => categoryRows(report) },
    { table: tokenTable(report, MOST_ROWS), rows: () => rowsOf(report.top_tokens) },
  ];
}

export function spikeTables(report: KlReport): StudyTable[] {
  const last = report.metrics.last_checkpoint;
  return [
    {
      table: spikeTable(report.top_spikes, "top-spikes", `Largest spikes at ${last}`),
      rows: () => rowsOf(report.top_spikes),
      handles: report.top_spikes.map(({ handle }) => handle),
    },
    { table: spikeDistributionTable(report), rows: () => spikeRangeRows(report) },
  ];
}

export function testTables(report: KlReport): StudyTable[] {
  return [
    { table: correctnessTable(report), rows: () => rowsOf(report.correctness) },
    { table: firstErrorTable(report), rows: () => rowsOf(report.first_errors) },
    { table: attentionTable(report), rows: () => rowsOf(report.attention) },
    { table: hiddenTable(report), rows: () => hiddenRows(report) },
    { table: correlationTable(report), rows: () => rowsOf(report.correlations) },
    { table: pairTable(report), rows: () => rowsOf(report.pairs) },
  ];
}

/** What few look for: folded on the page. */
export function otherTables(report: KlReport): StudyTable[] {
  const rows = (): Row[] => checkpointRows(report);
  const top = report.top_problems[report.metrics.last_checkpoint];
  const topRows = [top?.by_spikes ?? [], top?.by_mean_kl ?? []];
  return [
    { table: detailTable(report), rows },
    { table: regionTable(report), rows },
    { table: categoryProgressTable(report), rows: () => categoryRows(report) },
    { table: spikeDistributionsTable(report), rows: () => spikeRangeRows(report) },
    ...topProblemTables(report, MOST_ROWS).map((table, at) => ({
      table,
      rows: () => rowsOf(topRows[at] ?? []),
    })),
    { table: rlProbeTable(report), rows },
    { table: policyTable(report), rows: () => policyRows(report) },
  ];
}

function hiddenRows({ attention }: KlReport): Row[] {
  return rowsOf(
    attention.flatMap(({ checkpoint, hidden }) => (hidden === null ? [] : [{ checkpoint, ...hidden }])),
  );
}

function policyRows({ policies }: KlReport): Row[] {
  return Object.entries(policies).map(([policy, { notes, ...facts }]) => ({
    policy,
    ...facts,
    notes: notes.join(" "),
  }));
}
