/**
 * Applies a filter to the batches of a run.
 *
 * @module
 */
import type { RecordBatch } from "../../core/schema/index.ts";
import type { Alternatives } from "./alternatives.ts";
import { batchTable } from "./batch-table.ts";
import { type TableMatch, tableMatcher } from "./match-table.ts";
import { tokensOfRow } from "./row-tokens.ts";
import { byScope } from "./scopes.ts";
import { takeRows } from "./take-rows.ts";
import type { TokenTextColumn } from "./token-columns.ts";

/** Counts of what was filtered. Tokens are those with mask 1, before and after. */
export interface FilterCounts {
  sequences: number;
  keptSequences: number;
  tokens: number;
  keptTokens: number;
}

/** A filter for the batches of a run, with its counts so far. */
export interface BatchFilter {
  /** Whether it removes single tokens. */
  readonly isAboutTokens: boolean;
  readonly counts: Readonly<FilterCounts>;
  /** The matching sequences of a batch, with mask 1 at the matching tokens; undefined if there are none. */
  apply(batch: RecordBatch): RecordBatch | undefined;
}

/**
 * Keeps the sequences that satisfy every sequence term of an alternative. With token terms, keeps those with a matching
 * token and sets the mask to 1 at such tokens only: everything computed afterwards is about them. If an alternative has
 * no token terms, its sequences keep all tokens of mask 1. Turns keep their numbers; with `mask:` terms, which can
 * select tokens outside turns, turns are runs of selected tokens.
 *
 * @param alternatives of `parseFilter`
 * @param textsOf texts of response tokens; needed if terms are about texts (`token:`, `is:`)
 * @returns a filter for batches, with counts of sequences and of tokens with mask 1, before and after
 */
export function batchFilter(
  alternatives: Alternatives,
  textsOf?: (ids: Int32Array) => TokenTextColumn,
): BatchFilter {
  const chosen = byScope(alternatives.flat()).token;
  const isAboutTokens = chosen.length > 0;
  const asksForMask = chosen.some(({ field }) => field?.name === "mask");
  const match = tableMatcher(alternatives);
  const counts: FilterCounts = { sequences: 0, keptSequences: 0, tokens: 0, keptTokens: 0 };
  const keepTokens = (
    batch: RecordBatch,
    { rows, tokensOf, holdsWithoutTokens }: TableMatch,
  ): RecordBatch => {
    const responseMask = new Uint8Array(batch.responseMask.length);
    const kept = rows.filter((row) => {
      const places = tokensOf(row)(tokensOfRow(batch, row, textsOf));
      for (const place of places) responseMask[batch.offsets[row]! + place] = 1;
      return places.length > 0 || holdsWithoutTokens(row);
    });
    // Turns keep their numbers unless tokens between them, which belong to no turn, are selected.
    const turnMask = asksForMask ? undefined : (batch.turnMask ?? batch.responseMask);
    return keepRows({ ...batch, responseMask, ...(turnMask && { turnMask }) }, kept);
  };
  return {
    isAboutTokens,
    counts,
    apply(batch) {
      const found = match(batchTable(batch));
      const left = isAboutTokens ? keepTokens(batch, found) : keepRows(batch, found.rows);
      counts.sequences += batch.length;
      counts.tokens += ones(batch.responseMask);
      counts.keptSequences += left.length;
      counts.keptTokens += ones(left.responseMask);
      return left.length > 0 ? left : undefined;
    },
  };
}

function keepRows(batch: RecordBatch, rows: Uint32Array): RecordBatch {
  return rows.length === batch.length ? batch : takeRows(batch, rows);
}

function ones(mask: Uint8Array): number {
  let count = 0;
  for (const value of mask) if (value !== 0) count++;
  return count;
}
