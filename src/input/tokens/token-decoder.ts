/** Text of token ids and ids of text, whatever library does it. */
export interface TokenDecoder {
  /** The directory or file that it was opened from. */
  readonly name: string;
  /** One more than the largest id; ids without a token may lie below it. */
  readonly vocabularySize: number;
  /** Ids of added tokens that are marked special, such as `<eos>`. */
  readonly specialIds: ReadonlySet<number>;
  /**
   * The text of a run of ids. Special tokens are written out, characters whose UTF-8 bytes are spread over several
   * tokens are put together, what is not UTF-8 becomes U+FFFD, spaces are kept as they are. Ids without a token
   * contribute nothing, as in Python.
   */
  decode(ids: readonly number[]): string;
  /** The text of one token by itself; the bytes of a part of a character become U+FFFD. `""` without such a token. */
  textOf(id: number): string;
  /**
   * The bytes that a token stands for, where the vocabulary has tokens of bytes: of every token of a byte-level one, of
   * `<0xE2>` of a SentencePiece one. Undefined for tokens that are text, and without such a token.
   */
  bytesOf(id: number): Uint8Array | undefined;
  /** Ids of a text, without special tokens around it. */
  encode(text: string): number[];
  /**
   * Ids of a text that begins a sequence: with the special tokens that the tokenizer's post-processor puts before it
   * (`<bos>`). Those that it puts behind (`</s>`) are left out, since more may follow; and a text that spells the ones
   * before it out itself gets no second ones.
   */
  encodeStart(text: string): number[];
  /** The id that ends a text, by `eos_token` of `tokenizer_config.json`; undefined where that names none. */
  readonly eosId: number | undefined;
}
