/**
 * Keys of what a sequence holds: the log-probs of both sides at its tokens with mask 1, and the ids of these tokens.
 * Equal in every container that holds the same sequence: log-probs count in single precision, all NaN are equal, and
 * padding and tokens with mask 0 do not count.
 *
 * @module
 */
import type { NumericArray } from "../core/base/index.ts";

/** The columns of one or several sequences. */
export interface ContentColumns {
  readonly mask: NumericArray;
  readonly rollout: NumericArray | undefined;
  readonly trainer: NumericArray | undefined;
  readonly ids: NumericArray | undefined;
}

export interface RowContent {
  /** Tokens with mask 1. */
  readonly tokens: number;
  /** Hash of the log-probs; a whole number below 2^53. */
  readonly logprobs: number;
  /** Hash of the token ids; NaN where there are none. */
  readonly ids: number;
}

const NAN_BITS = 0x7fc00000;
/** The bits of infinity without its sign, shifted up; anything above is NaN. */
const INFINITE = 0xff000000;
const NO_COLUMN = new Uint32Array(0);

/** Hashes rows of columns that are packed end to end. */
export class ContentHasher {
  readonly #mask: NumericArray;
  readonly #rollout: Uint32Array;
  readonly #trainer: Uint32Array;
  readonly #ids: NumericArray | undefined;

  constructor({ mask, rollout, trainer, ids }: ContentColumns) {
    this.#mask = mask;
    this.#rollout = viewBits(rollout);
    this.#trainer = viewBits(trainer);
    this.#ids = ids;
  }

  /** Hashes tokens `[from, to)`. */
  hash(from: number, to: number): RowContent {
    const [mask, rollout, trainer, ids] = [this.#mask, this.#rollout, this.#trainer, this.#ids];
    const [hasRollout, hasTrainer] = [rollout.length > 0, trainer.length > 0];
    // Three states that do not wait for each other, mixed as MurmurHash3 mixes its words.
    let [a, b, c, tokens] = [0x2545f491, 0x1b873593, 0x27d4eb2f, 0];
    for (let t = from; t < to; t++) {
      // NaN and null count as mask 0.
      if (!mask[t]) continue;
      tokens++;
      if (hasRollout) a = Math.imul(a ^ rollout[t]!, 0xcc9e2d51);
      if (hasTrainer) b = Math.imul(b ^ trainer[t]!, 0x85ebca6b);
      if (ids !== undefined) c = Math.imul(c ^ ids[t]!, 0xc2b2ae35);
      a ^= a >>> 15;
      b ^= b >>> 13;
      c ^= c >>> 16;
    }
    return {
      tokens,
      logprobs: joinWords(a ^ tokens, b),
      ids: ids === undefined ? Number.NaN : joinWords(c, tokens),
    };
  }
}

/** A whole number in [0, 2^53). */
export function joinWords(first: number, second: number): number {
  let high = first ^ Math.imul(second, 0x9e3779b1);
  let low = second ^ Math.imul(first, 0x85ebca77);
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b);
  high ^= high >>> 13;
  low = Math.imul(low ^ (low >>> 16), 0xc2b2ae35);
  low ^= low >>> 15;
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}

/** The bits of numbers in single precision, with one form of zero and of NaN. */
function viewBits(column: NumericArray | undefined): Uint32Array {
  if (column === undefined) return NO_COLUMN;
  const singles = column instanceof Float32Array ? column : Float32Array.from(column);
  const bits = new Uint32Array(singles.buffer, singles.byteOffset, singles.length);
  const odd = findOdd(bits);
  return odd < 0 ? bits : bits.map((word) => (isOdd(word) ? (word << 1 === 0 ? 0 : NAN_BITS) : word));
}

/** A plain loop, since a callback for each token would take as long as summing it. */
function findOdd(bits: Uint32Array): number {
  for (let i = 0; i < bits.length; i++) if (isOdd(bits[i]!)) return i;
  return -1;
}

function isOdd(word: number): boolean {
  return word === 0x80000000 || (word << 1) >>> 0 > INFINITE;
}
