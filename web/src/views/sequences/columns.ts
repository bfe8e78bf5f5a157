/**
 * The columns of the table of sequences, in their default order.
 *
 * @module
 */

import type { ComponentChildren } from "preact";
import { fieldNamed } from "../../../../src/analyses/filter/index.ts";
import { formatHandle } from "../../../../src/core/schema/index.ts";
import {
  formatCount,
  formatId,
  formatNearOne,
  formatNumber,
  formatPlain,
  formatSigned,
} from "../../../../src/render/text/display/index.ts";
import {
  type SequenceColumn,
  type SequenceEntry,
  type SequenceText,
  sequenceColumnAt,
} from "../../../../src/results/metrics/sequence-columns.ts";
import type { SequenceTable } from "../../../../src/results/wire/table.ts";
import type { Cell } from "../../ui/export.ts";
import { shortNames } from "./short-names.ts";

export interface SequencesColumn {
  readonly key: string;
  readonly title: string;
  readonly help: string;
  readonly width: number;
  readonly align?: "end";
  /** Whether the address pins the column, so that it stays in sight. */
  readonly pinned?: boolean;
  /** Whether it is shown by default. */
  readonly usual: boolean;
  readonly value: (table: SequenceTable, row: number) => Cell;
  readonly text: (table: SequenceTable, row: number) => string;
  /** The full text of a shortened one, for a tooltip. */
  readonly hint?: (table: SequenceTable, row: number) => string | undefined;
  /** Set for cells that are more than text. */
  readonly cell?: (row: number) => ComponentChildren;
}

/** The handle is always the first column, because it is the link. */
export const HANDLE = "sequence";

/** Columns that the server sends row by row, so they cannot be sorted, filtered or exported over all rows. */
const BRIEF_COLUMNS = ["prompt-text", "answer-text", "spark"] as const;
export type BriefColumn = (typeof BRIEF_COLUMNS)[number];

export function isBriefColumn(key: string): key is BriefColumn {
  return BRIEF_COLUMNS.some((name) => name === key);
}

/** What a column is called, and what it contains in the words of the filter's help. */
function describe({ key, label, filter }: SequenceEntry): { title: string; help: string } {
  return { title: label!, help: fieldNamed(filter?.name ?? key)!.meaning };
}

export const COLUMNS: readonly SequencesColumn[] = [
  {
    key: HANDLE,
    title: "Sequence",
    help: "its handle: step, rank, row",
    width: 120,
    usual: true,
    value: formatRowHandle,
    text: formatRowHandle,
  },
  brief("prompt-text", "Prompt", "what was asked: the last thing the user says, else its beginning", 230),
  brief("answer-text", "Answer", "the end of the response", 210),
  brief(
    "spark",
    "|Δ| along it",
    "the largest |Δ| in each 32nd of the response, logarithmic; gaps are tool output",
    112,
  ),
  {
    ...figure("correct", formatNumber, true),
    text: ({ columns }, row) => rightness(columns.correct[row]!),
  },
  figure("reward", formatPlain, true),
  figure("abs", formatNumber, true),
  {
    ...figure("worst", formatNumber, true),
    help: `${describe(sequenceColumnAt("worst")!).help}; the link goes to that token`,
  },
  figure("delta", formatSigned, true),
  figure("k3", formatNumber, true),
  figure("ess", formatNearOne),
  figure("sum", formatSigned),
  figure("dp", formatNumber),
  figure("tokens", formatCount, true),
  figure("response", formatCount),
  figure("prompt", formatCount),
  figure("turns", formatCount, true),
  figure("advantage", formatSigned),
  figure("impact", formatNumber),
  figure("entropy", formatNumber),
  figure("logp", formatNumber),
  figure("step", formatId),
  figure("rank", formatId),
  figure("cached", formatCount),
  label("group", 104, true),
  label("env", 120, false),
  label("sample", 104, false),
  label("finish", 88, false),
  label("engine", 104, false),
  {
    ...label("file", 190, false),
    // File names differ at their ends, which a narrow cell would cut off.
    text: ({ texts: { file } }, row) => file.values[file.codes[row]!]?.replace(/^.*[/\\]/, "") ?? "–",
  },
];

export function columnNamed(key: string): SequencesColumn | undefined {
  return COLUMNS.find((column) => column.key === key);
}

/** `s12.r3.q41`, as the command line prints it. */
export function formatRowHandle({ columns }: SequenceTable, row: number): string {
  return formatHandle({ step: columns.step[row]!, rank: columns.rank[row]!, sequence: columns.row[row]! });
}

export function rightness(correct: number): string {
  return correct === 1 ? "right" : correct === 0 ? "wrong" : "–";
}

/** As wide as the heading needs. */
export function figureWidth({ length }: string): number {
  return length > 8 ? 112 : 88;
}

function figure(key: string, format: (value: number) => string, usual = false): SequencesColumn {
  const entry = sequenceColumnAt(key)!;
  const column = entry.key as SequenceColumn;
  const words = describe(entry);
  return {
    key,
    ...words,
    width: figureWidth(words.title),
    align: "end",
    usual,
    value: ({ columns }, row) => {
      const value = columns[column][row];
      return Number.isNaN(value) ? null : value;
    },
    text: ({ columns }, row) => format(columns[column][row]!),
  };
}

function label(key: string, width: number, usual: boolean): SequencesColumn {
  const entry = sequenceColumnAt(key)!;
  const column = entry.key as SequenceText;
  const textAt = ({ texts }: SequenceTable, row: number): string | undefined =>
    texts[column].values[texts[column].codes[row]!];
  return {
    key,
    ...describe(entry),
    width,
    usual,
    value: textAt,
    text: ({ texts }, row) => shortNames(texts[column].values)[texts[column].codes[row]!] ?? "–",
    hint: textAt,
  };
}

function brief(key: BriefColumn, title: string, help: string, width: number): SequencesColumn {
  return { key, title, help, width, usual: true, value: () => null, text: () => "" };
}
