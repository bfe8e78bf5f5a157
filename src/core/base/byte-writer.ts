/** A growing byte array. */
class Grown {
  bytes = new Uint8Array(1 << 12);
  view = new DataView(this.bytes.buffer);
  length = 0;

  /** Grows by a number of bytes, and returns where they start. */
  reserve(count: number): number {
    const at = this.length;
    this.length += count;
    if (this.length > this.bytes.length) {
      const next = new Uint8Array(Math.max(this.length, 2 * this.bytes.length));
      next.set(this.bytes.subarray(0, at));
      this.bytes = next;
      this.view = new DataView(next.buffer);
    }
    return at;
  }

  written(): Uint8Array<ArrayBuffer> {
    return this.bytes.slice(0, this.length);
  }
}

/**
 * NaN by the bits of its constant. That of ∞ − ∞ has its sign bit set on x86, and parts of the same tokens must be equal
 * byte for byte.
 */
function oneNaN(value: number): number {
  return Number.isNaN(value) ? Number.NaN : value;
}

/** The output of a {@link ByteWriter}. */
export interface WrittenBytes {
  /** Counts, names and other repetitive data. */
  readonly packed: Uint8Array;
  /** Measured values, whose bits are practically random: compressing them is slow and useless. */
  readonly plain: Uint8Array;
}

/** Writes values as consecutive little-endian bytes; `ByteReader` reads them back in the same order. */
export class ByteWriter {
  readonly #packed = new Grown();
  readonly #plain = new Grown();
  readonly #names = new Map<string, number>();

  byte(value: number): void {
    const at = this.#packed.reserve(1);
    this.#packed.bytes[at] = value;
  }

  /** A whole number from 0 to 2^53 − 1: seven bits a byte, the lowest first, the eighth for "more follow" (LEB128). */
  whole(value: number): void {
    let rest = value;
    while (rest >= 128) {
      this.byte((rest % 128) + 128);
      rest = Math.floor(rest / 128);
    }
    this.byte(rest);
  }

  /** A whole number of either sign, up to 2^52: small ones are short. */
  signed(value: number): void {
    this.whole(value < 0 ? -2 * value - 1 : 2 * value);
  }

  /** Any number, by its 64 bits; all NaN are written alike. */
  float(value: number): void {
    const at = this.#packed.reserve(8);
    this.#packed.view.setFloat64(at, oneNaN(value), true);
  }

  floats(values: Iterable<number>): void {
    for (const value of values) this.float(value);
  }

  /** A measured value; see `plainFloat32` for values that are float32. */
  plainFloat(value: number): void {
    const at = this.#plain.reserve(8);
    this.#plain.view.setFloat64(at, oneNaN(value), true);
  }

  /** @param value a float32 */
  plainFloat32(value: number): void {
    const at = this.#plain.reserve(4);
    this.#plain.view.setFloat32(at, oneNaN(value), true);
  }

  /** Measured values with their count; those that are float32 take four bytes. */
  measured(values: ArrayLike<number>): void {
    this.whole(values.length);
    const isWide = Uint8Array.from(values, (value) => (Math.fround(value) === value ? 0 : 1));
    this.bits(isWide);
    for (let i = 0; i < isWide.length; i++) {
      if (isWide[i] === 1) this.plainFloat(values[i]!);
      else this.plainFloat32(values[i]!);
    }
  }

  /** Values 0 and 1, eight to a byte. */
  bits(values: Uint8Array): void {
    for (let i = 0; i < values.length; i += 8) {
      let byte = 0;
      for (let bit = 0; bit < 8; bit++) byte |= (values[i + bit] ?? 0) << bit;
      this.byte(byte);
    }
  }

  /** Non-decreasing whole numbers with their count, written as differences. */
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
    const at = this.#packed.reserve(bytes.length);
    this.#packed.bytes.set(bytes, at);
  }

  /** A frequent text: written once, then by number. */
  name(value: string): void {
    const known = this.#names.get(value);
    this.whole(known ?? this.#names.size);
    if (known !== undefined) return;
    this.#names.set(value, this.#names.size);
    this.text(value);
  }

  /** The two parts separately, for callers that compress one of them. */
  finishApart(): WrittenBytes {
    return { packed: this.#packed.written(), plain: this.#plain.written() };
  }

  /** Both parts joined: the packed bytes, the plain ones, and the number of plain ones. */
  finish(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.size);
    this.finishInto(bytes);
    return bytes;
  }

  /** The number of bytes that {@link finish} returns. */
  get size(): number {
    return this.#packed.length + this.#plain.length + 4;
  }

  /** Writes what {@link finish} returns to the start of `bytes`. @throws RangeError when there is no room for it */
  finishInto(bytes: Uint8Array): void {
    const [packed, plain] = [this.#packed, this.#plain];
    bytes.set(packed.bytes.subarray(0, packed.length));
    bytes.set(plain.bytes.subarray(0, plain.length), packed.length);
    new DataView(bytes.buffer, bytes.byteOffset).setUint32(this.size - 4, plain.length, true);
  }

  /** Forgets what was written, and keeps its memory for what comes next. */
  clear(): void {
    this.#packed.length = 0;
    this.#plain.length = 0;
    this.#names.clear();
  }
}
