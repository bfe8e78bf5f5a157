/**
 * Which tables follow each other.
 *
 * @module
 */
import type { KlReport } from "../../results/index.ts";
import type { Table } from "../document/index.ts";
import { attentionTable, hiddenTable } from "./attention-tables.ts";
import { boundTable, detailTable, regionTable } from "./checkpoint-tables.ts";
import { spikeDistributionsTable, spikeDistributionTable, topProblemTables } from "./problem-tables.ts";
import { stageTable, turningTable } from "./progression-tables.ts";
import {
  comparisonTable,
  correctnessTable,
  correlationTable,
  firstErrorTable,
  pairTable,
} from "./test-tables.ts";
import { categoryProgressTable, categoryTable, tokenTable } from "./token-tables.ts";

/** Between the checkpoints and the spikes themselves. Tables without rows are among them. */
export function tablesBefore(report: KlReport, most: number): Table[] {
  return [
    boundTable(report),
    categoryTable(report),
    categoryProgressTable(report),
    tokenTable(report, most),
    spikeDistributionTable(report),
    ...topProblemTables(report, most),
  ];
}

/** After training's progression: its turning points, the tests, the rest. */
export function tablesAfter(report: KlReport): Table[] {
  return [
    turningTable(report),
    stageTable(report),
    comparisonTable(report),
    correctnessTable(report),
    firstErrorTable(report),
    attentionTable(report),
    hiddenTable(report),
    pairTable(report),
    correlationTable(report),
    detailTable(report),
    regionTable(report),
    spikeDistributionsTable(report),
  ];
}
