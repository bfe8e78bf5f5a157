import type { Codec } from "../../base/codec.ts";
import type { Layout } from "./layout.ts";

type Key = string | number;

/** Sums by key, in the order in which they are written. */
export interface Keyed<K extends Key, V> {
  readonly size: number;
  sorted(): Iterable<readonly [K, V]>;
  /** The sums of a key for adding; made when the key first occurs. */
  get(key: K): V;
}

/** Sums in a map. */
export class SumsByKey<K extends Key, V> implements Keyed<K, V> {
  readonly byKey = new Map<K, V>();
  readonly #make: () => V;

  constructor(make: () => V) {
    this.#make = make;
  }

  get size(): number {
    return this.byKey.size;
  }

  get(key: K): V {
    const known = this.byKey.get(key);
    if (known !== undefined) return known;
    const sums = this.#make();
    this.byKey.set(key, sums);
    return sums;
  }

  /** The sums in ascending order of key; NaN (unknown) last. */
  sorted(): [K, V][] {
    return [...this.byKey].sort(([a], [b]) => compareKeys(a, b));
  }
}

/** @param held about how many bytes the sums of a key take, if that is more than their encoding */
export function byKey<K extends Key, V>(key: Codec<K>, each: Layout<V>, held = 0): Layout<Keyed<K, V>> {
  return {
    text: `${each.text} by ${key.text}`,
    encode(sums, to) {
      to.whole(sums.size);
      for (const [name, own] of sums.sorted()) {
        key.write(name, to);
        each.encode(own, to);
      }
    },
    mergeFrom(sums, from) {
      const seen = new Set<K>();
      for (let left = from.count(); left > 0; left--) {
        from.spend(held);
        const name = key.read(from);
        if (seen.has(name)) from.fail("a key is there twice");
        seen.add(name);
        each.mergeFrom(sums.get(name), from);
      }
    },
    merge(sums, other) {
      for (const [name, theirs] of other.sorted()) each.merge(sums.get(name), theirs);
    },
  };
}

/** Sums by index. @param open returns the sums at an index, new ones at the end of the list */
export function byIndex<V>(each: Layout<V>, open: (all: V[], index: number) => V): Layout<V[]> {
  return {
    text: `list of ${each.text}`,
    encode(all, to) {
      to.whole(all.length);
      for (const one of all) each.encode(one, to);
    },
    mergeFrom(all, from) {
      for (let i = 0, length = from.count(); i < length; i++) each.mergeFrom(open(all, i), from);
    },
    merge(all, others) {
      for (const [i, theirs] of others.entries()) each.merge(open(all, i), theirs);
    },
  };
}

export function compareKeys(a: Key, b: Key): number {
  if (typeof a === "string" || typeof b === "string") return String(a) < String(b) ? -1 : 1;
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) ? 1 : -1;
  return a - b;
}

/** Counts by name, such as sequences by file. */
export function tally(name: Codec<string>): Layout<Map<string, number>> {
  return {
    text: `whole by ${name.text}`,
    encode(counts, to) {
      to.whole(counts.size);
      for (const [key, count] of [...counts].sort(([a], [b]) => compareKeys(a, b))) {
        name.write(key, to);
        to.whole(count);
      }
    },
    mergeFrom(counts, from) {
      for (let left = from.count(2); left > 0; left--) addCount(counts, name.read(from), from.whole());
    },
    merge(counts, other) {
      for (const [key, count] of other) addCount(counts, key, count);
    },
  };
}

export function addCount(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}
