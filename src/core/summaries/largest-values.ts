/**
 * The multiset of the largest values: the lists of shards, merged in any order or tree, are the list of the whole.
 *
 * @module
 */
import { FLOATS } from "../base/codec.ts";
import { contents, counts, layoutOf, part } from "./layout/layout.ts";
import { Sums } from "./layout/sums.ts";

/**
 * Values kept. The tail of n importance weights is their 3√n largest (`countTail`): the list is complete up to 7.4
 * million values. Beyond that, the fitted tail starts further out.
 */
export const LARGEST_KEPT = 2 ** 13;

const FIRST_ROOM = 256;

export class LargestValues extends Sums {
  static readonly layout = layoutOf<LargestValues>({
    counted: part(counts(["values"]), (sums) => sums.#counted),
    largest: contents(
      FLOATS,
      (sums) => sums.list(),
      (sums, values) => sums.#keepAll(values),
      (sums) => sums.#values.subarray(0, sums.#held),
    ),
  });
  readonly #kept: number;
  /** Twice the kept number, so that the smaller half is dropped only now and then. */
  #values: Float64Array;
  #held = 0;
  readonly #counted = { values: 0 };
  #bound = Number.NEGATIVE_INFINITY;

  constructor(kept = LARGEST_KEPT) {
    super();
    this.#kept = kept;
    this.#values = new Float64Array(Math.min(FIRST_ROOM, 2 * kept));
  }

  /** Values added, whether kept or not. */
  get count(): number {
    return this.#counted.values;
  }

  /** Values up to this one are no longer among the largest. */
  get bound(): number {
    return this.#bound;
  }

  /** Counts values that were not passed because they do not exceed {@link bound}. */
  skip(count: number): void {
    this.#counted.values += count;
  }

  /** @param value finite */
  add(value: number): void {
    this.#counted.values++;
    this.#keep(value);
  }

  #keep(value: number): void {
    if (value <= this.#bound) return;
    if (this.#held === this.#values.length) this.#makeRoom();
    // Dropping values raises the bound.
    if (value > this.#bound) this.#values[this.#held++] = value;
  }

  #makeRoom(): void {
    if (this.#held < 2 * this.#kept) {
      const wider = new Float64Array(Math.min(2 * this.#held, 2 * this.#kept));
      wider.set(this.#values);
      this.#values = wider;
    } else this.#drop();
  }

  #drop(): void {
    if (this.#held <= this.#kept) return;
    moveLargest(this.#values, this.#held, this.#kept);
    this.#held = this.#kept;
    let least = this.#values[0]!;
    for (let i = 1; i < this.#held; i++) least = Math.min(least, this.#values[i]!);
    this.#bound = least;
  }

  /** Descending; all values, if no more were added than are kept. */
  list(): Float64Array {
    this.#drop();
    return this.#values.slice(0, this.#held).sort().reverse();
  }

  #keepAll(values: ArrayLike<number>): void {
    // Most of a shard's values are not among the largest of the run.
    let bound = this.#bound;
    for (let i = 0; i < values.length; i++) {
      if (values[i]! <= bound) continue;
      this.#keep(values[i]!);
      bound = this.#bound;
    }
  }
}

/** Moves the `k` largest of the first `n` to the front, unordered: Hoare's "Find" (CACM 4(7), 1961). */
function moveLargest(values: Float64Array, n: number, k: number): void {
  let [low, high] = [0, n - 1];
  while (low < high) {
    const pivot = values[(low + high) >>> 1]!;
    let [i, j] = [low, high];
    while (i <= j) {
      while (values[i]! > pivot) i++;
      while (values[j]! < pivot) j--;
      if (i > j) break;
      const value = values[i]!;
      values[i++] = values[j]!;
      values[j--] = value;
    }
    if (k - 1 <= j) high = j;
    else if (k - 1 >= i) low = i;
    else return;
  }
}
