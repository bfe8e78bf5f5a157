/**
 * Sums whose merging rounds, kept separate by unit (a batch of a file) and merged only when read, in the order of the
 * units' names. So the result is the same bits for any order and tree of arrival.
 *
 * Plain sums are in `BinnedSums`, which does not grow with the number of units; means and squared deviations would
 * lose their accuracy that way.
 *
 * @module
 */
import type { ByteReader } from "../base/byte-reader.ts";
import type { ByteWriter } from "../base/byte-writer.ts";

/** The operations on a unit's sums. */
export interface UnitKind<T> {
  make(): T;
  merge(into: T, from: T): void;
  encode(sums: T, to: ByteWriter): void;
  decode(from: ByteReader): T;
}

export class Units<T> {
  readonly #kind: UnitKind<T>;
  readonly #byName = new Map<string, T>();
  #folded: T | undefined;

  constructor(kind: UnitKind<T>) {
    this.#kind = kind;
  }

  /** The sums of a unit for adding; created on first use. */
  open(name: string): T {
    this.#folded = undefined;
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const sums = this.#kind.make();
    this.#byName.set(name, sums);
    return sums;
  }

  /**
   * The merged sums of all units; for a single unit, its own sums. Valid until the next {@link open} or {@link merge}.
   */
  fold(): T {
    if (this.#folded !== undefined) return this.#folded;
    const names = [...this.#byName.keys()];
    if (names.length === 1) this.#folded = this.#byName.get(names[0]!)!;
    else {
      const sums = this.#kind.make();
      for (const name of names.sort()) this.#kind.merge(sums, this.#byName.get(name)!);
      this.#folded = sums;
    }
    return this.#folded;
  }

  /** If both have a unit, which should not happen, its sums are merged. */
  merge(other: Units<T>): void {
    for (const [name, sums] of other.#byName) this.#kind.merge(this.open(name), sums);
    this.#folded = undefined;
  }

  encode(to: ByteWriter): void {
    const names = [...this.#byName.keys()].sort();
    to.whole(names.length);
    for (const name of names) {
      to.name(name);
      this.#kind.encode(this.#byName.get(name)!, to);
    }
  }

  /** Adds the output of `encode`. */
  mergeFrom(from: ByteReader): void {
    for (let left = from.count(); left > 0; left--) {
      const name = from.name();
      const sums = this.#kind.decode(from);
      const known = this.#byName.get(name);
      if (known === undefined) this.#byName.set(name, sums);
      else this.#kind.merge(known, sums);
    }
    this.#folded = undefined;
  }
}
