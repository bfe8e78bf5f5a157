/**
 * Keeps the `capacity` best of any number of items: a binary heap with the worst on top, so that rejecting an item
 * costs one comparison.
 */
export class BoundedHeap<T> {
  readonly capacity: number;
  readonly #isBetter: (a: T, b: T) => boolean;
  readonly #items: T[] = [];

  /** `isBetter` must order any two items, or which of them is kept is left to chance. */
  constructor(capacity: number, isBetter: (a: T, b: T) => boolean) {
    this.capacity = capacity;
    this.#isBetter = isBetter;
  }

  get full(): boolean {
    return this.#items.length >= this.capacity;
  }

  /** The worst of the kept items. */
  get worst(): T | undefined {
    return this.#items[0];
  }

  /** In no order. */
  get items(): readonly T[] {
    return this.#items;
  }

  offer(item: T): void {
    if (!this.full) {
      this.#items.push(item);
      this.#rise(this.#items.length - 1);
    } else if (this.capacity > 0 && this.#isBetter(item, this.#items[0]!)) {
      this.#items[0] = item;
      this.#sink();
    }
  }

  /** Best first. */
  ranked(): T[] {
    return [...this.#items].sort((a, b) => (this.#isBetter(a, b) ? -1 : 1));
  }

  #rise(from: number): void {
    const items = this.#items;
    const item = items[from]!;
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isBetter(items[parent]!, item)) break;
      items[at] = items[parent]!;
      at = parent;
    }
    items[at] = item;
  }

  #sink(): void {
    const items = this.#items;
    const item = items[0]!;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.#isBetter(items[child]!, items[child + 1]!)) child++;
      if (!this.#isBetter(item, items[child]!)) break;
      items[at] = items[child]!;
      at = child;
    }
    items[at] = item;
  }
}
