import type { WrittenBytes } from "./byte-writer.ts";
import { FormatError } from "./errors.ts";
import { checkMemory } from "./memory-limit.ts";

const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads what `ByteWriter` wrote. Lengths are not trusted: one that exceeds the bytes is an error before anything of
 * that length is allocated.
 */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #plain: DataView;
  #plainAt = 0;
  readonly #name: string;
  #at = 0;
  readonly #names: string[] = [];
  #spent = 0;

  /**
   * @param written what `ByteWriter.finish` or `finishApart` returned
   * @param name name in errors: a file
   */
  constructor(written: Uint8Array | WrittenBytes, name: string) {
    this.#name = name;
    const { packed, plain } = "packed" in written ? written : this.#part(written);
    this.#bytes = packed;
    this.#view = viewBytes(packed);
    this.#plain = viewBytes(plain);
  }

  #part(bytes: Uint8Array): WrittenBytes {
    const end = bytes.length - 4;
    const length = end < 0 ? 0 : viewBytes(bytes).getUint32(end, true);
    if (end < length)
      throw new FormatError(`${this.#name} does not hold a summary: it has only ${bytes.length} bytes`, {
        at: { file: this.#name },
      });
    return { packed: bytes.subarray(0, end - length), plain: bytes.subarray(end - length, end) };
  }

  get rest(): number {
    return this.#bytes.length - this.#at;
  }

  /** @throws FormatError always */
  fail(what: string): never {
    throw new FormatError(`${this.#name} does not hold a summary: ${what}`, {
      at: { file: this.#name, offset: this.#at },
      likely: "the file was damaged or crafted",
      hint: "run logratio summarize again for its shards",
    });
  }

  #take(count: number): number {
    const at = this.#at;
    if (count > this.rest) this.fail(`${count} bytes are needed, ${this.rest} are left`);
    this.#at += count;
    return at;
  }

  byte(): number {
    return this.#bytes[this.#take(1)]!;
  }

  whole(): number {
    const first = this.byte();
    if (first < 128) return first;
    let value = first & 127;
    for (let scale = 128; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) break;
    }
    if (!Number.isSafeInteger(value)) this.fail("a whole number is out of range");
    return value;
  }

  /** Reads `count` whole numbers, each of at least a byte. */
  wholes(count: number): Float64Array {
    if (count > this.rest) this.fail(`${count} numbers are needed, ${this.rest} bytes are left`);
    const values = new Float64Array(count);
    const [bytes, end] = [this.#bytes, this.#bytes.length];
    let at = this.#at;
    for (let i = 0; i < count; i++) {
      const first = at < end ? bytes[at]! : 128;
      // Most take one byte. `whole` reads the others, and reports a missing end.
      if (first < 128) {
        values[i] = first;
        at++;
      } else {
        this.#at = at;
        values[i] = this.whole();
        at = this.#at;
      }
    }
    this.#at = at;
    return values;
  }

  /** A whole number below `limit`. */
  below(limit: number, what: string): number {
    const value = this.whole();
    if (value >= limit) this.fail(`${what} is ${value}, and must be below ${limit}`);
    return value;
  }

  signed(): number {
    const value = this.whole();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  float(): number {
    return this.#view.getFloat64(this.#take(8), true);
  }

  floats(count: number): Float64Array {
    if (8 * count > this.rest) this.fail(`${count} numbers are needed, ${this.rest} bytes are left`);
    const values = new Float64Array(count);
    const [view, at] = [this.#view, this.#take(8 * count)];
    for (let i = 0; i < count; i++) values[i] = view.getFloat64(at + 8 * i, true);
    return values;
  }

  #takePlain(count: number): number {
    this.requirePlain(count);
    const at = this.#plainAt;
    this.#plainAt += count;
    return at;
  }

  /** @throws FormatError when too few bytes of measured values are left */
  requirePlain(count: number): void {
    const rest = this.#plain.byteLength - this.#plainAt;
    if (count > rest) this.fail(`${count} bytes of measured values are needed, ${rest} are left`);
  }

  plainFloat(): number {
    return this.#plain.getFloat64(this.#takePlain(8), true);
  }

  plainFloat32(): number {
    return this.#plain.getFloat32(this.#takePlain(4), true);
  }

  plainFloat32s(count: number): Float32Array<ArrayBuffer> {
    const [view, at] = [this.#plain, this.#takePlain(4 * count)];
    const values = new Float32Array(count);
    for (let i = 0; i < count; i++) values[i] = view.getFloat32(at + 4 * i, true);
    return values;
  }

  /** What `ByteWriter.measured` wrote. */
  measured(): Float64Array {
    const count = this.whole();
    if (count > 8 * this.rest) this.fail(`${count} values are declared, ${this.rest} bytes are left`);
    const isWide = this.bits(count);
    let wide = 0;
    for (let i = 0; i < count; i++) wide += isWide[i]!;
    const view = this.#plain;
    let at = this.#takePlain(4 * (count + wide));
    const values = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      values[i] = isWide[i] === 1 ? view.getFloat64(at, true) : view.getFloat32(at, true);
      at += isWide[i] === 1 ? 8 : 4;
    }
    return values;
  }

  bits(count: number): Uint8Array {
    const bytes = Math.ceil(count / 8);
    if (bytes > this.rest) this.fail(`${count} bits are needed, ${this.rest} bytes are left`);
    const from = this.#take(bytes);
    const values = new Uint8Array(count);
    const packed = this.#bytes;
    for (let i = 0; i < count; i++) values[i] = (packed[from + (i >> 3)]! >>> (i & 7)) & 1;
    return values;
  }

  /** The number of items that follow, each of at least the given bytes. */
  count(bytesEach = 1): number {
    const count = this.whole();
    if (count * bytesEach > this.rest) this.fail(`${count} items are declared, ${this.rest} bytes are left`);
    return count;
  }

  ascending(): Float64Array {
    const values = this.wholes(this.count());
    let last = 0;
    for (let i = 0; i < values.length; i++) {
      last += values[i]!;
      values[i] = last;
    }
    if (!Number.isSafeInteger(last)) this.fail("a whole number is out of range");
    return values;
  }

  text(): string {
    const length = this.count();
    const at = this.#take(length);
    try {
      return decoder.decode(this.#bytes.subarray(at, at + length));
    } catch {
      return this.fail("a text is not UTF-8");
    }
  }

  name(): string {
    const number = this.below(this.#names.length + 1, "the number of a name");
    if (number === this.#names.length) this.#names.push(this.text());
    return this.#names[number]!;
  }

  /** Call before allocating far more memory than the bytes read. @throws LimitError beyond the memory limit */
  spend(bytes: number): void {
    this.#spent += bytes;
    checkMemory(this.#spent, "the summary", { file: this.#name });
  }

  /** @throws FormatError when bytes are left */
  end(): void {
    const rest = this.rest + this.#plain.byteLength - this.#plainAt;
    if (rest > 0) this.fail(`${rest} bytes are left over`);
  }
}

function viewBytes(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
