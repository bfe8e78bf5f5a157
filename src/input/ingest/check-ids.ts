/**
 * Invalid token ids: the record holds ids in 32 bits; one that does not fit is missing, never another token.
 *
 * @module
 */

import type { NumericArray } from "../../core/base/index.ts";
import { type FindingLog, hasNegative, type SequenceDraft } from "../../core/schema/index.ts";
import { formatCount } from "../../core/text/index.ts";

const LARGEST_ID = 2 ** 31 - 1;
/** Written by trainers, and by the record, where there is no id. */
const MISSING = -1;

function isId(value: number): boolean {
  return Number.isInteger(value) && value >= MISSING && value <= LARGEST_ID;
}

/** Arrays of narrow integers cannot hold anything else. */
function mayHoldOthers(ids: NumericArray): boolean {
  return !(ids instanceof Uint8Array || ids instanceof Uint16Array);
}

function countOthers(ids: NumericArray): { readonly count: number; readonly first: number } {
  let count = 0;
  let first = Number.NaN;
  // Nearly every column is of 32-bit integers, and has no negative one.
  if (ids instanceof Int32Array && !hasNegative(ids)) return { count, first };
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i]!;
    if (isId(id) || Number.isNaN(id)) continue;
    if (count++ === 0) first = id;
  }
  return { count, first };
}

/** Reports ids that are negative, fractional or beyond 32 bits; the builder reads them as missing. */
export function checkTokenIds(draft: SequenceDraft, file: string, findings: FindingLog): void {
  for (const [what, ids] of [
    ["response", draft.responseTokenIds],
    ["prompt", draft.promptTokenIds],
  ] as const) {
    if (ids === undefined || !mayHoldOthers(ids)) continue;
    const { count, first } = countOthers(ids);
    if (count === 0) continue;
    findings.add({
      code: "token-id",
      severity: "warning",
      subject: what,
      count,
      at: { file, ...(draft.row === undefined ? {} : { row: draft.row }) },
      likely: "the column does not hold token ids, or they were written as floats",
      describe: (total) =>
        `${formatCount(total)} ${what} ${total === 1 ? "token id is" : "token ids are"} negative, fractional or beyond 2^31 - 1 (first ${first}): read as missing`,
    });
  }
}
