/**
 * A draft with one side, held until its other side is found.
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
  /** Its place among the sequences of its side. */
  readonly index: number;
}

/** The log-probs of the one side that a draft has. */
export function readLogprobs({ rolloutLogprobs, trainerLogprobs, length }: SequenceDraft): NumericArray {
  return rolloutLogprobs ?? trainerLogprobs ?? new Float64Array(length).fill(NaN);
}

/** What objects and lists of a draft take beside its arrays, about, in bytes. */
const DRAFT_BYTES = 1024;
const TOKEN_TEXT_BYTES = 48;

/** Copies arrays, since those of a draft are a reader's buffers, and counts what they take. */
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
    `the side of a join that is held in memory takes more than ${mebibytes} MiB decoded, the limit`,
    {
      limit,
      at: { file },
      likely: "two large files are joined: one of them is held while the other is read",
      hint: `join the files of fewer steps at a time, or allow more: --memory ${Math.ceil((4 * limit) / 2 ** 20)} (MiB)`,
    },
  );
}

/** Counts what halves take; what is let go of again stays counted, so that the limit holds while files are read. */
export class Keeper {
  #held = 0;

  /** @throws LimitError when all that is held takes more than the memory limit */
  keep(draft: SequenceDraft, index: number, file: string): Half {
    this.#held += DRAFT_BYTES;
    const { origin, ...own } = draft;
    const copied = copy(own, (bytes) => {
      this.#held += bytes;
    });
    // Not copied: it is one object for all drafts of a file, and nobody's buffer.
    const held = origin === undefined ? copied : { ...copied, origin };
    if (this.#held > memoryLimit()) throw refuseToHold(file);
    return { draft: held, logprobs: readLogprobs(held), index };
  }
}
