/**
 * A case's tokens broken into lines that fit a page, with long tool output and quiet lines folded.
 *
 * @module
 */

import { isFigure } from "../../core/text/index.ts";
import type { CaseStudy, SpikeFigures } from "../results/texts.ts";

/** One column of a heat-map: tokens from `from` to before `to`; more than one only for folded tool output. */
export interface HeatColumn {
  readonly from: number;
  readonly to: number;
}

/** A line of the heat-map, or a stretch of lines left out and the largest KL in it. */
export type HeatLine =
  | { readonly kind: "line"; readonly columns: readonly HeatColumn[] }
  | { readonly kind: "quiet"; readonly from: number; readonly to: number; readonly most: number | null };

export const TOKEN_CHARACTERS = 16;
const LINE_TOKENS = 40;
const LINE_CHARACTERS = 158;
const TOKEN_MARGIN = 1.2;
const LEAST_TOKEN = 2;
/** Longer runs of tool output become one column. */
const LONG_RUN = 12;
/** Maximum lines of one case; those with spikes or the error have priority, then those with the most KL. */
const MOST_LINES = 24;

/** The parts of a case that its lines need. */
export type HeatText = Pick<CaseStudy, "tokens" | "mask" | "kl" | "error_token"> & {
  readonly spikes: readonly Pick<SpikeFigures, "position">[];
};

export interface HeatLineOptions {
  /** Maximum number of lines. */
  readonly lines?: number;
  /** Width of a line in characters: a token counts its text and the space around it. */
  readonly characters?: number;
}

export function heatLines(
  study: HeatText,
  { lines: most = MOST_LINES, characters = LINE_CHARACTERS }: HeatLineOptions = {},
): HeatLine[] {
  const lines = breakLines(buildColumns(study), study.tokens, characters);
  const keep = linesToKeep(lines, study, most);
  const result: HeatLine[] = [];
  for (const [at, columns] of lines.entries()) {
    if (keep.has(at)) {
      result.push({ kind: "line", columns });
      continue;
    }
    const { from, to } = extent(columns);
    const most = largestIn(study, from, to);
    const before = result.at(-1);
    if (before?.kind === "quiet")
      result[result.length - 1] = {
        ...before,
        to,
        most: most === null ? before.most : Math.max(before.most ?? 0, most),
      };
    else result.push({ kind: "quiet", from, to, most });
  }
  return result;
}

function buildColumns({ tokens, mask }: HeatText): HeatColumn[] {
  const columns: HeatColumn[] = [];
  for (let at = 0; at < tokens.length; ) {
    let end = at;
    while (end < tokens.length && mask[end] === 0) end += 1;
    if (end - at > LONG_RUN) {
      columns.push({ from: at, to: end });
      at = end;
    } else {
      columns.push({ from: at, to: at + 1 });
      at += 1;
    }
  }
  return columns;
}

function breakLines(columns: readonly HeatColumn[], tokens: readonly string[], room: number): HeatColumn[][] {
  const lines: HeatColumn[][] = [];
  let line: HeatColumn[] = [];
  let used = 0;
  for (const column of columns) {
    const length =
      column.to - column.from > 1 ? 24 : Math.min(TOKEN_CHARACTERS, (tokens[column.from] ?? "").length);
    const width = Math.max(LEAST_TOKEN, length) + TOKEN_MARGIN;
    if (line.length > 0 && (line.length >= LINE_TOKENS || used + width > room)) {
      lines.push(line);
      [line, used] = [[], 0];
    }
    line.push(column);
    used += width;
  }
  if (line.length > 0) lines.push(line);
  return lines;
}

function linesToKeep(lines: readonly (readonly HeatColumn[])[], study: HeatText, count: number): Set<number> {
  const marked = [...study.spikes.map(({ position }) => position), study.error_token ?? -1];
  const ranked = lines
    .map((columns, at) => {
      const { from, to } = extent(columns);
      const isMarked = at === 0 || marked.some((position) => position >= from && position < to);
      return { at, isMarked, most: largestIn(study, from, to) ?? 0 };
    })
    .sort((a, b) => Number(b.isMarked) - Number(a.isMarked) || b.most - a.most || a.at - b.at);
  return new Set(ranked.slice(0, count).map(({ at }) => at));
}

function extent(columns: readonly HeatColumn[]): HeatColumn {
  return { from: columns[0]?.from ?? 0, to: columns.at(-1)?.to ?? 0 };
}

/** The largest KL over all checkpoints and the tokens that count; null if none is known. */
function largestIn({ kl, mask }: HeatText, from: number, to: number): number | null {
  let most: number | null = null;
  for (const row of kl) {
    for (let at = from; at < to; at++) {
      const value = row[at];
      if (mask[at] !== 0 && isFigure(value) && (most === null || value > most)) most = value;
    }
  }
  return most;
}
