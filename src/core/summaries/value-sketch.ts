import type { ByteReader, ByteWriter, NumericArray } from "../base/index.ts";
import type { CountedCells } from "../kernels/index.ts";
import { CellCounts, TAIL_THRESHOLDS } from "./cell-counts.ts";

/** A sketch as plain data: sorted cells with their counts. */
export interface ValueSketchJson {
  readonly version: 1;
  readonly mantissaBits: number;
  readonly count: number;
  readonly min: number | null;
  readonly max: number | null;
  readonly cells: readonly number[];
  readonly counts: readonly number[];
  /**
   * For each tail threshold, for their negatives, and for catastrophic Δ: values beyond it within its cell; empty: none.
   * Absent: not noted.
   */
  readonly beyond?: readonly number[];
}

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/**
 * Mergeable histogram of float32 values for quantiles and tail fractions.
 *
 * A cell holds the values that share sign, exponent and the first `mantissaBits` bits of the mantissa, so cells are
 * log-linear and need no range given beforehand. A quantile is wrong by at most half a cell: 2^-(mantissaBits + 1)
 * of its value (7 bits: 0.4 %, 10 bits: 0.05 %); minimum and maximum are exact. Adding is counting, so sketches of
 * shards merged in any order or tree are identical to the sketch of the whole.
 */
export class ValueSketch {
  readonly mantissaBits: number;
  readonly #shift: number;
  readonly #cells: CellCounts;
  #count = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;

  constructor(mantissaBits: 7 | 10 = 10) {
    this.mantissaBits = mantissaBits;
    this.#shift = 23 - mantissaBits;
    this.#cells = new CellCounts(mantissaBits);
  }

  get count(): number {
    return this.#count;
  }

  /** Smallest value added; +Infinity while empty. */
  get min(): number {
    return this.#min;
  }

  /** Largest value added; -Infinity while empty. */
  get max(): number {
    return this.#max;
  }

  /** Adds every finite value of `values`; the rest is the caller's to count. */
  addAll(values: Float32Array): void {
    this.addRange(values, new Uint32Array(values.buffer, values.byteOffset, values.length), 0, values.length);
  }

  /** {@link addAll} for elements `[from, to)`, given a view of the same memory as words (callers reuse it). */
  addRange(values: Float32Array, words: Uint32Array, from: number, to: number): void {
    this.#count += this.#cells.addWords(words, from, to);
    let min = this.#min;
    let max = this.#max;
    for (let i = from; i < to; i++) {
      const value = values[i] as number;
      // NaN is neither; an infinity is out of order with what is finite.
      if (value < min && value > Number.NEGATIVE_INFINITY) min = value;
      if (value > max && value < Number.POSITIVE_INFINITY) max = value;
    }
    this.#setExtremes(min, max);
  }

  /** Of a negative zero and a positive one neither is less, so that which came first would show: both are positive here. */
  #setExtremes(min: number, max: number): void {
    this.#min = min + 0;
    this.#max = max + 0;
  }

  /** Adds the values that a kernel has counted in cells of this width. */
  addCounted(counted: CountedCells): void {
    this.#count += this.#cells.addCounted(counted);
    const [min, max] = counted.extremes as unknown as readonly [number, number];
    this.#setExtremes(Math.min(this.#min, min), Math.max(this.#max, max));
  }

  /** Adds one value where its turn, step or group is known; see {@link addAll}. */
  add(value: number): void {
    float[0] = value;
    const word = bits[0] as number;
    if (((word >>> 23) & 255) === 255) return;
    this.#cells.addWord(word);
    this.#count++;
    const rounded = float[0] as number;
    this.#setExtremes(Math.min(this.#min, rounded), Math.max(this.#max, rounded));
  }

  /** Adds `other`'s values to this. @throws RangeError when the cells have another width. */
  merge(other: ValueSketch): void {
    if (other.mantissaBits !== this.mantissaBits) {
      throw new RangeError(
        `cannot merge sketches: ${this.mantissaBits} mantissa bits here, ${other.mantissaBits} there`,
      );
    }
    this.#cells.merge(other.#cells);
    this.#count += other.#count;
    this.#min = Math.min(this.#min, other.#min);
    this.#max = Math.max(this.#max, other.#max);
  }

  /** Non-empty cells in ascending order of value: `[middle, count, low edge, high edge]`. */
  *cells(): Generator<readonly [middle: number, count: number, low: number, high: number]> {
    const half = 256 << this.mantissaBits;
    for (const [cell, count] of this.#cells.entries(2 * half, half)) {
      const { near, far } = this.#edges(cell);
      yield [(near + far) / 2, count, far, near];
    }
    for (const [cell, count] of this.#cells.entries(0, half)) {
      const { near, far } = this.#edges(cell);
      // The first cell holds exact zeros (and subnormals far below any log-prob's resolution).
      yield cell === 0 ? [0, count, 0, far] : [(near + far) / 2, count, near, far];
    }
  }

  #edges(cell: number): { near: number; far: number } {
    bits[0] = (cell << this.#shift) >>> 0;
    const near = float[0] as number;
    bits[0] = (bits[0] as number) + (1 << this.#shift);
    const far = Number.isFinite(float[0]) ? (float[0] as number) : near;
    return { near, far };
  }

  /**
   * Values at the given fractions (ascending), interpolated linearly between order statistics as NumPy's default;
   * NaN while empty.
   */
  quantiles(fractions: readonly number[]): number[] {
    if (this.#count === 0) return fractions.map(() => Number.NaN);
    const wanted = fractions.map((fraction) => fraction * (this.#count - 1));
    const ranks = [...new Set(wanted.flatMap((rank) => [Math.floor(rank), Math.ceil(rank)]))].sort(
      (a, b) => a - b,
    );
    const values = new Map<number, number>();
    let before = 0;
    let next = 0;
    for (const [middle, count] of this.cells()) {
      while (next < ranks.length && (ranks[next] as number) < before + count) {
        values.set(ranks[next] as number, this.#exact(ranks[next] as number, middle));
        next++;
      }
      before += count;
    }
    return wanted.map((rank) => {
      const low = values.get(Math.floor(rank)) as number;
      const high = values.get(Math.ceil(rank)) as number;
      return low + (high - low) * (rank - Math.floor(rank));
    });
  }

  #exact(rank: number, middle: number): number {
    if (rank === 0) return this.#min;
    if (rank === this.#count - 1) return this.#max;
    return Math.min(Math.max(middle, this.#min), this.#max);
  }

  /** The sketch of the absolute values. Where values of both signs were added, its minimum is that of a cell. */
  absolute(): ValueSketch {
    const folded = new ValueSketch(this.mantissaBits as 7 | 10);
    const half = 256 << this.mantissaBits;
    for (const [cell, count] of this.#cells.entries()) folded.#cells.add(cell & (half - 1), count);
    folded.#count = this.#count;
    const beyond = this.#cells.beyond;
    const thresholds = TAIL_THRESHOLDS.length;
    folded.#cells.beyond = beyond?.slice(0, thresholds).map((count, i) => count + beyond[thresholds + i]!);
    if (this.#count > 0) {
      folded.#max = Math.max(Math.abs(this.#min), Math.abs(this.#max));
      folded.#min =
        this.#min <= 0 && this.#max >= 0
          ? this.#smallestMagnitude()
          : Math.min(Math.abs(this.#min), Math.abs(this.#max));
    }
    return folded;
  }

  /** The near edge of the innermost cell of either sign: below the smallest magnitude by less than a cell. */
  #smallestMagnitude(): number {
    const half = 256 << this.mantissaBits;
    const first = [0, half].flatMap((start) => {
      const next = this.#cells.entries(start, start + half).next();
      return next.done === true ? [] : [next.value[0] - start];
    });
    return first.length === 0 ? 0 : this.#edges(Math.min(...first)).near;
  }

  /**
   * How many values lie above `threshold`: exactly where it is one of the tail thresholds. For others, values in the cell
   * that holds it are shared out by linear interpolation.
   */
  countAbove(threshold: number): number {
    const beyond = threshold > 0 ? this.#cells.countBeyond(threshold) : undefined;
    let above = 0;
    for (const [, count, low, high] of this.cells()) {
      if (low > threshold) above += count;
      else if (beyond !== undefined && high > threshold) above += beyond;
      else if (high > threshold && high > low) above += (count * (high - threshold)) / (high - low);
    }
    return threshold >= this.#max ? 0 : Math.min(above, this.#count);
  }

  /** Whether {@link countAbove} is exact: values beyond it were counted, or none lie in a cell that `threshold` parts. */
  isExactAt(threshold: number): boolean {
    if (this.#cells.countBeyond(threshold) !== undefined) return true;
    for (const [, , low, high] of this.cells()) if (low < threshold && threshold < high) return false;
    return true;
  }

  /** How many values lie below `threshold`; exact as {@link countAbove}. */
  countBelow(threshold: number): number {
    const beyond = threshold < 0 ? this.#cells.countBeyond(threshold) : undefined;
    let below = 0;
    for (const [, count, low, high] of this.cells()) {
      if (high < threshold) below += count;
      else if (beyond !== undefined && low < threshold) below += beyond;
      else if (low < threshold && high > low) below += (count * (threshold - low)) / (high - low);
    }
    return threshold <= this.#min ? 0 : Math.min(below, this.#count);
  }

  /** The sketch of the positive values, or of the magnitudes of the negative ones. */
  side(sign: "positive" | "negative"): ValueSketch {
    const half = new ValueSketch(this.mantissaBits as 7 | 10);
    const size = 256 << this.mantissaBits;
    const first = sign === "positive" ? 0 : size;
    for (const [cell, count] of this.#cells.entries(first, first + size)) {
      if (cell === first) continue;
      half.#cells.add(cell - first, count);
      half.#count += count;
    }
    const beyond = this.#cells.beyond;
    const thresholds = TAIL_THRESHOLDS.length;
    half.#cells.beyond =
      sign === "positive" ? beyond?.slice(0, thresholds) : beyond?.slice(thresholds, 2 * thresholds);
    if (half.#count > 0) {
      half.#max = sign === "positive" ? this.#max : -this.#min;
      half.#min = half.#smallestMagnitude();
    }
    return half;
  }

  toJSON(): ValueSketchJson {
    const cells: number[] = [];
    const counts: number[] = [];
    for (const [cell, count] of this.#cells.entries()) {
      cells.push(cell);
      counts.push(count);
    }
    const beyond = this.#cells.beyond;
    const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
    return {
      version: 1,
      mantissaBits: this.mantissaBits,
      count: this.#count,
      min: finite(this.#min),
      max: finite(this.#max),
      cells,
      counts,
      ...(beyond && { beyond: beyond.some((count) => count > 0) ? beyond : [] }),
    };
  }

  static fromJSON(json: ValueSketchJson): ValueSketch {
    const sketch = new ValueSketch(json.mantissaBits as 7 | 10);
    json.cells.forEach((cell, i) => {
      sketch.#cells.add(cell, json.counts[i] as number);
    });
    sketch.#cells.beyond = json.beyond;
    sketch.#count = json.count;
    sketch.#min = json.min ?? Number.POSITIVE_INFINITY;
    sketch.#max = json.max ?? Number.NEGATIVE_INFINITY;
    return sketch;
  }

  encode(to: ByteWriter): void {
    const cells: number[] = [];
    const counts: number[] = [];
    for (const [cell, count] of this.#cells.entries()) {
      cells.push(cell);
      counts.push(count);
    }
    to.whole(this.mantissaBits);
    to.float(this.#min);
    to.float(this.#max);
    to.ascending(cells);
    for (const count of counts) to.whole(count);
    const beyond = this.#cells.beyond;
    to.whole(beyond === undefined ? 0 : beyond.length + 1);
    for (const count of beyond ?? []) to.whole(count);
  }

  /** Adds what `encode` wrote. */
  mergeFrom(from: ByteReader): void {
    const width = from.whole();
    if (width !== this.mantissaBits)
      from.fail(`a sketch has ${width} bits, and should have ${this.mantissaBits}`);
    const [min, max] = [from.float(), from.float()];
    if (min < this.#min) this.#min = min;
    if (max > this.#max) this.#max = max;
    const cells = from.ascending();
    if ((cells.at(-1) ?? 0) >= 512 << width) from.fail("a cell is out of range");
    let page = -1;
    for (let i = 0; i < cells.length; i++) {
      const cell = cells[i]!;
      if (cell >>> width !== page) from.spend(2 ** (width + 2));
      page = cell >>> width;
      const count = from.whole();
      this.#cells.add(cell, count);
      this.#count += count;
    }
    // One more than there are counts, so that none and an empty list differ.
    const beyond = from.whole();
    if (beyond - 1 > from.rest) from.fail(`${beyond - 1} counts are declared, ${from.rest} bytes are left`);
    this.#cells.mergeBeyond(
      beyond === 0 ? undefined : Float64Array.from({ length: beyond - 1 }, () => from.whole()),
    );
  }

  /** A sketch of all finite values of an array. */
  static of(values: NumericArray, mantissaBits: 7 | 10 = 10): ValueSketch {
    const sketch = new ValueSketch(mantissaBits);
    sketch.addAll(values instanceof Float32Array ? values : Float32Array.from(values));
    return sketch;
  }
}
