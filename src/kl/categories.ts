/** A kind of token: its text, trimmed, is one of the words (in lower case), or fits one of the patterns. */
export interface Category {
  readonly name: string;
  /** Lower case. */
  readonly words: readonly string[];
  /** Matched against the trimmed text, whatever its case. */
  readonly patterns: readonly RegExp[];
}
