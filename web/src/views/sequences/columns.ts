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
import type { SequenceTable } from "../../../../src/results/wire/table.ts";
import { FIGURE_KEYS, type FigureKey, TEXT_KEYS, type TextKey } from "../../state/sequence-order.ts";
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

/** Filter fields that are not named like their column's key, mostly because that key names a field of tokens. */
const FIELD_NAMES: Readonly<Record<string, string>> = {
  abs: "mean_abs",
  delta: "mean_delta",
  k3: "mean_k3",
  dp: "max_dp",
  advantage: "mean_advantage",
  impact: "sum_impact",
  entropy: "mean_entropy",
  logp: "mean_logp",
};

/** What the column of a key contains, in the words of the filter's help. */
function describe(key: string): string {
  return fieldNamed(FIELD_NAMES[key] ?? key)!.meaning;
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
    ...figure("correct", "correct", formatNumber, true),
    text: ({ columns }, row) => rightness(columns.correct[row]!),
  },
  figure("reward", "reward", formatPlain, true),
  figure("abs", "mean |Δ|", formatNumber, true),
  {
    ...figure("worst", "max |Δ|", formatNumber, true),
    help: `${describe("worst")}; the link goes to that token`,
  },
  figure("delta", "mean Δ", formatSigned, true),
  figure("k3", "k3", formatNumber, true),
  figure("ess", "ESS", formatNearOne),
  figure("sum", "ΣΔ", formatSigned),
  figure("dp", "max |Δp|", formatNumber),
  figure("tokens", "tokens", formatCount, true),
  figure("response", "response", formatCount),
  figure("prompt", "prompt", formatCount),
  figure("turns", "turns", formatCount, true),
  figure("advantage", "advantage", formatSigned),
  figure("impact", "impact", formatNumber),
  figure("entropy", "entropy", formatNumber),
  figure("logp", "log p", formatNumber),
  figure("step", "step", formatId),
  figure("rank", "rank", formatId),
  figure("cached", "cached", formatCount),
  label("group", "Group", 104, true),
  label("env", "Environment", 120, false),
  label("sample", "Sample", 104, false),
  label("finish", "Finish", 88, false),
  label("engine", "Engine", 104, false),
  {
    ...label("file", "File", 190, false),
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

function figure(
  key: FigureKey,
  title: string,
  format: (value: number) => string,
  usual = false,
): SequencesColumn {
  const column = FIGURE_KEYS[key];
  return {
    key,
    title,
    help: describe(key),
    width: figureWidth(title),
    align: "end",
    usual,
    value: ({ columns }, row) => {
      const value = columns[column][row];
      return Number.isNaN(value) ? null : value;
    },
    text: ({ columns }, row) => format(columns[column][row]!),
  };
}

function label(key: TextKey, title: string, width: number, usual: boolean): SequencesColumn {
  const column = TEXT_KEYS[key];
  const textAt = ({ texts }: SequenceTable, row: number): string | undefined =>
    texts[column].values[texts[column].codes[row]!];
  return {
    key,
    title,
    help: describe(key),
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
