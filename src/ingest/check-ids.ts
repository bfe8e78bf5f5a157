/**
 * Invalid token ids: the record holds ids of a vocabulary; a value that cannot be one is read as missing, never as
 * another token.
 *
 * @module
 */

import { LARGEST_TOKEN_ID, type NumericArray } from "../core/base/index.ts";
import { areSurelyIds, type FindingLog, type SequenceDraft } from "../core/schema/index.ts";
import { formatCount } from "../core/text/index.ts";

/** What trainers, and the record, write where there is no id. */
const MISSING = -1;

function isIdOrMissing(value: number): boolean {
  return Number.isInteger(value) ? value >= MISSING && value <= LARGEST_TOKEN_ID : Number.isNaN(value);
}

/** Values that are neither ids nor missing: how many, and the first of them. */
interface Others {
  count: number;
  first: number;
}

function countOthers(others: Others, ids: NumericArray | undefined): Others {
  // Nearly every column has 32-bit integers that can all be ids.
  if (ids === undefined || areSurelyIds(ids, LARGEST_TOKEN_ID)) return others;
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i]!;
    if (!isIdOrMissing(id) && others.count++ === 0) others.first = id;
  }
  return others;
}

/** Reports ids that are negative, fractional or beyond any vocabulary; the builder reads them as missing. */
export function checkTokenIds(draft: SequenceDraft, file: string, findings: FindingLog): void {
  const count = (...columns: (NumericArray | undefined)[]): Others =>
    columns.reduce<Others>(countOthers, { count: 0, first: Number.NaN });
  report("response", count(draft.responseTokenIds));
  report("prompt", count(draft.promptTokenIds, draft.trainerPromptTokenIds));
  for (const name in draft.topK) report("alternative", count(draft.topK[name]!.ids));

  function report(what: string, { count: odd, first }: Others): void {
    if (odd === 0) return;
    findings.add({
      code: "token-id",
      severity: "warning",
      subject: what,
      count: odd,
      at: { file, ...(draft.row === undefined ? {} : { row: draft.row }) },
      likely: "the file is damaged, the column does not hold token ids, or they were written as floats",
      describe: (total) =>
        `${formatCount(total)} ${what} ${total === 1 ? "token id is" : "token ids are"} negative, fractional or beyond ${formatCount(LARGEST_TOKEN_ID)}, more than any vocabulary has (first ${first}): read as missing`,
    });
  }
}
