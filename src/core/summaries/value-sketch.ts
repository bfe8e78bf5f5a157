import type { NumericArray } from "../base/arrays.ts";
import type { ByteReader } from "../base/byte-reader.ts";
import type { ByteWriter } from "../base/byte-writer.ts";
import type { CountedCells } from "../kernels/wasm/tokens-kernel.ts";
import { CellCounts, findFirst, type ListedCells, TAIL_THRESHOLDS } from "./cell-counts.ts";
import { ownWay } from "./layout/sums.ts";

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
   * For each tail threshold, for their negatives, and for catastrophic Δ: values beyond it within its cell; empty when
   * there are none, absent when not counted.
   */
  readonly beyond?: readonly number[];
}

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/** Non-empty cells in ascending order of value, as columns: a run has ten thousand, which are read many times. */
export interface CellColumns {
  readonly middles: Float64Array;
  readonly counts: Float64Array;
  readonly lows: Float64Array;
  readonly highs: Float64Array;
  /** Values in the cells before each; one element more than there are cells. */
  readonly before: Float64Array;
}

/** One result each for Δ, |Δ|, Δp and |Δp|. */
const MOST_RECENT = 4;

/**
 * A report queries the sketch of its run two dozen times: quantiles, tails, histograms. Only a few results are kept,
 * since a run has as many sketches as steps. Values are never removed, so an unchanged count means an unchanged
 * sketch.
 */
class Recent<T> {
  readonly #known: { readonly of: ValueSketch; readonly count: number; readonly result: T }[] = [];

  get(of: ValueSketch, make: () => T): T {
    const at = this.#known.findIndex((one) => one.of === of && one.count === of.count);
    const found = at < 0 ? { of, count: of.count, result: make() } : this.#known.splice(at, 1)[0]!;
    this.#known.unshift(found);
    this.#known.length = Math.min(this.#known.length, MOST_RECENT);
    return found.result;
  }
}

/** The index of the first of ascending numbers that is above `value`. */
function findAbove(ascending: Float64Array, value: number): number {
  const at = findFirst(ascending, value);
  return ascending[at] === value ? at + 1 : at;
}

/** The cells of magnitudes, ascending; those from `half` on are of negative values. A cell of both occurs twice. */
function mergeSigns({ cells, counts }: ListedCells, half: number): ListedCells {
  const end = findFirst(cells, half);
  const [merged, sums] = [new Uint32Array(cells.length), new Float64Array(cells.length)];
  for (let [at, positive, negative] = [0, 0, end]; at < cells.length; at++) {
    const isPositive =
      negative === cells.length || (positive < end && cells[positive]! <= cells[negative]! - half);
    merged[at] = isPositive ? cells[positive]! : cells[negative]! - half;
    sums[at] = counts[isPositive ? positive++ : negative++]!;
  }
  return { cells: merged, counts: sums };
}

const recentColumns = new Recent<CellColumns>();
const recentMagnitudes = new Recent<ValueSketch>();

/**
 * Mergeable histogram of float32 values for quantiles and tail fractions.
 *
 * A cell holds the values that share sign, exponent and the first `mantissaBits` bits of the mantissa, so cells are
 * log-linear and need no predefined range. A quantile is wrong by at most half a cell: 2^-(mantissaBits + 1) of its
 * value (7 bits: 0.4 %, 10 bits: 0.05 %); minimum and maximum are exact. Adding is counting, so sketches of shards
 * merged in any order or tree are identical to the sketch of the whole.
 */
export class ValueSketch {
  /** Runs of cells and their counts, as differences: a run has ten thousand of them for each of its slices. */
  static readonly layout = ownWay<ValueSketch>("sketch");
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

  /** Adds every finite value of `values`; callers count the others. */
  addAll(values: Float32Array): void {
    this.addRange(values, new Uint32Array(values.buffer, values.byteOffset, values.length), 0, values.length);
  }

  /** {@link addAll} for elements `[from, to)`, given a view of the same memory as words (callers reuse it). */
  addRange(values: Float32Array, words: Uint32Array, from: number, to: number): void {
    this.#count += this.#cells.addWords(words, from, to);
    let min = this.#min;
    let max = this.#max;
    for (let i = from; i < to; i++) {
      const value = values[i]!;
      // NaN is neither; infinities are excluded from minimum and maximum.
      if (value < min && value > Number.NEGATIVE_INFINITY) min = value;
      if (value > max && value < Number.POSITIVE_INFINITY) max = value;
    }
    this.#setExtremes(min, max);
  }

  /**
   * Negative and positive zero are equal, so the result would depend on which came first: both are stored as positive.
   */
  #setExtremes(min: number, max: number): void {
    this.#min = min + 0;
    this.#max = max + 0;
  }

  /** Adds a kernel's counts in cells of this width. */
  addCounted(counted: CountedCells): void {
    this.#count += this.#cells.addCounted(counted);
    const [min, max] = counted.extremes as unknown as readonly [number, number];
    this.#setExtremes(Math.min(this.#min, min), Math.max(this.#max, max));
  }

  /** Adds one value where its turn, step or group is known; see {@link addAll}. */
  add(value: number): void {
    float[0] = value;
    const word = bits[0]!;
    if (((word >>> 23) & 255) === 255) return;
    this.#cells.addWord(word);
    this.#count++;
    const rounded = float[0] as number;
    this.#setExtremes(Math.min(this.#min, rounded), Math.max(this.#max, rounded));
  }

  /** Adds `other`'s values to this. @throws RangeError when the cells have different widths. */
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

  /** Non-empty cells. Those of sketches queried last are kept: callers must not change them. */
  columns(): CellColumns {
    return recentColumns.get(this, () => this.#listColumns());
  }

  #listColumns(): CellColumns {
    const half = 256 << this.mantissaBits;
    const negative = this.#cells.list(half, 2 * half);
    const positive = this.#cells.list(0, half);
    const below = negative.cells.length;
    const size = below + positive.cells.length;
    const cells = new Uint32Array(size);
    cells.set(negative.cells.reverse());
    cells.set(positive.cells, below);
    const counts = new Float64Array(size);
    counts.set(negative.counts.reverse());
    counts.set(positive.counts, below);
    const { near, far } = this.#listEdges(cells);
    const [lows, highs] = [Float64Array.from(near), Float64Array.from(far)];
    lows.set(far.subarray(0, below));
    highs.set(near.subarray(0, below));
    const [middles, before] = [new Float64Array(size), new Float64Array(size + 1)];
    for (let i = 0; i < size; i++) {
      middles[i] = (lows[i]! + highs[i]!) / 2;
      before[i + 1] = before[i]! + counts[i]!;
    }
    // The first cell holds exact zeros (and subnormals far below any log-prob's resolution).
    if (cells[below] === 0) middles[below] = 0;
    return { middles, counts, lows, highs, before };
  }

  /** The edge of each cell nearer to 0, and the farther one; the last cell of either sign ends where it begins. */
  #listEdges(cells: Uint32Array): { near: Float32Array; far: Float32Array } {
    const [near, far] = [new Float32Array(cells.length), new Float32Array(cells.length)];
    const [nearWords, farWords] = [new Uint32Array(near.buffer), new Uint32Array(far.buffer)];
    for (let i = 0; i < cells.length; i++) {
      const word = cells[i]! << this.#shift;
      nearWords[i] = word;
      farWords[i] = word + (1 << this.#shift);
      if (!Number.isFinite(far[i])) far[i] = near[i]!;
    }
    return { near, far };
  }

  #edges(cell: number): { near: number; far: number } {
    bits[0] = (cell << this.#shift) >>> 0;
    const near = float[0]!;
    bits[0] = (bits[0] as number) + (1 << this.#shift);
    const far = Number.isFinite(float[0]) ? float[0]! : near;
    return { near, far };
  }

  /**
   * Values at the given fractions (ascending), interpolated linearly between order statistics as NumPy does by default;
   * NaN while empty.
   */
  quantiles(fractions: readonly number[]): number[] {
    if (this.#count === 0) return fractions.map(() => Number.NaN);
    const wanted = fractions.map((fraction) => fraction * (this.#count - 1));
    const ranks = wanted.flatMap((rank) => [Math.floor(rank), Math.ceil(rank)]);
    const { middles, before } = this.columns();
    const values = new Map(
      // The value is in the last cell that begins at the rank or before it.
      ranks.map((rank) => [rank, this.#exact(rank, middles[findAbove(before, rank) - 1]!)]),
    );
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

  /**
   * The sketch of the absolute values, to which callers must add nothing. If values of both signs were added, its minimum
   * is that of a cell.
   */
  absolute(): ValueSketch {
    return recentMagnitudes.get(this, () => this.#fold());
  }

  #fold(): ValueSketch {
    const folded = new ValueSketch(this.mantissaBits as 7 | 10);
    const half = 256 << this.mantissaBits;
    const { cells, counts } = mergeSigns(this.#cells.list(), half);
    folded.#cells.addListed(cells, counts, 0, cells.length);
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
      const cell = this.#cells.first(start, start + half);
      return cell === undefined ? [] : [cell - start];
    });
    return first.length === 0 ? 0 : this.#edges(Math.min(...first)).near;
  }

  /**
   * How many values lie above `threshold`: exact if it is one of the tail thresholds. For others, values in its cell
   * are interpolated linearly.
   */
  countAbove(threshold: number): number {
    const beyond = threshold > 0 ? this.#cells.countBeyond(threshold) : undefined;
    const { counts, lows, highs, before } = this.columns();
    const at = findAbove(highs, threshold);
    const [low, high, all] = [lows[at]!, highs[at]!, before.at(-1)!];
    const isSplit = low <= threshold;
    let above = all - before[isSplit ? at + 1 : at]!;
    if (isSplit) above += beyond ?? (counts[at]! * (high - threshold)) / (high - low);
    return threshold >= this.#max ? 0 : Math.min(above, this.#count);
  }

  /** Whether {@link countAbove} is exact: values beyond it were counted, or it splits no cell with values. */
  isExactAt(threshold: number): boolean {
    if (this.#cells.countBeyond(threshold) !== undefined) return true;
    const { lows, highs } = this.columns();
    return !(lows[findAbove(highs, threshold)]! < threshold);
  }

  /** How many values are below `threshold`; exact like {@link countAbove}. */
  countBelow(threshold: number): number {
    const beyond = threshold < 0 ? this.#cells.countBeyond(threshold) : undefined;
    const { counts, lows, highs, before } = this.columns();
    // A cell that ends at the threshold has values there: those are not below it.
    const at = findFirst(highs, threshold);
    const [low, high] = [lows[at]!, highs[at]!];
    let below = before[at]!;
    if (low < threshold) below += beyond ?? (counts[at]! * (threshold - low)) / (high - low);
    return threshold <= this.#min ? 0 : Math.min(below, this.#count);
  }

  /** The sketch of the positive values, or of the magnitudes of the negative ones. */
  side(sign: "positive" | "negative"): ValueSketch {
    const half = new ValueSketch(this.mantissaBits as 7 | 10);
    const size = 256 << this.mantissaBits;
    const first = sign === "positive" ? 0 : size;
    const { cells, counts } = this.#cells.list(first, first + size);
    for (let i = 0; i < cells.length; i++) {
      if (cells[i] === first) continue;
      half.#cells.add(cells[i]! - first, counts[i]);
      half.#count += counts[i]!;
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
    const { cells, counts } = this.#cells.list();
    const beyond = this.#cells.beyond;
    const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
    return {
      version: 1,
      mantissaBits: this.mantissaBits,
      count: this.#count,
      min: finite(this.#min),
      max: finite(this.#max),
      cells: [...cells],
      counts: [...counts],
      ...(beyond && { beyond: beyond.some((count) => count > 0) ? beyond : [] }),
    };
  }

  static fromJSON(json: ValueSketchJson): ValueSketch {
    const sketch = new ValueSketch(json.mantissaBits as 7 | 10);
    json.cells.forEach((cell, i) => {
      sketch.#cells.add(cell, json.counts[i]!);
    });
    sketch.#cells.beyond = json.beyond;
    sketch.#count = json.count;
    sketch.#min = json.min ?? Number.POSITIVE_INFINITY;
    sketch.#max = json.max ?? Number.NEGATIVE_INFINITY;
    return sketch;
  }

  encode(to: ByteWriter): void {
    const { cells, counts } = this.#cells.list();
    to.whole(this.mantissaBits);
    to.float(this.#min);
    to.float(this.#max);
    to.ascending(cells);
    for (const count of counts) to.whole(count);
    const beyond = this.#cells.beyond;
    to.whole(beyond === undefined ? 0 : beyond.length + 1);
    for (const count of beyond ?? []) to.whole(count);
  }

  /** Adds the output of `encode`. */
  mergeFrom(from: ByteReader): void {
    const width = from.whole();
    if (width !== this.mantissaBits)
      from.fail(`a sketch has ${width} bits, and should have ${this.mantissaBits}`);
    const [min, max] = [from.float(), from.float()];
    if (min < this.#min) this.#min = min;
    if (max > this.#max) this.#max = max;
    const cells = from.ascending();
    if ((cells.at(-1) ?? 0) >= 512 << width) from.fail("a cell is out of range");
    const counts = from.wholes(cells.length);
    for (let at = 0, page = -1; at < cells.length; at++) {
      if (cells[at]! >>> width === page) continue;
      page = cells[at]! >>> width;
      from.spend(2 ** (width + 2));
    }
    this.#count += this.#cells.addListed(cells, counts, 0, cells.length);
    // One more than the number of counts, to distinguish an absent list from an empty one.
    const beyond = from.whole();
    if (beyond - 1 > from.rest) from.fail(`${beyond - 1} counts are declared, ${from.rest} bytes are left`);
    this.#cells.mergeBeyond(beyond === 0 ? undefined : from.wholes(beyond - 1));
  }

  /** A sketch of all finite values of an array. */
  static of(values: NumericArray, mantissaBits: 7 | 10 = 10): ValueSketch {
    const sketch = new ValueSketch(mantissaBits);
    sketch.addAll(values instanceof Float32Array ? values : Float32Array.from(values));
    return sketch;
  }
}
