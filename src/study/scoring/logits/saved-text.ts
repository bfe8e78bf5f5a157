/**
 * The texts of a file of saved logits and the names of their arrays, before any logits are read.
 *
 * @module
 */
import type { Place } from "../../../core/base/index.ts";
import type { Tensor } from "../../../input/io/index.ts";

export interface SavedText {
  /** Its name in messages: the part before `.input_ids`, or its row. */
  readonly key: string;
  readonly at: Place;
  /** Prompt and response, without padding. */
  readonly ids: Int32Array;
  /** The row of the text's logits for each token; if undefined, 0, 1, 2, … */
  readonly positions: Int32Array | undefined;
  /** Tokens of the prompt; undefined if the file does not give it. */
  readonly promptLength: number | undefined;
  /** `[ids.length − promptLength]`, 0 = tool output; undefined if the file does not give it. */
  readonly mask: Uint8Array | undefined;
  /** Number of rows of ids and logits, padding included. */
  readonly width: number;
  /** Row of the file's `[N, …]` arrays; undefined if the text has separate arrays. */
  readonly row: number | undefined;
  /** Its arrays of logits, by policy; `""` in a file of one policy. */
  readonly logits: ReadonlyMap<string, SavedLogits>;
}

export interface SavedLogits {
  /** The array's name in the file. */
  readonly entry: string;
  readonly tensor: Tensor;
}

/** Whether only repetitions of one token follow, which may be unmarked padding. */
export function endsInPadding(ids: Int32Array, length: number): boolean {
  return ids.subarray(length).every((id) => id === ids[length]);
}
