/**
 * Keys of clusters: 53 bits of a hash of a cluster's name, so that shards give the same cluster the same key.
 *
 * @module
 */

const numbers = new Float64Array(1);
const words = new Uint32Array(numbers.buffer);

/** Hashes words, numbers and texts one after the other. Two 32-bit states, mixed as MurmurHash3 mixes its words. */
export class KeyHash {
  #high: number;
  #low: number;

  constructor(high = 0x9747b28c, low = 0x811c9dc5) {
    this.#high = high;
    this.#low = low;
  }

  /** A copy of the hash. */
  copy(): KeyHash {
    return new KeyHash(this.#high, this.#low);
  }

  addWord(word: number): this {
    const high = Math.imul(this.#high ^ word, 0x85ebca6b);
    const low = Math.imul(this.#low ^ word, 0xcc9e2d51);
    this.#high = high ^ (high >>> 15);
    this.#low = low ^ (low >>> 13);
    return this;
  }

  /** Hashes the bits; all NaN are equal. */
  addNumber(value: number): this {
    numbers[0] = Number.isNaN(value) ? Number.NaN : value;
    return this.addWord(words[0]!).addWord(words[1]!);
  }

  addText(text: string): this {
    for (let i = 0; i < text.length; i++) this.addWord(text.charCodeAt(i));
    return this.addWord(text.length);
  }

  addWords(values: Int32Array, from: number, to: number): this {
    for (let i = from; i < to; i++) this.addWord(values[i]!);
    return this.addWord(to - from);
  }

  addNumbers(values: Float64Array, from: number, to: number): this {
    for (let i = from; i < to; i++) this.addNumber(values[i]!);
    return this;
  }

  /** A whole number in [0, 2^53) with equally random upper and lower bits. */
  key(): number {
    let high = this.#high ^ Math.imul(this.#low, 0x9e3779b1);
    let low = this.#low ^ Math.imul(this.#high, 0x85ebca77);
    high = Math.imul(high ^ (high >>> 16), 0x85ebca6b);
    high = Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
    high ^= high >>> 16;
    low = Math.imul(low ^ (low >>> 16), 0x85ebca6b);
    low = Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
    low ^= low >>> 16;
    return (high >>> 11) * 2 ** 32 + (low >>> 0);
  }
}
