export interface SpelledTokens {
  /** `[ids + 1]`, into `texts`. */
  readonly offsets: Uint32Array;
  /** The tokens' own bytes: UTF-8, unless sampled byte tokens spell something else. */
  readonly texts: Uint8Array;
  /** `[ids]`, bits of `TOKEN_FLAGS`. */
  readonly flags: Uint8Array;
}

/** Memory in which successive texts are spelled. */
export class SpelledRoom {
  texts = new Uint8Array(0);
  offsets = new Uint32Array(1);
  flags = new Uint8Array(0);

  /** Makes room for this many tokens and bytes; previously spelled texts are lost. */
  reserve(tokens: number, bytes: number): void {
    if (bytes > this.texts.length) this.texts = new Uint8Array(2 * bytes);
    if (tokens <= this.flags.length) return;
    this.flags = new Uint8Array(2 * tokens);
    this.offsets = new Uint32Array(2 * tokens + 1);
  }

  /** The first tokens and bytes, in memory that the next text reuses. */
  take(tokens: number, bytes: number): SpelledTokens {
    return {
      offsets: this.offsets.subarray(0, tokens + 1),
      texts: this.texts.subarray(0, bytes),
      flags: this.flags.subarray(0, tokens),
    };
  }
}
