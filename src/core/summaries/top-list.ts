import type { Codec } from "../base/codec.ts";
import { contents, type Layout } from "./layout/layout.ts";

/**
 * The k items with the largest score. Ties go to the smaller key, so that lists of shards merged in any order equal
 * the list of the whole.
 */
export class TopList<T> {
  readonly #k: number;
  readonly #score: (item: T) => number;
  readonly #key: (item: T) => string;
  #items: T[] = [];
  /** Key of the last item, computed on demand. */
  #lastKey: string | undefined;

  constructor(k: number, score: (item: T) => number, key: (item: T) => string) {
    this.#k = k;
    this.#score = score;
    this.#key = key;
  }

  /** Scores at or above this can still enter; -Infinity until the list is full. */
  get threshold(): number {
    return this.#items.length < this.#k ? Number.NEGATIVE_INFINITY : this.#score(this.#items.at(-1) as T);
  }

  /** Whether an item that scores exactly {@link threshold} would enter; a check before making items when many tie. */
  admitsTie(key: string): boolean {
    const last = this.#items.at(-1);
    if (last === undefined || this.#items.length < this.#k) return true;
    this.#lastKey ??= this.#key(last);
    return key < this.#lastKey;
  }

  add(item: T): void {
    if (this.#score(item) < this.threshold) return;
    let [at, end] = [0, this.#items.length];
    while (at < end) {
      const middle = (at + end) >>> 1;
      if (this.#before(item, this.#items[middle] as T)) end = middle;
      else at = middle + 1;
    }
    this.#items.splice(at, 0, item);
    this.#items.length = Math.min(this.#items.length, this.#k);
    this.#lastKey = undefined;
  }

  #before(a: T, b: T): boolean {
    const difference = this.#score(a) - this.#score(b);
    return difference !== 0 ? difference > 0 : this.#key(a) < this.#key(b);
  }

  /** Best first. */
  list(): readonly T[] {
    return this.#items;
  }
}

/** @param items how the items of a list are written */
export function topOf<T>(items: Codec<readonly T[]>): Layout<TopList<T>> {
  return contents(
    items,
    (list) => list.list(),
    (list, others) => {
      for (const item of others) list.add(item);
    },
  );
}
