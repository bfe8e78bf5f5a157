/** What the log needs from a tokenizer; whatever opens one conforms to it. */
export interface TokenDecoder {
  /** For messages: the tokenizer's path. */
  readonly name: string;
  /** One more than the largest id. */
  readonly vocabularySize: number;
  /** The text of a run of ids: special tokens written out, characters split over tokens joined. */
  decode(ids: readonly number[]): string;
  /** Ids of a text without surrounding special tokens; undefined if unsupported. */
  encode(text: string): readonly number[] | undefined;
}
