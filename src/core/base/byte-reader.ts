import { FormatError } from "./errors.ts";
import { checkMemory } from "./memory-limit.ts";

const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads what `ByteWriter` wrote. Nothing is believed: a length that the bytes do not bear out is an error before
 * anything of that length is made.
 */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #name: string;
  #at = 0;
  readonly #names: string[] = [];
  #spent = 0;

  /** @param name of what is read, in errors: a file */
  constructor(bytes: Uint8Array, name: string) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#name = name;
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

  whole(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes[this.#take(1)]!;
      value += (byte & 127) * scale;
      if (byte < 128) break;
    }
    if (!Number.isSafeInteger(value)) this.fail("a whole number is out of range");
    return value;
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
    return Float64Array.from({ length: count }, () => this.float());
  }

  /** How many items follow, each of at least so many bytes. */
  count(bytesEach = 1): number {
    const count = this.whole();
    if (count * bytesEach > this.rest) this.fail(`${count} items are declared, ${this.rest} bytes are left`);
    return count;
  }

  ascending(): Float64Array {
    const values = new Float64Array(this.count());
    let last = 0;
    for (let i = 0; i < values.length; i++) {
      last += this.whole();
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

  /** Call before making what takes far more memory than its bytes here. @throws LimitError beyond the memory limit */
  spend(bytes: number): void {
    this.#spent += bytes;
    checkMemory(this.#spent, "the summary", { file: this.#name });
  }

  /** @throws FormatError when bytes are left */
  end(): void {
    if (this.rest > 0) this.fail(`${this.rest} bytes are left over`);
  }
}
