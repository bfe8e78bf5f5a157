/**
 * Slices by a column with potentially unlimited values (engine ids that are request ids, versions that are timestamps):
 * at most `most` values have a slice of their own, the others are summed together.
 *
 * Keeps the values with the smallest hashes, as in `SequenceSample`: a value once pooled can never come back, so which
 * values are separate does not depend on how a run was sharded.
 *
 * @module
 */
import { ASCENDING, type Codec, NUMBER } from "../../core/base/index.ts";
import {
  contents,
  type Keyed,
  KeyHash,
  type Layout,
  layoutOf,
  MismatchSummary,
  optionalPart,
} from "../../core/summaries/index.ts";
import { makeSlice, Slices, slicesBy } from "./slices.ts";

/** Values with a slice of their own. */
const MOST_PARTS_APART = 1024;
/** How many pooled values are counted individually. */
const MOST_COUNTED = 2 ** 14;

/** The pooled values. */
export interface PooledParts {
  readonly summary: MismatchSummary;
  /** Their number; there are more if `isMore`. */
  readonly count: number;
  readonly isMore: boolean;
}

export class BoundedSlices<K extends string | number> implements Keyed<K, MismatchSummary> {
  static layoutBy<K extends string | number>(key: Codec<K>): Layout<BoundedSlices<K>> {
    return layoutOf<BoundedSlices<K>>({
      bound: contents(
        NUMBER,
        (slices) => {
          slices.#trim();
          return slices.#bound;
        },
        (slices, bound) => slices.#poolAbove(bound),
      ),
      slices: slicesBy(key),
      pooledKeys: contents(
        ASCENDING,
        (slices) => [...slices.#hashes].sort((a, b) => a - b).slice(0, MOST_COUNTED + 1),
        (slices, hashes) => {
          for (const hash of Array.from(hashes)) slices.#count(hash);
        },
      ),
      pooled: optionalPart(
        MismatchSummary.layout,
        (slices) => slices.#pooled,
        (slices) => slices.#pooledSlice(),
      ),
    });
  }

  readonly #most: number;
  readonly #slices = new Slices<K>();
  readonly #hashes = new Set<number>();
  #pooled: MismatchSummary | undefined;
  #bound = Number.POSITIVE_INFINITY;

  constructor(most = MOST_PARTS_APART) {
    this.#most = most;
  }

  /**
   * The summary for a value's tokens. Call it for each addition: in the meantime the value may have been pooled, with
   * everything added before.
   */
  get(key: K): MismatchSummary {
    const known = this.#slices.byKey.get(key);
    if (known) return known;
    const hash = hashKey(key);
    if (hash > this.#bound) return this.#pool(hash);
    const slice = this.#slices.get(key);
    if (this.#slices.size < 2 * this.#most) return slice;
    this.#trim();
    return this.#slices.byKey.get(key) ?? this.#pool(hash);
  }

  /** Like `get`, for additions by unit (`MismatchSummary.beginUnit`). */
  open(key: K, unit: string): MismatchSummary {
    const slice = this.get(key);
    slice.beginUnit(unit);
    return slice;
  }

  /** Values kept apart. */
  get size(): number {
    this.#trim();
    return this.#slices.size;
  }

  /** In ascending order of value. */
  sorted(): [K, MismatchSummary][] {
    this.#trim();
    return this.#slices.sorted();
  }

  /** Undefined as long as every value has its own slice. */
  pooled(): PooledParts | undefined {
    this.#trim();
    if (this.#pooled === undefined) return undefined;
    const { size } = this.#hashes;
    return { summary: this.#pooled, count: Math.min(size, MOST_COUNTED), isMore: size > MOST_COUNTED };
  }

  #pool(hash: number): MismatchSummary {
    this.#count(hash);
    return this.#pooledSlice();
  }

  #pooledSlice(): MismatchSummary {
    this.#pooled ??= makeSlice();
    return this.#pooled;
  }

  #count(hash: number): void {
    this.#hashes.add(hash);
    if (this.#hashes.size <= 2 * MOST_COUNTED) return;
    // Keeps one more than is counted, to know that there are more.
    const largest = [...this.#hashes].sort((a, b) => a - b).slice(MOST_COUNTED + 1);
    for (const dropped of largest) this.#hashes.delete(dropped);
  }

  #trim(): void {
    if (this.#slices.size <= this.#most) return;
    const hashes = [...this.#slices.byKey.keys()].map(hashKey).sort((a, b) => a - b);
    this.#poolAbove(hashes[this.#most - 1]!);
  }

  #poolAbove(bound: number): void {
    this.#bound = Math.min(this.#bound, bound);
    for (const [key, summary] of this.#slices.byKey) {
      const hash = hashKey(key);
      if (hash <= this.#bound) continue;
      this.#slices.byKey.delete(key);
      this.#pool(hash).merge(summary);
    }
  }
}

function hashKey(key: string | number): number {
  const hash = new KeyHash();
  return (typeof key === "number" ? hash.addNumber(key) : hash.addText(key)).key();
}
