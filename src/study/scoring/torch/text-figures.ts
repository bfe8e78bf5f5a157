/**
 * Reads the arrays of a reply: a row per predicting position, the last of which is about the token after the text.
 *
 * @module
 */
import { FormatError } from "../../../core/base/index.ts";
import type { ForcedText, PairFigures, TextFigures } from "../policy.ts";
import type { Frame, FrameArray } from "./frames.ts";

/**
 * @param tokens response tokens of the text
 * @param k alternatives of each
 * @param partners number of policies that it was compared with
 * @throws FormatError when an array is missing or has another length
 */
export function readFigures(frame: Frame, tokens: number, k: number, partners: number): TextFigures {
  const floats = (name: string, per = 1): Float32Array => Float32Array.from(column(frame, name, tokens, per));
  const integers = (name: string, per = 1): Int32Array => Int32Array.from(column(frame, name, tokens, per));
  return {
    logprobs: floats("logprobs"),
    entropies: floats("entropies"),
    ranks: integers("ranks"),
    topK: { k, ids: integers("top_ids", k), logprobs: floats("top_logprobs", k) },
    pairs: Array.from({ length: partners }, (_, number) => readPair(frame, tokens, number)),
  };
}

function readPair(frame: Frame, tokens: number, number: number): PairFigures {
  const values = (name: string): FrameArray => column(frame, `${name}.${number}`, tokens, 1);
  const floats = (name: string): Float32Array => Float32Array.from(values(name));
  return {
    forwardKl: floats("forward_kl"),
    reverseKl: floats("reverse_kl"),
    jsDivergence: floats("js_divergence"),
    totalVariation: floats("total_variation"),
    forwardKlAfterEnd: frame.arrays[`forward_kl.${number}`]![tokens]!,
    excludedP: largest(values("excluded_p")),
    excludedQ: largest(values("excluded_q")),
  };
}

/** The rows of the response tokens; the one after the text is cut off. */
function column({ arrays }: Frame, name: string, tokens: number, per: number): FrameArray {
  const found = arrays[name];
  if (found?.length === (tokens + 1) * per) return found.subarray(0, tokens * per);
  throw new FormatError(
    `the Python worker returned ${found?.length ?? 0} values of ${name}, not ${(tokens + 1) * per}`,
    { likely: "another version of logratio answers" },
  );
}

/**
 * Splits gradients by position.
 *
 * @throws FormatError when the number of values differs from the number of tokens before the positions
 */
export function cutGradients(
  { promptLength }: Pick<ForcedText, "promptLength">,
  positions: readonly number[],
  values: FrameArray | undefined,
): Float64Array[] {
  const wanted = positions.reduce((sum, position) => sum + promptLength + position, 0);
  if (values?.length !== wanted) {
    throw new FormatError(`the Python worker returned ${values?.length ?? 0} gradients, not ${wanted}`, {
      likely: "another version of logratio answers",
    });
  }
  let start = 0;
  return positions.map((position) => {
    const end = start + promptLength + position;
    const cut = Float64Array.from(values.subarray(start, end));
    start = end;
    return cut;
  });
}

function largest(values: FrameArray): number {
  let most = 0;
  for (const value of values) most = Math.max(most, value);
  return most;
}
