/**
 * Rows that are packs: an attention mask with values above 1 numbers the sequences that lie end to end in a row, and is
 * 0 at its padding (`pack_sequences` of `open_instruct/rl_utils.py`).
 *
 * @module
 */
import type { NumericArray } from "../../../core/base/index.ts";
import type { SequenceDraft } from "../../../core/schema/index.ts";
import { combineMasks, takeTail } from "./masks.ts";
import { type ArrayField, type RowArrays, type RowLayout, type RowScalars, toDraft } from "./sequence.ts";

/** Makes drafts of the rows of one file, in their order. */
export class DraftMaker {
  /** Sequences beyond the first of each pack so far: each sequence of a file has a number of its own. */
  #beyond = 0;

  /** The sequences of a row: one, or those of a pack. */
  make(arrays: RowArrays, scalars: RowScalars, layout: RowLayout): readonly SequenceDraft[] {
    const { row } = scalars;
    const number = (place: number): number | undefined =>
      row === undefined ? undefined : row + this.#beyond + place;
    const packed = splitPack(arrays, layout.policies);
    if (packed === undefined) return [toDraft(arrays, { ...scalars, row: number(0) }, layout)];
    const drafts = packed.map(({ arrays: own, policies }, place) =>
      toDraft(own, { ...scalars, row: number(place), pack: row }, { padded: false, policies }),
    );
    this.#beyond += Math.max(0, drafts.length - 1);
    return drafts;
  }
}

/** One sequence of a pack: its own part of each array, the tokens before its response as its prompt. */
interface PackedSequence {
  readonly arrays: RowArrays;
  readonly policies: Readonly<Record<string, NumericArray>>;
}

/** The sequences of a row, in their order; undefined if the row is one sequence. */
function splitPack(
  arrays: RowArrays,
  policies: Readonly<Record<string, NumericArray>> = {},
): readonly PackedSequence[] | undefined {
  if (arrays.attention?.some((value) => value > 1) !== true) return undefined;
  const width = (arrays.tokens ?? arrays.rollout ?? arrays.trainer)?.length ?? 0;
  const numbers = takeTail(arrays.attention, width);
  if (numbers === undefined) return undefined;
  // The mask of the pack, apart from the numbers of its sequences.
  const mask = combineMasks({ ...arrays, attention: undefined }, width)?.mask;
  const sequences: PackedSequence[] = [];
  for (let start = 0; start < width; ) {
    let end = start + 1;
    while (end < width && numbers[end] === numbers[start]) end++;
    if (numbers[start]! > 0) sequences.push(cutSequence(arrays, policies, { start, end, width, mask }));
    start = end;
  }
  return sequences;
}

interface Place {
  readonly start: number;
  readonly end: number;
  readonly width: number;
  readonly mask: NumericArray | undefined;
}

function cutSequence(
  arrays: RowArrays,
  policies: Readonly<Record<string, NumericArray>>,
  { start, end, width, mask }: Place,
): PackedSequence {
  let first = start;
  if (mask?.length === width) while (first < end && mask[first] === 0) first++;
  // A sequence that the policy did not write at all stays whole.
  if (first === end) first = start;
  const cut = (values: NumericArray): NumericArray => {
    const perToken = values.length / width;
    if (Number.isInteger(perToken)) return values.subarray(first * perToken, end * perToken);
    // It also covers a token before the pack's first. A wrong length stays, to be reported.
    return takeTail(values, width)?.subarray(first, end) ?? values;
  };
  const { attention: _, prompt: __, promptMask: ___, ...own } = arrays;
  const ids = arrays.tokens ?? takeTail(arrays.inputIds, width);
  const entries = Object.entries(own) as [ArrayField, NumericArray][];
  return {
    arrays: {
      ...Object.fromEntries(entries.map(([field, values]) => [field, cut(values)])),
      ...(ids?.length === width && { prompt: ids.subarray(start, first) }),
    },
    policies: Object.fromEntries(Object.entries(policies).map(([name, values]) => [name, cut(values)])),
  };
}
