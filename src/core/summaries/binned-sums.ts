/**
 * Sums of float64 values that do not depend on the order of adding: any order and any tree of merging gives the same
 * bits (after Demmel and Nguyen, "Parallel reproducible summation", IEEE Trans. Computers 64(7), 2015).
 *
 * The exponents of float64 are divided into bins of {@link WIDTH} bits at fixed places. A value is split at these
 * places into digits, whole numbers below 2^18, and each bin sums its own digits, which is exact. A sum keeps the
 * {@link BINS} bins from the largest value down; lower digits are dropped, and a bin that a larger value displaces is
 * dropped as a whole. So the largest value determines the bins and the values determine their content: only the set
 * matters, not its order. Digits never carry into the next bin: whether the carry of a bin that is dropped
 * later survives would depend on the order.
 *
 * At least 72 bits below the largest value are kept, so the sum is more exact than adding doubles. A bin of doubles is
 * exact up to 2^35 values in one place.
 *
 * @module
 */
import type { ByteReader } from "../base/byte-reader.ts";
import type { ByteWriter } from "../base/byte-writer.ts";

const WIDTH = 18;
const BINS = 5;
const BASE = 2 ** WIDTH;
/** Exponents of normal float64 from −1022 to 1023, in bins. */
const LOWEST = Math.floor(-1022 / WIDTH);
const HIGHEST = Math.floor(1023 / WIDTH);
const EMPTY = LOWEST - 1;

const BIN_OF_EXPONENT = Int8Array.from({ length: 2048 }, (_, biased) => Math.floor((biased - 1023) / WIDTH));
/** 2^(−18 b), to bring the values of bin b to [1, 2^18). Values too small for that are below 10^-300. */
const SCALES = Float64Array.from({ length: HIGHEST - LOWEST + 1 }, (_, i) => 2 ** (-WIDTH * (LOWEST + i)));

/** The 53 bits of a value reach into four digits at most. */
const DIGITS = 4;
/** The biased exponent from which on a value is normal and its scale finite. */
const LEAST_PLAIN = 32;

const float = new Float64Array(1);
const words = new Uint32Array(float.buffer);

/** Sums as arrays, each in memory of its own, which can be moved to another thread. */
export interface BinnedArrays {
  readonly tops: Int8Array<ArrayBuffer>;
  readonly bins: Float64Array<ArrayBuffer>;
  /** Places with infinities or NaN among their values, and the sums of these. */
  readonly oddPlaces: Float64Array<ArrayBuffer>;
  readonly oddSums: Float64Array<ArrayBuffer>;
}

export class BinnedSums {
  #tops: Int8Array<ArrayBuffer>;
  #bins: Float64Array<ArrayBuffer>;
  /** Sums of infinities and NaN, by place: these do not depend on the order either. */
  #odd: Map<number, number> | undefined;

  constructor(places = 0) {
    this.#tops = new Int8Array(places).fill(EMPTY);
    this.#bins = new Float64Array(places * BINS);
  }

  /** The arrays themselves; do not use these sums once the arrays are moved. */
  arrays(): BinnedArrays {
    const odd = this.#odd ?? new Map<number, number>();
    const [oddPlaces, oddSums] = [Float64Array.from(odd.keys()), Float64Array.from(odd.values())];
    return { tops: this.#tops, bins: this.#bins, oddPlaces, oddSums };
  }

  static ofArrays({ tops, bins, oddPlaces, oddSums }: BinnedArrays): BinnedSums {
    const sums = new BinnedSums();
    sums.#tops = tops;
    sums.#bins = bins;
    for (const [i, place] of oddPlaces.entries()) sums.#addOdd(place, oddSums[i]!);
    return sums;
  }

  get places(): number {
    return this.#tops.length;
  }

  /** Grows to a number of places; never shrinks. */
  grow(places: number): void {
    if (places <= this.places) return;
    const room = Math.max(places, 2 * this.places);
    const tops = new Int8Array(room).fill(EMPTY);
    tops.set(this.#tops);
    const bins = new Float64Array(room * BINS);
    bins.set(this.#bins);
    [this.#tops, this.#bins] = [tops, bins];
  }

  /** Empties all places. */
  clear(): void {
    this.#tops.fill(EMPTY);
    this.#bins.fill(0);
    this.#odd = undefined;
  }

  add(place: number, value: number): void {
    float[0] = value;
    this.#addFloat(place);
  }

  /** Adds what {@link float} holds. */
  #addFloat(place: number): void {
    const value = float[0]!;
    if (value === 0) return;
    const biased = (words[1]! >>> 20) & 2047;
    if (biased === 2047) {
      this.#addOdd(place, value);
      return;
    }
    const bin = BIN_OF_EXPONENT[biased]!;
    const scale = SCALES[bin - LOWEST];
    // Subnormal, or so close to it that its scale is not finite.
    if (scale === undefined || scale === Number.POSITIVE_INFINITY || biased === 0) return;
    if (bin > this.#tops[place]!) this.#raise(place, bin);
    const bins = this.#bins;
    const at = place * BINS;
    let scaled = value * scale;
    for (let i = this.#tops[place]! - bin; i < BINS && scaled !== 0; i++) {
      const digit = Math.trunc(scaled);
      bins[at + i] = bins[at + i]! + digit;
      scaled = (scaled - digit) * BASE;
    }
  }

  /**
   * For each `i` in `[from, to)`, adds `width` values, from `values[i * width]` on, to the places of `slots[i]`. Slot
   * `first` has the places `[0, width)`, the next one those after it, and so on.
   *
   * Hot loops pass arrays: V8 makes an object of each float64 that is passed to a function, unless it inlines the call.
   */
  addRows(
    slots: Int32Array,
    first: number,
    values: Float64Array,
    width: number,
    from: number,
    to: number,
  ): void {
    const [tops, bins] = [this.#tops, this.#bins];
    const bits = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
    for (let i = from; i < to; i++) {
      const start = (slots[i]! - first) * width;
      for (let column = 0; column < width; column++) {
        const place = start + column;
        const next = i * width + column;
        const value = values[next]!;
        const biased = (bits[2 * next + 1]! >>> 20) & 2047;
        const bin = BIN_OF_EXPONENT[biased]!;
        const isPlain = biased >= LEAST_PLAIN && biased !== 2047;
        if (isPlain && bin > tops[place]!) this.#raise(place, bin);
        const by = tops[place]! - bin;
        if (!isPlain || by > BINS - DIGITS) {
          float[0] = value;
          this.#addFloat(place);
          continue;
        }
        // All digits, even those that are 0: a branch for each would be unpredictable.
        const at = place * BINS + by;
        const scaled = value * SCALES[bin - LOWEST]!;
        const digit = Math.trunc(scaled);
        const rest = (scaled - digit) * BASE;
        const second = Math.trunc(rest);
        const rest2 = (rest - second) * BASE;
        const third = Math.trunc(rest2);
        bins[at] = bins[at]! + digit;
        bins[at + 1] = bins[at + 1]! + second;
        bins[at + 2] = bins[at + 2]! + third;
        bins[at + 3] = bins[at + 3]! + Math.trunc((rest2 - third) * BASE);
      }
    }
  }

  #addOdd(place: number, value: number): void {
    this.#odd ??= new Map();
    this.#odd.set(place, (this.#odd.get(place) ?? 0) + value);
  }

  /** Moves the bins of a place down, so that the first one is `top`. */
  #raise(place: number, top: number): void {
    const by = top - this.#tops[place]!;
    const at = place * BINS;
    for (let i = BINS - 1; i >= 0; i--) this.#bins[at + i] = i < by ? 0 : this.#bins[at + i - by]!;
    this.#tops[place] = top;
  }

  /** Adds a place of other sums to a place of these. */
  addPlace(place: number, other: BinnedSums, otherPlace: number): void {
    const odd = other.#odd?.get(otherPlace);
    if (odd !== undefined) this.#addOdd(place, odd);
    const top = other.#tops[otherPlace]!;
    if (top > this.#tops[place]!) this.#raise(place, top);
    const by = this.#tops[place]! - top;
    for (let i = by; i < BINS; i++) this.#bins[place * BINS + i]! += other.#bins[otherPlace * BINS + i - by]!;
  }

  /** The rounded sum; for a single value, that value. */
  value(place: number): number {
    const odd = this.#odd?.get(place);
    if (odd !== undefined) return odd;
    const at = place * BINS;
    let sum = 0;
    for (let i = BINS - 1; i >= 0; i--) sum = sum / BASE + this.#bins[at + i]!;
    return sum === 0 ? 0 : sum / SCALES[this.#tops[place]! - LOWEST]!;
  }

  /** Writes these places in order. Most hold a single value, which is written as such. */
  encode(to: ByteWriter, places: ArrayLike<number>): void {
    const kinds = Array.from(places, (place) => this.#readKind(place));
    for (let i = 0; i < kinds.length; i += 4)
      to.byte(kinds[i]! + 4 * (kinds[i + 1] ?? 0) + 16 * (kinds[i + 2] ?? 0) + 64 * (kinds[i + 3] ?? 0));
    for (let i = 0; i < kinds.length; i++) {
      const place = places[i]!;
      if (kinds[i] === KIND.float32) to.plainFloat32(this.value(place));
      if (kinds[i] === KIND.float64) to.plainFloat(this.value(place));
      if (kinds[i] !== KIND.bins) continue;
      const odd = this.#odd?.get(place);
      // 0 marks an odd sum; no top is written as 0, since empty places have a kind of their own.
      to.whole(odd === undefined ? this.#tops[place]! - EMPTY : 0);
      if (odd !== undefined) to.float(odd);
      else for (let j = 0; j < BINS; j++) to.signed(this.#bins[place * BINS + j]!);
    }
  }

  #readKind(place: number): number {
    if (this.#odd?.has(place) === true) return KIND.bins;
    if (this.#tops[place] === EMPTY) return KIND.empty;
    const value = this.singleValue(place);
    if (value === undefined) return KIND.bins;
    return Math.fround(value) === value ? KIND.float32 : KIND.float64;
  }

  /** The single value with these sums; 0 when empty, undefined when there is no such value. */
  singleValue(place: number): number | undefined {
    if (this.#odd?.has(place) === true) return undefined;
    const top = this.#tops[place]!;
    if (top === EMPTY) return 0;
    const value = this.value(place);
    if (!Number.isFinite(value)) return undefined;
    SINGLE.#tops[0] = EMPTY;
    SINGLE.#bins.fill(0);
    SINGLE.add(0, value);
    if (SINGLE.#tops[0] !== top) return undefined;
    for (let i = 0; i < BINS; i++) if (SINGLE.#bins[i] !== this.#bins[place * BINS + i]) return undefined;
    return value;
  }

  /** Adds the output of `encode` for as many places to these places in order; a place may occur twice. */
  mergeFrom(from: ByteReader, places: ArrayLike<number>): void {
    const kinds = new Uint8Array(places.length + 3);
    for (let i = 0; i < places.length; i += 4) {
      const packed = from.byte();
      for (let j = 0; j < 4; j++) kinds[i + j] = (packed >>> (2 * j)) & 3;
    }
    for (let i = 0; i < places.length; i++) {
      const place = places[i]!;
      const kind = kinds[i];
      if (kind === KIND.float32) this.add(place, from.plainFloat32());
      else if (kind === KIND.float64) this.add(place, from.plainFloat());
      else if (kind === KIND.bins) this.#addBins(from, place);
    }
  }

  #addBins(from: ByteReader, place: number): void {
    const code = from.below(HIGHEST - EMPTY + 1, "a bin");
    if (code === 0) {
      this.#addOdd(place, from.float());
      return;
    }
    const top = code + EMPTY;
    if (top > this.#tops[place]!) this.#raise(place, top);
    const by = this.#tops[place]! - top;
    for (let i = 0; i < BINS; i++) {
      const digit = from.signed();
      if (by + i < BINS) this.#bins[place * BINS + by + i]! += digit;
    }
  }
}

/** The encoding of a place. */
const KIND = { float64: 0, bins: 1, float32: 2, empty: 3 } as const;
const SINGLE = new BinnedSums(1);

/** The places of slots with `width` places each, column by column, so that similar values are together. */
export function listPlaces(slots: ArrayLike<number>, width: number): Uint32Array {
  const { length } = slots;
  const places = new Uint32Array(length * width);
  for (let i = 0; i < length; i++)
    for (let column = 0; column < width; column++) places[column * length + i] = slots[i]! * width + column;
  return places;
}

/** Whole numbers from 0, to name the first places. */
export function countPlaces(places: number): Uint32Array {
  return Uint32Array.from({ length: places }, (_, place) => place);
}
