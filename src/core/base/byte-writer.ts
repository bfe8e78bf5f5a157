/** Values one after the other as little-endian bytes; `ByteReader` reads them back in the same order. */
export class ByteWriter {
  #bytes = new Uint8Array(1 << 12);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;
  readonly #names = new Map<string, number>();

  #reserve(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) {
      const next = new Uint8Array(Math.max(this.#length, 2 * this.#bytes.length));
      next.set(this.#bytes.subarray(0, at));
      this.#bytes = next;
      this.#view = new DataView(next.buffer);
    }
    return at;
  }

  /** A whole number from 0 to 2^53 − 1: seven bits a byte, the lowest first, the eighth for "more follow" (LEB128). */
  whole(value: number): void {
    let rest = value;
    while (rest >= 128) {
      const at = this.#reserve(1);
      this.#bytes[at] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    const at = this.#reserve(1);
    this.#bytes[at] = rest;
  }

  /** A whole number of either sign, up to 2^52: small ones are short. */
  signed(value: number): void {
    this.whole(value < 0 ? -2 * value - 1 : 2 * value);
  }

  /** Any number, by its 64 bits. */
  float(value: number): void {
    const at = this.#reserve(8);
    this.#view.setFloat64(at, value, true);
  }

  floats(values: Iterable<number>): void {
    for (const value of values) this.float(value);
  }

  /** Whole numbers that do not fall, with how many there are: the differences are written. */
  ascending(values: ArrayLike<number>): void {
    this.whole(values.length);
    let last = 0;
    for (let i = 0; i < values.length; i++) {
      this.whole(values[i]! - last);
      last = values[i]!;
    }
  }

  text(value: string): void {
    const bytes = new TextEncoder().encode(value);
    this.whole(bytes.length);
    const at = this.#reserve(bytes.length);
    this.#bytes.set(bytes, at);
  }

  /** A text that occurs often: written once, and then by its number. */
  name(value: string): void {
    const known = this.#names.get(value);
    this.whole(known ?? this.#names.size);
    if (known !== undefined) return;
    this.#names.set(value, this.#names.size);
    this.text(value);
  }

  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }
}
