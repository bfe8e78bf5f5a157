/**
 * The columns of a file of scores. `docs/kl.md` describes them for other readers.
 *
 * @module
 */
import type { TextScores } from "../score-text.ts";

/** A text's scores, and which text. */
export interface ScoreRow extends TextScores {
  readonly text: string;
  /** Digest of the text's token ids: scores belong to exactly these. */
  readonly key: string;
}

/** The columns that a file has. */
export interface ScoresLayout {
  readonly entropies: boolean;
  readonly topK: number;
  /** Policies that this one is compared with exactly. */
  readonly partners: readonly string[];
  readonly attention?: AttentionLayout | undefined;
}

export interface AttentionLayout {
  /** Heads in a layer. */
  readonly heads: number;
  /** Partners that were compared with while tokens were hidden. */
  readonly hiding: readonly string[];
}

export const PAIR_LISTS = {
  forwardKl: "forward_kl",
  reverseKl: "reverse_kl",
  jsDivergence: "js_divergence",
  totalVariation: "total_variation",
} as const;
export const PAIR_NUMBERS = {
  forwardKlAfterEnd: "forward_kl_after_end",
  excludedP: "excluded_p",
  excludedQ: "excluded_q",
} as const;
/** Names of columns. */
export const ATTENTION = {
  from: "error_from",
  token: "error_token",
  toError: "attention_to_error",
  toControl: "attention_to_control",
  heads: "attention_heads",
} as const;
export const HIDDEN_LISTS = {
  klWithoutError: "forward_kl_without_error",
  klWithoutControl: "forward_kl_without_control",
} as const;
export type PairList = keyof typeof PAIR_LISTS;
export type PairNumber = keyof typeof PAIR_NUMBERS;

/** `forward_kl|dpo`: the column that compares this policy with dpo. */
export const pairColumn = (name: string, partner: string): string => `${name}|${partner}`;

/** Key in a file's footer; see `ManifestPolicy`. */
export const FINGERPRINT = "logratio.fingerprint";
