/**
 * The page of a study: the report of `logratio kl`.
 *
 * @module
 */

import type { Table } from "../../../render/document/index.ts";
import { flatRows, unfoldedRows } from "../../../render/document/index.ts";
import {
  attentionTable,
  boundTable,
  categoryPictures,
  categoryProgressTable,
  categoryTable,
  checkpointTable,
  comparisonTable,
  continuationTable,
  correctnessPictures,
  correctnessTable,
  correlationTable,
  detailTable,
  firstErrorTable,
  followUpPictures,
  gradientTable,
  hiddenTable,
  type KlPicture,
  keyFigures,
  methodLines,
  overviewPictures,
  pairTable,
  policyTable,
  progressionLines,
  progressionTable,
  regionTable,
  rlProbeTable,
  SUPPORT,
  spikeDistributionsTable,
  spikeDistributionTable,
  spikeTable,
  stageTable,
  tokenTable,
  topProblemTables,
  turningTable,
} from "../../../render/kl/index.ts";
import { printable } from "../../../render/text/index.ts";
import type {
  KlReport,
  PageMove,
  PagePart,
  PagePicture,
  PageRow,
  PageTable,
  StudyPage,
} from "../../../results/index.ts";
import { pageTable } from "./page-table.ts";
import {
  categoryRows,
  checkpointRows,
  hiddenRows,
  policyRows,
  progressionRows,
  spikeRangeRows,
  stageRows,
} from "./study-rows.ts";

const MOST_ROWS = 100;

export function studyPage(report: KlReport): StudyPage {
  return {
    answers: report.answers.map(({ question, answer, support }) => {
      const { word, level } = SUPPORT[support];
      return { question: printable(question), answer, word, level };
    }),
    sections: sections(report),
    cases: report.cases.map(({ handle, reason, text }) => [handle, reason, printable(text)]),
    more: more(report),
  };
}

function sections(report: KlReport): PagePart[] {
  const checkpoints = checkpointRows(report);
  const categories = categoryRows(report);
  const last = report.metrics.last_checkpoint;
  return [
    {
      title: "Over checkpoints",
      pictures: pictures(overviewPictures(report), checkpoints),
      lines: keyFigures(report),
      tables: tables([checkpointTable(report), checkpoints], [boundTable(report), checkpoints]),
    },
    {
      title: "Progression and turning points",
      lines: progressionLines(report),
      tables: tables(
        [progressionTable(report), progressionRows(report)],
        [turningTable(report), unfoldedRows(report.progression?.turning_points ?? [])],
        [stageTable(report), stageRows(report)],
        [comparisonTable(report), unfoldedRows(report.comparisons)],
      ),
      ...(report.progression === null && {
        notes: ["Progression needs at least two checkpoints with a training step."],
      }),
    },
    {
      title: "Kinds of token",
      pictures: pictures(categoryPictures(report), categories),
      tables: tables(
        [categoryTable(report), categories],
        [tokenTable(report, MOST_ROWS), unfoldedRows(report.top_tokens)],
      ),
    },
    {
      title: "Spikes",
      tables: tables(
        [
          spikeTable(report.top_spikes, "top-spikes", `Largest spikes at ${last}`),
          unfoldedRows(report.top_spikes),
          report.top_spikes.map(({ handle }) => moveTo(handle)),
        ],
        [spikeDistributionTable(report), spikeRangeRows(report)],
      ),
    },
    {
      title: "Right and wrong texts, first errors, tests",
      pictures: pictures(
        [...correctnessPictures(report), ...followUpPictures(report)],
        unfoldedRows([...report.correctness, ...report.first_errors]),
      ),
      tables: tables(
        [correctnessTable(report), unfoldedRows(report.correctness)],
        [firstErrorTable(report), unfoldedRows(report.first_errors)],
        [attentionTable(report), unfoldedRows(report.attention)],
        [hiddenTable(report), hiddenRows(report)],
        [gradientTable(report), unfoldedRows(report.gradients)],
        [continuationTable(report), unfoldedRows(report.continuations)],
        [correlationTable(report), unfoldedRows(report.correlations)],
        [pairTable(report), unfoldedRows(report.pairs)],
      ),
    },
  ];
}

function more(report: KlReport): PagePart[] {
  const checkpoints = checkpointRows(report);
  const top = report.top_problems[report.metrics.last_checkpoint];
  const byTop = [top?.by_spikes ?? [], top?.by_mean_kl ?? []];
  const folded = tables(
    [detailTable(report), checkpoints],
    [regionTable(report), checkpoints],
    [categoryProgressTable(report), categoryRows(report)],
    [spikeDistributionsTable(report), spikeRangeRows(report)],
    ...topProblemTables(report, MOST_ROWS).map((table, at): Entry => [table, flatRows(byTop[at] ?? [])]),
    [rlProbeTable(report), checkpoints],
    [policyTable(report), policyRows(report)],
  );
  return [
    ...folded.map((table) => ({ title: table.title, tables: [table] })),
    {
      title: "Method",
      lines: methodLines(report),
      notes: [
        "These are the options stored in the study; for others, run logratio kl (--spikes, --alpha, …).",
      ],
    },
    { title: "Limitations", notes: report.caveats },
    { title: "Not available", notes: report.absent },
  ].filter(({ notes = [""] }: PagePart) => notes.length > 0);
}

type Entry = readonly [table: Table, raw: readonly PageRow[], links?: readonly (PageMove | null)[]];

/** Those that have rows. */
function tables(...entries: readonly Entry[]): PageTable[] {
  return entries
    .filter(([table]) => table.rows > 0)
    .map(([table, raw, links]) => pageTable(table, { raw, ...(links !== undefined && { links }) }));
}

function pictures(of: readonly KlPicture[], raw: readonly PageRow[]): PagePicture[] {
  return of.map(({ id, svg }) => ({ id, svg, raw }));
}

/** `q12.t40` of a study. */
function moveTo(handle: string): PageMove | null {
  const [, text, token] = /^q(\d+)(?:\.t(\d+))?$/.exec(handle) ?? [];
  if (text === undefined) return null;
  return { view: "checkpoints", params: { part: "texts", text, ...(token !== undefined && { token }) } };
}
