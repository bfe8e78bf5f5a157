/**
 * Sums whose merging rounds, kept separate by unit (a batch of a file) and merged only when read, in the order of the
 * units' names. So the result has the same bits for any order and tree of arrival.
 *
 * Plain sums are in `BinnedSums`, which does not grow with the number of units; means and squared deviations would
 * lose their accuracy that way.
 *
 * @module
 */
import { NAME } from "../base/codec.ts";
import type { Layout } from "./layout/layout.ts";
import { Sums } from "./layout/sums.ts";
import { byKey, type Keyed, SumsByKey } from "./layout/sums-by-key.ts";

/** How the sums of a unit are made and merged. */
export interface UnitKind<T> {
  make(): T;
  readonly sums: Layout<T>;
  readonly units: Layout<Units<T>>;
}

export function unitKind<T>(make: () => T, sums: Layout<T>): UnitKind<T> {
  return { make, sums, units: byKey(NAME, sums) };
}

export class Units<T> extends Sums implements Keyed<string, T> {
  readonly #kind: UnitKind<T>;
  readonly #units: SumsByKey<string, T>;
  #folded: T | undefined;

  constructor(kind: UnitKind<T>) {
    super();
    this.#kind = kind;
    this.#units = new SumsByKey(kind.make);
  }

  protected override get layout(): Layout<Units<T>> {
    return this.#kind.units;
  }

  get size(): number {
    return this.#units.size;
  }

  sorted(): [name: string, sums: T][] {
    return this.#units.sorted();
  }

  /** The sums of a unit for adding; created on first use. */
  get(name: string): T {
    this.#folded = undefined;
    return this.#units.get(name);
  }

  /** The merged sums of all units; for a single unit, its own sums. Valid until the next {@link get} or merge. */
  fold(): T {
    if (this.#folded !== undefined) return this.#folded;
    const units = this.sorted();
    if (units.length === 1) this.#folded = units[0]![1];
    else {
      const sums = this.#kind.make();
      for (const [, unit] of units) this.#kind.sums.merge(sums, unit);
      this.#folded = sums;
    }
    return this.#folded;
  }
}
