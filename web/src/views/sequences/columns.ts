/**
 * The columns of the table of sequences, in the order in which they stand.
 *
 * @module
 */

import type { ComponentChildren } from "preact";
import { computeEss } from "../../../../src/analyses/filter/index.ts";
import { formatHandle } from "../../../../src/core/schema/index.ts";
import {
  formatCount,
  formatId,
  formatNearOne,
  formatNumber,
  formatPlain,
  formatSigned,
} from "../../../../src/render/text/display/index.ts";
import type { SequenceTable } from "../../../../src/results/wire/index.ts";
import { FIGURE_KEYS, type FigureKey, TEXT_KEYS, type TextKey } from "../../state/sequence-order.ts";
import type { Cell } from "../../ui/export.ts";
import { shortNames } from "./short-names.ts";

export interface SequencesColumn {
  readonly key: string;
  readonly title: string;
  readonly help: string;
  readonly width: number;
  readonly align?: "end";
  /** Stays in sight: the address says so. */
  readonly pinned?: boolean;
  /** Shown when the address does not say which. */
  readonly usual: boolean;
  readonly value: (table: SequenceTable, row: number) => Cell;
  readonly text: (table: SequenceTable, row: number) => string;
  /** The whole of a short text, for a tooltip. */
  readonly hint?: (table: SequenceTable, row: number) => string | undefined;
  /** Where the text is not all of it. */
  readonly cell?: (row: number) => ComponentChildren;
}

/** The handle stands first and cannot be left out: it is the link. */
export const HANDLE = "sequence";

/** Columns of what the server gives row by row: no order, no filter, no export over all rows. */
export const BRIEF_COLUMNS = ["prompt-text", "answer-text", "spark"] as const;
export type BriefColumn = (typeof BRIEF_COLUMNS)[number];

export function isBriefColumn(key: string): key is BriefColumn {
  return BRIEF_COLUMNS.some((name) => name === key);
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
    ...figure("correct", "correct", "whether its answer is right", formatNumber, true),
    text: ({ columns }, row) => rightness(columns.correct[row]!),
  },
  figure("reward", "reward", "reward", formatPlain, true),
  figure("abs", "mean |Δ|", "mean |Δ| of its tokens, nats", formatNumber, true),
  figure("worst", "max |Δ|", "its largest |Δ|, nats; the link goes to that token", formatNumber, true),
  figure("delta", "mean Δ", "mean Δ = log p_trainer − log p_rollout, nats", formatSigned, true),
  figure("k3", "k3", "mean of exp Δ − 1 − Δ, nats", formatNumber, true),
  {
    key: "ess",
    title: "ESS",
    help: "(Σρ)² / (n Σρ²) of its tokens: 1 where all ratios are equal",
    width: 76,
    align: "end",
    usual: false,
    value: (table, row) => computeEss(table)[row],
    text: (table, row) => formatNearOne(computeEss(table)[row]),
  },
  figure("sum", "ΣΔ", "ΣΔ: the log of the sequence's importance ratio, nats", formatSigned),
  figure("dp", "max |Δp|", "largest |p_trainer − p_rollout|", formatNumber),
  figure("tokens", "tokens", "the policy's own tokens (mask 1)", formatCount, true),
  figure("response", "response", "response tokens, tool output included", formatCount),
  figure("prompt", "prompt", "prompt tokens", formatCount),
  figure("turns", "turns", "turns: runs of the policy's own tokens", formatCount, true),
  figure("advantage", "advantage", "its mean advantage", formatSigned),
  figure("impact", "impact", "Σ|A|·|ρ − 1|: what its weights in the gradient lack", formatNumber),
  figure("entropy", "entropy", "mean entropy of its tokens, nats", formatNumber),
  figure("logp", "log p", "mean log-prob under the rollout policy, nats", formatNumber),
  figure("step", "step", "training step", formatId),
  figure("rank", "rank", "rank that computed it", formatId),
  figure("cached", "cached", "prompt tokens from the engine's prefix cache", formatCount),
  label("group", "Group", "GRPO group: the prompt", 104, true),
  label("env", "Environment", "environment", 120, false),
  label("sample", "Sample", "sample id", 104, false),
  label("finish", "Finish", "why the engine stopped", 88, false),
  label("engine", "Engine", "engine that sampled it", 104, false),
  {
    ...label("file", "File", "the file that it was read from", 190, false),
    // Files differ at their ends, where a narrow cell would cut them.
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

function figure(
  key: FigureKey,
  title: string,
  help: string,
  format: (value: number) => string,
  usual = false,
): SequencesColumn {
  const column = FIGURE_KEYS[key];
  return {
    key,
    title,
    help,
    width: title.length > 8 ? 104 : 88,
    align: "end",
    usual,
    value: ({ columns }, row) => {
      const value = columns[column][row];
      return Number.isNaN(value) ? null : value;
    },
    text: ({ columns }, row) => format(columns[column][row]!),
  };
}

function label(key: TextKey, title: string, help: string, width: number, usual: boolean): SequencesColumn {
  const column = TEXT_KEYS[key];
  const textAt = ({ texts }: SequenceTable, row: number): string | undefined =>
    texts[column].values[texts[column].codes[row]!];
  return {
    key,
    title,
    help,
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
