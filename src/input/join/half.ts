/**
 * A draft with one side, held until the other is found.
 *
 * @module
 */
import { isNumericArray, LimitError, memoryLimit, type NumericArray } from "../../core/base/index.ts";
import type { SequenceDraft } from "../../core/schema/index.ts";
import { formatCount } from "../../core/text/index.ts";

export interface Half {
  readonly draft: SequenceDraft;
  /** Nats. */
  readonly logprobs: NumericArray;
  /** Index among the sequences of its side. */
  readonly index: number;
}

/** The log-probs of a draft's only side. */
export function readLogprobs({ rolloutLogprobs, trainerLogprobs, length }: SequenceDraft): NumericArray {
  return rolloutLogprobs ?? trainerLogprobs ?? new Float64Array(length).fill(NaN);
}

/** Approximate bytes of a draft's objects and lists, apart from its arrays. */
const DRAFT_BYTES = 1024;
const TOKEN_TEXT_BYTES = 48;

/** Copies arrays, since a draft's are the reader's buffers, and counts their bytes. */
function copy<T>(value: T, spend: (bytes: number) => void): T {
  if (isNumericArray(value)) {
    spend(value.byteLength);
    return value.slice() as T;
  }
  if (typeof value === "string") spend(2 * value.length);
  if (Array.isArray(value)) {
    spend(TOKEN_TEXT_BYTES * value.length);
    return value;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, copy(inner, spend)])) as T;
}

function refuseToHold(file: string): LimitError {
  const limit = memoryLimit();
  const mebibytes = formatCount(Math.ceil(limit / 2 ** 20));
  return new LimitError(
    `the side of a join that is held in memory takes more than the limit of ${mebibytes} MiB decoded`,
    {
      limit,
      at: { file },
      likely: "two large files are joined: one of them is held while the other is read",
      hint: `join the files of fewer steps at a time, or allow more: --memory ${Math.ceil((4 * limit) / 2 ** 20)} (MiB)`,
    },
  );
}

/** Counts the bytes of halves; released ones stay counted, so that the limit holds while files are read. */
export class Keeper {
  #held = 0;

  /** Copies a draft and counts its bytes. @throws LimitError when the held halves take more than the memory limit */
  keep(draft: SequenceDraft, index: number, file: string): Half {
    this.#held += DRAFT_BYTES;
    const { origin, ...own } = draft;
    const copied = copy(own, (bytes) => {
      this.#held += bytes;
    });
    // Not copied: it is one object for all drafts of a file, not a buffer.
    const held = origin === undefined ? copied : { ...copied, origin };
    if (this.#held > memoryLimit()) throw refuseToHold(file);
    return { draft: held, logprobs: readLogprobs(held), index };
  }
}
