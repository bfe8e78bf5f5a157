/**
 * Tests a graph before it scores anything: exports that look like a decoder but are not, or whose KV cache works for
 * one token only, give wrong numbers without an error.
 *
 * @module
 */

import { UnsupportedError } from "../../../core/base/index.ts";
import { formatNumber } from "../../../core/text/index.ts";
import type { Tensor } from "./runtime.ts";
import { cutBlock } from "./runtime.ts";
import { widened } from "./widen.ts";

/** Tokens of the text that is run: enough for two runs of two. */
const TOKENS = 4;
/** Differences of logits that rounding causes, relative to their range: in single and half precision. */
export const ROUNDING = { float32: 1e-4, float16: 1e-2 } as const;
/** Differences beyond this share of the range are not due to rounding. */
const OTHER_COMPUTATION = 0.05;

/** Runs a text from its beginning in runs of the given lengths; returns one tensor per run. */
export type Runs = (ids: Int32Array, lengths: readonly number[]) => Promise<readonly Tensor[]>;

export interface Checked {
  /** Whether the cache is right for only one token at a time. */
  readonly oneByOne: boolean;
  readonly notes: readonly string[];
}

/**
 * Runs four tokens at once and two by two. Later tokens must not change a token's logits, and a text in pieces must
 * give the same logits as at once.
 *
 * @param cached whether `runs` continues from run to run; if not, only the first is used
 * @throws UnsupportedError for an encoder, a wrong cache, or logits for only some positions
 */
export async function checkDecoder(
  file: string,
  vocabulary: number,
  contextLength: number | null,
  runs: Runs,
  cached: boolean,
): Promise<Checked> {
  const tokens = Math.min(TOKENS, contextLength ?? TOKENS);
  const half = tokens >> 1;
  const ids = testIds(tokens, vocabulary);
  const [whole] = await runs(ids, [tokens]);
  if (whole === undefined || whole.dims.length !== 3 || whole.dims[1] !== tokens) {
    throw refused(
      file,
      `${tokens} tokens give logits of shape [${whole?.dims.join(", ")}], not one row per token`,
      {
        likely: "it was exported for generation only, and returns only the last token's logits",
      },
    );
  }
  if (half === 0) return { oneByOne: false, notes: [] };
  const expected = widenRows(whole);
  const range = findRange(expected);
  const rounding = ROUNDING[whole.type === "float16" ? "float16" : "float32"] * range;
  const start = half * vocabulary;
  const [first, second] = await runs(
    ids.subarray(0, cached ? tokens : half),
    cached ? [half, tokens - half] : [half],
  );
  const early = furthest(widenRows(first!), expected.subarray(0, start));
  if (early > OTHER_COMPUTATION * range) {
    throw refused(
      file,
      `the logits at a token change by up to ${formatNumber(early, 3)} when later tokens change`,
      {
        likely: "it is an encoder (a masked language model), or was exported without a causal mask",
      },
    );
  }
  const notes = early > rounding ? [varies("with the tokens after it", early)] : [];
  if (second === undefined) return { oneByOne: false, notes };
  const late = furthest(widenRows(second), expected.subarray(start));
  if (late <= rounding) return { oneByOne: false, notes };
  const single = (await runs(ids, [half, ...new Array<number>(tokens - half).fill(1)])).slice(1);
  const alone = Math.max(
    ...single.map((row, i) => furthest(widenRows(row), expected.subarray(start + i * vocabulary))),
  );
  if (Math.min(alone, late) > OTHER_COMPUTATION * range) {
    throw refused(
      file,
      `with its KV cache the logits differ by ${formatNumber(alone, 3)} (one token at a time) and ${formatNumber(late, 3)} (several) from those of one run`,
      { likely: "the export lost the positions or the mask of cached tokens" },
    );
  }
  const best = Math.min(alone, late);
  if (best > rounding) notes.push(varies("with how a text is divided into runs", best));
  return { oneByOne: alone < late && late > OTHER_COMPUTATION * range, notes };
}

/** Ids from the middle of the vocabulary: special ones are at its ends. */
export function testIds(tokens: number, vocabulary: number): Int32Array {
  return Int32Array.from({ length: tokens }, (_, i) => Math.floor((vocabulary * (i + 1)) / (tokens + 1)));
}

function refused(file: string, what: string, detail: { readonly likely: string }): UnsupportedError {
  return new UnsupportedError(`${file} is not a decoder that can be scored: ${what}`, {
    at: { file },
    hint: "export it as a decoder: optimum-cli export onnx --model CHECKPOINT --task text-generation-with-past DIR",
    ...detail,
  });
}

function varies(how: string, difference: number): string {
  return `Logits vary ${how}, by up to ${formatNumber(difference, 2)} in a test of ${TOKENS} tokens (dynamically quantized activations?).`;
}

function widenRows(logits: Tensor): Float32Array {
  return widened(cutBlock(logits, 0, logits.dims[1]!));
}

/** Largest difference where both values are finite; `b` may be longer. */
export function furthest(a: Float32Array, b: Float32Array): number {
  let largest = 0;
  for (let i = 0; i < a.length; i++) {
    const difference = Math.abs(a[i]! - b[i]!);
    if (difference > largest && difference < Infinity) largest = difference;
  }
  return largest;
}

/** Largest minus smallest of the finite values. */
export function findRange(values: Float32Array): number {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return high >= low ? high - low : 0;
}
