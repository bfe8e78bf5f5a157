/**
 * Seeded random numbers, and values that a file may hold in place of the right ones.
 *
 * @module
 */

/** mulberry32 (T. Ettinger, public domain): 32 bits of state, the same everywhere. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** In [0, count). */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!;
  }
}

/** The seed of one case of a run: neighbors have nothing in common. */
export function caseSeed(seed: number, index: number): number {
  return Math.imul(seed ^ Math.imul(index + 1, 0x9e3779b1), 0x85ebca6b) ^ index;
}

/** Names that all objects have, and names that trainers use. */
export const NAMES = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "isPrototypeOf",
  "__defineGetter__",
  "then",
  "toJSON",
  "length",
  "",
  "0",
  "rollout_log_probs",
  "rollout_logprobs",
  "old_log_probs",
  "log_probs",
  "prev_logprobs",
  "inference_logprobs",
  "trainer_logprobs",
  "generation_logprobs",
  "ref_log_prob",
  "response_mask",
  "loss_mask",
  "loss_masks",
  "attention_mask",
  "position_ids",
  "shifted_labels",
  "input_ids",
  "responses",
  "tokens",
  "token_ids",
  "response_length",
  "response_lengths",
  "num_tokens",
  "cu_seq_lens_q",
  "samples",
  "meta_info",
  "batch",
  "advantages",
  "rewards",
  "uid",
  "step",
  "rank",
  "environment",
  "temperature",
  "rollout_top_ids",
  "rollout_top_log_probs",
  "prob_divergence",
  "iteration",
  "file_row_number",
] as const;

export const TEXTS = [
  ...NAMES,
  "\u202Egnirts",
  "\u001B[31m\u001B]0;title\u0007",
  "\0",
  "\uFEFF",
  "../../../etc/passwd",
  "${7*7}",
  "';DROP TABLE log;--",
  '"',
  "\r\n",
  "NaN",
  "Infinity",
  "1e400",
  "None",
  "\u{1F600}".repeat(50),
  "x".repeat(5000),
] as const;

export const NUMBERS = [
  0,
  -0,
  1,
  -1,
  2,
  -100,
  255,
  256,
  65_536,
  2 ** 24 - 1,
  2 ** 24,
  2 ** 24 + 1,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31),
  2 ** 32,
  2 ** 53,
  2 ** 63,
  -(2 ** 63),
  1e15,
  1e300,
  -1e300,
  5e-324,
  0.5,
  -745,
  -1e6,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
] as const;

const INTEGERS = [
  0n,
  -1n,
  ...[24n, 31n, 32n, 53n].flatMap((bits) => [2n ** bits - 1n, 2n ** bits, 2n ** bits + 1n]),
];
const INT64 = [...INTEGERS, 2n ** 63n - 1n, -(2n ** 63n), -(2n ** 31n)];

/** Writes an element from the edge of its type at an aligned place. */
function putEdge(random: Random, bytes: Buffer): void {
  const width = random.pick([4, 8]);
  const places = Math.floor(bytes.length / width);
  if (places === 0) return;
  const at = width * random.below(places);
  if (random.chance(0.2)) {
    const value = random.pick([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 1e30]);
    if (width === 4) bytes.writeFloatLE(value, at);
    else bytes.writeDoubleLE(value, at);
  } else if (width === 4) bytes.writeInt32LE(Number(BigInt.asIntN(32, random.pick(INT64))), at);
  else bytes.writeBigInt64LE(random.pick(INT64), at);
}

/** Changes, cuts off, doubles or moves some bytes, or replaces them by an element from the edge of its type. */
export function damage(random: Random, bytes: Uint8Array, times = 1 + random.below(6)): Uint8Array {
  let out = Buffer.from(bytes);
  for (let i = 0; i < times && out.length > 0; i++) {
    const at = random.below(out.length);
    const end = Math.min(out.length, at + 1 + random.below(32));
    switch (random.below(7)) {
      case 5:
      case 6:
        putEdge(random, out);
        break;
      case 0:
        out[at] = random.below(256);
        break;
      case 1:
        out[at] = random.pick([0, 1, 0x7f, 0x80, 0xff]);
        break;
      case 2:
        out = Buffer.concat([out.subarray(0, at), out.subarray(end)]);
        break;
      case 3:
        out = Buffer.concat([out.subarray(0, end), out.subarray(at)]);
        break;
      default:
        if (random.chance(0.3)) out = Buffer.from(out.subarray(0, at));
        else out.fill(random.pick([0, 0xff]), at, end);
    }
  }
  return out;
}
