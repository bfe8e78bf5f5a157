import type { MismatchReport } from "../../results/report.ts";
import type { TopTokens } from "../../results/view.ts";
import type { Table } from "../document/table.ts";
import { allFiguresTable, baselineTable, distributionTable } from "./figure-tables.ts";
import { gradientSequenceTable, gradientTable, gradientTokenTable } from "./gradient-tables.ts";
import {
  correctnessTable,
  engineTable,
  environmentTable,
  finishReasonTable,
  rankTable,
  stalenessTable,
  stepTable,
  turnTable,
} from "./group-tables.ts";
import { identityTable, trustTable } from "./identity-tables.ts";
import { sourceTable } from "./input.ts";
import { parityTables } from "./parity-tables.ts";
import { classTable, placeTables } from "./place-tables.ts";
import { sequenceFigureTable, worstSequenceTable } from "./sequence-tables.ts";
import {
  positionTable,
  probabilityTable,
  tailSideTable,
  tailTable,
  tokenIdTable,
  worstTokenTable,
} from "./token-tables.ts";

export interface Detail {
  readonly tables: readonly Table[];
  /** Files, after the findings. */
  readonly sources: readonly Table[];
  /** `by rank (one rank)`: absent tables, and the reasons. */
  readonly absent: readonly string[];
}

export interface DetailLimits {
  readonly steps: number;
  readonly sources: number;
}

/** All tables after the first screen, in every medium's order (the findings stand between `tables` and `sources`). */
export function detailTables(report: MismatchReport, limits: DetailLimits, top?: TopTokens): Detail {
  const absent: string[] = [];
  const needs = (table: Table, least: number, reason: string): Table[] => {
    if (table.rows >= least) return [table];
    absent.push(`${table.title.toLowerCase()} (${reason})`);
    return [];
  };
  const tables = [
    ...needs(baselineTable(report), 1, "the verdict cites none"),
    ...(report.metrics.tokens > 0 ? [identityTable(report), trustTable(report)] : []),
    ...needs(stepTable(report, limits.steps), 2, report.per_step.length === 1 ? "one step" : "no steps"),
    ...needs(turnTable(report), 2, report.per_turn.length === 1 ? "one turn" : "no turns"),
    ...needs(rankTable(report), 2, report.per_rank.length === 1 ? "one rank" : "ranks unknown"),
    ...needs(environmentTable(report), 1, "environments unknown"),
    ...needs(correctnessTable(report), 1, "correctness unknown"),
    ...needs(engineTable(report), 1, "engines unknown"),
    ...needs(finishReasonTable(report), 1, "finish reasons unknown"),
    ...needs(stalenessTable(report), 1, "weight versions unknown"),
    ...needs(positionTable(report), 1, "no tokens"),
    ...needs(probabilityTable(report), 1, "no tokens"),
    ...needs(tailTable(report), 1, "no tokens"),
    ...(report.metrics.tokens > 0 ? [tailSideTable(report), distributionTable(report)] : []),
    ...(top === undefined ? [] : needs(classTable(top), 1, "no tokens")),
    ...(top === undefined
      ? needs(worstTokenTable(report), 1, "no tokens")
      : placeTables(top).filter(({ rows }) => rows > 0)),
    ...needs(worstSequenceTable(report), 1, "no sequences"),
    ...needs(gradientTable(report), 1, "advantages unknown"),
    ...(report.gradient === null || report.gradient.worst_tokens.length === 0
      ? []
      : [gradientTokenTable(report), gradientSequenceTable(report)]),
    ...needs(tokenIdTable(report), 1, "token ids unknown"),
    ...(report.sequence_metrics.sequences > 0 ? [sequenceFigureTable(report)] : []),
    allFiguresTable(report),
    ...parityTables(report),
  ];
  const sources = needs(sourceTable(report, limits.sources), 1, "no files");
  return { tables, sources, absent };
}
