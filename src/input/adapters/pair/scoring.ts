/**
 * One policy's log-probs of one generated text: half of a pair.
 *
 * @module
 */
import type { NumericArray } from "../../../core/base/index.ts";

export interface Scoring {
  /** What the file calls the request; undefined where rows have no name. */
  readonly key?: string | undefined;
  readonly promptText?: string | undefined;
  /** How many of the prompt's tokens have a log-prob in the file. */
  readonly promptLogprobs?: number | undefined;
  readonly promptTokenIds?: NumericArray | undefined;
  readonly responseText?: string | undefined;
  readonly tokenIds: NumericArray;
  /** Of each generated token, nats. */
  readonly logprobs: NumericArray;
  readonly row: number;
  readonly sourceOffset?: number | undefined;
}

/** What a file of scorings is, for `--explain`. */
export interface ScoringFormat {
  /** `Megatron-LM inference results`. */
  readonly what: string;
  readonly scorings: readonly Scoring[];
  /** Entries of another kind, by name. */
  readonly ignored: readonly string[];
  /** Rows that could not be used and why. */
  readonly unusable: readonly { readonly row: number; readonly message: string }[];
}
