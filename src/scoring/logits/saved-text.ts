/**
 * What a file of saved logits says, before any logits are read: its texts, and under which names their logits lie.
 *
 * @module
 */
import type { Place } from "../../core/base/index.ts";
import type { Tensor } from "../../input/io/index.ts";

export interface SavedText {
  /** Names it in messages: what stands before `.input_ids`, or its row. */
  readonly key: string;
  readonly at: Place;
  /** Prompt and response, without padding. */
  readonly ids: Int32Array;
  /** Row of the text's logits that each token stands at; undefined: 0, 1, 2, … */
  readonly positions: Int32Array | undefined;
  /** Tokens of the prompt; undefined where the file does not say. */
  readonly promptLength: number | undefined;
  /** `[ids.length − promptLength]`, 0 = tool output; undefined where the file does not say. */
  readonly mask: Uint8Array | undefined;
  /** Ids and logits have this many rows, padding included. */
  readonly width: number;
  /** Row of the file's `[N, …]` arrays; undefined where the text has arrays of its own. */
  readonly row: number | undefined;
  /** Arrays beside its ids, by policy; `""` in a file of one policy. */
  readonly logits: ReadonlyMap<string, SavedLogits>;
}

export interface SavedLogits {
  /** As the file names it. */
  readonly entry: string;
  readonly tensor: Tensor;
}

/** Where padding is not marked, a text may be followed by one token again and again. */
export function endsInPadding(ids: Int32Array, length: number): boolean {
  return ids.subarray(length).every((id) => id === ids[length]);
}
