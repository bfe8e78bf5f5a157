/** Converts token ids to text and back with any underlying library. */
export interface TokenDecoder {
  /** The directory or file that it was opened from. */
  readonly name: string;
  /** One more than the largest id; ids without a token may lie below it. */
  readonly vocabularySize: number;
  /** Ids of added tokens that are marked special, such as `<eos>`. */
  readonly specialIds: ReadonlySet<number>;
  /**
   * The text of a run of ids. Special tokens are written out, characters whose UTF-8 bytes are spread over several
   * tokens are joined, invalid UTF-8 becomes U+FFFD, and spaces are kept. Ids without a token are skipped, as in Python.
   */
  decode(ids: readonly number[]): string;
  /** The text of a single token; the bytes of a part of a character become U+FFFD. `""` for an unknown token. */
  textOf(id: number): string;
  /**
   * The bytes that a token stands for, if the vocabulary has byte tokens: every token of a byte-level vocabulary,
   * `<0xE2>` in a SentencePiece one. Undefined for tokens that are text, and for unknown tokens.
   */
  bytesOf(id: number): Uint8Array | undefined;
  /** Ids of a text without special tokens around it. */
  encode(text: string): number[];
  /**
   * Ids of a text that begins a sequence: with the special tokens that the tokenizer's post-processor puts before it
   * (`<bos>`). Those after the text (`</s>`) are left out, since more may follow; and a text that already begins with
   * them does not get them twice.
   */
  encodeStart(text: string): number[];
  /** The id that ends a text, by `eos_token` of `tokenizer_config.json`; undefined when that names none. */
  readonly eosId: number | undefined;
}
