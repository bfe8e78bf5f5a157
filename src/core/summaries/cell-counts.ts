/**
 * Counts by cell, a number that is the upper bits of a float32.
 *
 * There is one of these for each step, rank and environment of a run. Most hold either a handful of values or a great
 * many, so the first ones are kept as a list, and pages of counters are made when they no longer fit into it.
 *
 * @module
 */

/** Sign and exponent, which say which page a cell is on. */
const PAGES = 512;
/** Values kept as a list: at about as many, pages take no more memory. */
const MOST_LISTED = 256;

export class CellCounts {
  readonly #mantissaBits: number;
  /** A cell for each value, in the order in which they came; undefined once there are pages. */
  #listed: number[] | undefined = [];
  #pages: (Uint32Array | undefined)[] = [];

  constructor(mantissaBits: number) {
    this.#mantissaBits = mantissaBits;
  }

  /** Counts the cells of those of `words[from, to)`, bits of float32 values, that are finite; returns how many are. */
  addWords(words: Uint32Array, from: number, to: number): number {
    const shift = 23 - this.#mantissaBits;
    const listed = this.#listed;
    if (listed !== undefined && listed.length + to - from <= MOST_LISTED) {
      const before = listed.length;
      for (let i = from; i < to; i++) {
        const word = words[i] as number;
        if (((word >>> 23) & 255) !== 255) listed.push(word >>> shift);
      }
      return listed.length - before;
    }
    const pages = this.#paged();
    const pageMask = (1 << this.#mantissaBits) - 1;
    let added = 0;
    for (let i = from; i < to; i++) {
      const word = words[i] as number;
      const pageIndex = word >>> 23;
      if ((pageIndex & 255) === 255) continue;
      const page = pages[pageIndex] ?? this.#page(pages, pageIndex);
      const cell = (word >>> shift) & pageMask;
      page[cell] = (page[cell] as number) + 1;
      added++;
    }
    return added;
  }

  /** Adds `count` values of one cell. */
  add(cell: number, count = 1): void {
    if (this.#listed !== undefined && this.#listed.length + count <= MOST_LISTED) {
      for (let i = 0; i < count; i++) this.#listed.push(cell);
      return;
    }
    const pages = this.#paged();
    const pageIndex = cell >>> this.#mantissaBits;
    const page = pages[pageIndex] ?? this.#page(pages, pageIndex);
    const at = cell & ((1 << this.#mantissaBits) - 1);
    page[at] = (page[at] as number) + count;
  }

  merge(other: CellCounts): void {
    if (other.#listed !== undefined) {
      for (const cell of other.#listed) this.add(cell);
      return;
    }
    const pages = this.#paged();
    other.#pages.forEach((theirs, index) => {
      if (!theirs) return;
      const ours = pages[index] ?? this.#page(pages, index);
      for (let at = 0; at < ours.length; at++) ours[at] = (ours[at] as number) + (theirs[at] as number);
    });
  }

  /** Non-empty cells `[from, to)` and their counts, in ascending order; in descending order if `from` > `to`. */
  *entries(
    from = 0,
    to = PAGES << this.#mantissaBits,
  ): Generator<readonly [cell: number, count: number], void, undefined> {
    const [low, high] = [Math.min(from, to), Math.max(from, to)];
    if (this.#listed !== undefined) {
      const cells = this.#listed.filter((cell) => cell >= low && cell < high).sort((a, b) => a - b);
      if (from > to) cells.reverse();
      for (let start = 0; start < cells.length; ) {
        const cell = cells[start] as number;
        let end = start + 1;
        while (end < cells.length && cells[end] === cell) end++;
        yield [cell, end - start];
        start = end;
      }
      return;
    }
    const size = 1 << this.#mantissaBits;
    const [lowPage, highPage] = [low >>> this.#mantissaBits, high >>> this.#mantissaBits];
    for (let i = 0; i < highPage - lowPage; i++) {
      const index = from > to ? highPage - 1 - i : lowPage + i;
      const page = this.#pages[index];
      for (let j = 0; page && j < size; j++) {
        const at = from > to ? size - 1 - j : j;
        const count = page[at] as number;
        if (count > 0) yield [(index << this.#mantissaBits) | at, count];
      }
    }
  }

  #paged(): (Uint32Array | undefined)[] {
    const listed = this.#listed;
    if (listed === undefined) return this.#pages;
    this.#listed = undefined;
    this.#pages = new Array(PAGES);
    for (const cell of listed) this.add(cell);
    return this.#pages;
  }

  #page(pages: (Uint32Array | undefined)[], index: number): Uint32Array {
    const page = new Uint32Array(1 << this.#mantissaBits);
    pages[index] = page;
    return page;
  }
}
