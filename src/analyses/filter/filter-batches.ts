/**
 * A filter over the batches of a run.
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

/** Of what was looked through. Tokens are those with mask 1, before and after. */
export interface FilterCounts {
  sequences: number;
  keptSequences: number;
  tokens: number;
  keptTokens: number;
}

/** A filter over the batches of a run, with what it counted so far. */
export interface BatchFilter {
  /** Whether single tokens are left out. */
  readonly isAboutTokens: boolean;
  readonly counts: Readonly<FilterCounts>;
  /** The sequences of a batch that match, with mask 1 at the tokens that match; undefined where there are none. */
  apply(batch: RecordBatch): RecordBatch | undefined;
}

/**
 * Leaves the sequences at which every sequence term of an alternative holds. With token terms, those of which a token
 * matches, and the mask is 1 at such tokens only: whatever is computed afterwards is about them. By an alternative
 * without token terms, sequences stay with all tokens of mask 1. Turns keep their numbers; with terms on `mask:`, which
 * choose what is in no turn, turns are runs of chosen tokens.
 *
 * @param alternatives of `parseFilter`
 * @param textsOf texts of response tokens; needed where terms are about texts (`token:`, `is:`)
 * @returns a filter to hand batches to, and its counts: sequences, and tokens with mask 1, before and after
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
    // Turns keep their numbers, but where tokens between them are chosen: those are in none.
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
