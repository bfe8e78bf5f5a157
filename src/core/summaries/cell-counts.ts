/**
 * Counts by cell, a number that is the upper bits of a float32.
 *
 * Each step, rank and environment of a run has one. Most hold either a handful of values or a great many, so values
 * start as a list, and pages of counters are made when they no longer fit.
 *
 * @module
 */
import type { CountedCells } from "../kernels/wasm/tokens-kernel.ts";

/** Sign and exponent, the page of a cell. */
const PAGES = 512;
/** All bits of a float32 but its sign. */
const MAGNITUDE = 0x7fffffff;
const NO_PAGE = new Uint32Array(0);

/** Cells or counts as a kernel lists them, or as they are read from bytes. */
type CellArray = Uint32Array | Float64Array;

/** |Δ| in nats beyond which tokens are counted one by one; 0.693 is a factor of two, 2.303 of ten. */
export const TAIL_THRESHOLDS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 0.5, 1, 2, 5, 10, 20] as const;
/**
 * Δ in nats below which a token is catastrophic: ρ < 1e-4, what slime's `rs_catastrophic_token_fraction` counts by default
 * (`examples/train_infer_mismatch_helper/mis.py`).
 */
export const CATASTROPHIC_DELTA = Math.log(1e-4);
/**
 * |Δ| in nats from which ρ is outside [1/2, 2]: log 2, rounded up to where a cell of a full sketch ends (ρ = 2.0004),
 * so that counting tokens and asking a sketch give the same number.
 */
export const TWOFOLD_DELTA = 1420 / 2048;
const SIGNED_THRESHOLDS: readonly number[] = [
  ...TAIL_THRESHOLDS,
  ...TAIL_THRESHOLDS.map((value) => -value),
  CATASTROPHIC_DELTA,
];

const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/** Bits of the largest float32 up to `magnitude`; larger values are beyond it. */
function readWord(magnitude: number): number {
  float[0] = magnitude;
  return bits[0]! - (float[0] > magnitude ? 1 : 0);
}

const WORDS = SIGNED_THRESHOLDS.map((threshold) => readWord(Math.abs(threshold)));

/**
 * For each threshold, the bits of the largest float32 up to its magnitude, and of its sign: for kernels that count as
 * {@link CellCounts} does.
 */
export const THRESHOLD_WORDS: readonly (readonly [magnitude: number, sign: number])[] = WORDS.map(
  (word, slot) => [word, SIGNED_THRESHOLDS[slot]! < 0 ? 0x80000000 : 0],
);

/** The cells of each page that hold a threshold, at most two; -1 if there are fewer. */
interface ThresholdCells {
  readonly first: Int16Array;
  readonly second: Int16Array;
}

function findPage(threshold: number, word: number): number {
  return (word >>> 23) | (threshold < 0 ? 256 : 0);
}

const SLOT_PAGES = SIGNED_THRESHOLDS.map((threshold, slot) => findPage(threshold, WORDS[slot]!));

function findThresholdCells(mantissaBits: number): ThresholdCells {
  const found = { first: new Int16Array(PAGES).fill(-1), second: new Int16Array(PAGES).fill(-1) };
  for (const [slot, word] of WORDS.entries()) {
    const page = SLOT_PAGES[slot]!;
    const cells = found.first[page] === -1 ? found.first : found.second;
    cells[page] = (word >>> (23 - mantissaBits)) & ((1 << mantissaBits) - 1);
  }
  return found;
}

/** By bits of the mantissa; shared, since a run has thousands of {@link CellCounts}. */
const THRESHOLD_CELLS = { 7: findThresholdCells(7), 10: findThresholdCells(10) } as const;

/** Cells, ascending, and the number of values in each. */
export interface ListedCells {
  readonly cells: Uint32Array;
  readonly counts: Float64Array;
}

/** Longest list of values: for the values of a usual run, pages take no more memory from about here on. */
const MOST_LISTED = 2048;

/** The index of the first of ascending numbers that is at least `value`. */
export function findFirst(ascending: ArrayLike<number>, value: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function countFilled(page: Uint32Array | undefined): number {
  let filled = 0;
  if (page !== undefined) for (let at = 0; at < page.length; at++) if (page[at] !== 0) filled++;
  return filled;
}

/** The sum of `counts[from, to)`, or of the first of them that are at least `enough`. */
function sumUpTo(counts: CellArray, from: number, to: number, enough: number): number {
  let sum = 0;
  for (let at = from; at < to && sum < enough; at++) sum += counts[at]!;
  return sum;
}

/**
 * Lists each cell as often as it was counted, `size` values in all, in an array of that size: one that grows leaves
 * several times as much behind, and a run has one for each step.
 */
function listEach(cells: CellArray, counts: CellArray, from: number, to: number, size: number): number[] {
  const listed = new Array<number>(size);
  for (let at = from, next = 0; at < to; at++)
    for (let left = counts[at]!; left > 0; left--) listed[next++] = cells[at]!;
  return listed;
}

/** The distinct cells in `[from, to)` of an ascending list, and how often each occurs. */
function countEqual(ascending: readonly number[], from: number, to: number): ListedCells {
  const [start, end] = [findFirst(ascending, from), findFirst(ascending, to)];
  const [cells, counts] = [new Uint32Array(end - start), new Float64Array(end - start)];
  let size = 0;
  for (let i = start; i < end; i++) {
    const cell = ascending[i]!;
    if (size === 0 || cells[size - 1] !== cell) cells[size++] = cell;
    counts[size - 1]!++;
  }
  return { cells: cells.subarray(0, size), counts: counts.subarray(0, size) };
}

export class CellCounts {
  readonly #mantissaBits: 7 | 10;
  readonly #thresholds: ThresholdCells;
  /**
   * For each of {@link SIGNED_THRESHOLDS}, how many values of its cell lie beyond it. Undefined after a merge with
   * counts that lack it.
   */
  #beyond: Float64Array | undefined = new Float64Array(SIGNED_THRESHOLDS.length);
  /** A cell per value; undefined once there are pages. */
  #listed: number[] | undefined = [];
  /** Whether `#listed` is ascending, as a kernel's counts arrive. */
  #ascends = true;
  #pages: (Uint32Array | undefined)[] = [];

  constructor(mantissaBits: 7 | 10) {
    this.#mantissaBits = mantissaBits;
    this.#thresholds = THRESHOLD_CELLS[mantissaBits];
  }

  /**
   * How many of the values in the cell of a {@link TAIL_THRESHOLDS} entry lie beyond it (further from 0, same sign);
   * undefined for other thresholds, and if these values were not counted.
   */
  countBeyond(threshold: number): number | undefined {
    const slot = SIGNED_THRESHOLDS.indexOf(threshold);
    return slot < 0 ? undefined : this.#beyond?.[slot];
  }

  /** {@link countBeyond} of all thresholds, the positive ones first; undefined if these values were not counted. */
  get beyond(): readonly number[] | undefined {
    return this.#beyond && [...this.#beyond];
  }

  set beyond(counts: readonly number[] | undefined) {
    this.#beyond = counts && Float64Array.from(SIGNED_THRESHOLDS, (_, i) => counts[i] ?? 0);
  }

  /** Counts the cells of the finite values among `words[from, to)`, bits of float32; returns how many are finite. */
  addWords(words: Uint32Array, from: number, to: number): number {
    const shift = 23 - this.#mantissaBits;
    const pageMask = (1 << this.#mantissaBits) - 1;
    const { first, second } = this.#thresholds;
    const listed = this.#listed;
    if (listed !== undefined && listed.length + to - from <= MOST_LISTED) {
      const before = listed.length;
      for (let i = from; i < to; i++) {
        const word = words[i]!;
        const pageIndex = word >>> 23;
        if ((pageIndex & 255) === 255) continue;
        const cell = (word >>> shift) & pageMask;
        if (cell === first[pageIndex] || cell === second[pageIndex]) this.#noteBeyond(word);
        this.#push(listed, word >>> shift);
      }
      return listed.length - before;
    }
    const pages = this.#paged();
    let added = 0;
    for (let i = from; i < to; i++) {
      const word = words[i]!;
      const pageIndex = word >>> 23;
      if ((pageIndex & 255) === 255) continue;
      const page = pages[pageIndex] ?? this.#page(pages, pageIndex);
      const cell = (word >>> shift) & pageMask;
      page[cell] = page[cell]! + 1;
      if (cell === first[pageIndex] || cell === second[pageIndex]) this.#noteBeyond(word);
      added++;
    }
    return added;
  }

  /** Adds the finite value with the bits `word`. */
  addWord(word: number): void {
    this.add(word >>> (23 - this.#mantissaBits));
    this.#noteBeyond(word);
  }

  /** Counts a value for each threshold in its cell that it is beyond. */
  #noteBeyond(word: number): void {
    const beyond = this.#beyond;
    const shift = 23 - this.#mantissaBits;
    const page = word >>> 23;
    const cell = (word & MAGNITUDE) >>> shift;
    if (beyond === undefined) return;
    for (let slot = 0; slot < WORDS.length; slot++) {
      const limit = WORDS[slot]!;
      if (SLOT_PAGES[slot] === page && limit >>> shift === cell && (word & MAGNITUDE) > limit)
        beyond[slot] = beyond[slot]! + 1;
    }
  }

  /** Adds `count` values of one cell, and nothing to {@link countBeyond}. */
  add(cell: number, count = 1): void {
    if (this.#listed !== undefined && this.#listed.length + count <= MOST_LISTED) {
      for (let i = 0; i < count; i++) this.#push(this.#listed, cell);
      return;
    }
    const pages = this.#paged();
    const pageIndex = cell >>> this.#mantissaBits;
    const page = pages[pageIndex] ?? this.#page(pages, pageIndex);
    const at = cell & ((1 << this.#mantissaBits) - 1);
    page[at] = page[at]! + count;
  }

  /** Like {@link add}, for ascending `cells[from, to)` with their counts; returns the number of values. */
  addListed(cells: CellArray, counts: CellArray, from: number, to: number): number {
    if (this.#listed?.length === 0) {
      const size = sumUpTo(counts, from, to, MOST_LISTED + 1);
      if (size <= MOST_LISTED) {
        this.#listed = listEach(cells, counts, from, to, size);
        return size;
      }
    }
    let at = from;
    let added = 0;
    // As long as they may fit into the list.
    for (; at < to && this.#listed !== undefined; at++) {
      this.add(cells[at]!, counts[at]!);
      added += counts[at]!;
    }
    const mask = (1 << this.#mantissaBits) - 1;
    let page: Uint32Array = NO_PAGE;
    for (let pageIndex = -1; at < to; at++) {
      const cell = cells[at]!;
      if (cell >>> this.#mantissaBits !== pageIndex) {
        pageIndex = cell >>> this.#mantissaBits;
        page = this.#pages[pageIndex] ?? this.#page(this.#pages, pageIndex);
      }
      page[cell & mask] = page[cell & mask]! + counts[at]!;
      added += counts[at]!;
    }
    return added;
  }

  /** Adds a kernel's counts in cells of the same width; returns the number of values. */
  addCounted({ list, beyond }: CountedCells): number {
    const { cells, counts } = list();
    for (let slot = 0; this.#beyond !== undefined && slot < beyond.length; slot++)
      this.#beyond[slot] = this.#beyond[slot]! + beyond[slot]!;
    return this.addListed(cells, counts, 0, cells.length);
  }

  merge(other: CellCounts): void {
    this.mergeBeyond(other.#beyond);
    if (other.#listed !== undefined) {
      if (this.#listed?.length === 0) [this.#listed, this.#ascends] = [other.#listed.slice(), other.#ascends];
      else for (const cell of other.#listed) this.add(cell);
      return;
    }
    const pages = this.#paged();
    other.#pages.forEach((theirs, index) => {
      if (!theirs) return;
      const ours = pages[index] ?? this.#page(pages, index);
      for (let at = 0; at < ours.length; at++) ours[at] = ours[at]! + theirs[at]!;
    });
  }

  /** Adds other counts beyond thresholds; undefined when they have none. */
  mergeBeyond(theirs: Float64Array | undefined): void {
    const ours = this.#beyond;
    if (theirs === undefined) this.#beyond = undefined;
    else if (ours !== undefined) {
      const slots = Math.min(ours.length, theirs.length);
      for (let slot = 0; slot < slots; slot++) ours[slot] = ours[slot]! + theirs[slot]!;
    }
  }

  /** Non-empty cells `[from, to)`, whole pages, and their counts, in ascending order. */
  list(from = 0, to = PAGES << this.#mantissaBits): ListedCells {
    if (this.#listed !== undefined) return countEqual(this.#sorted(this.#listed), from, to);
    const [first, last] = [from >>> this.#mantissaBits, to >>> this.#mantissaBits];
    let size = 0;
    for (let index = first; index < last; index++) size += countFilled(this.#pages[index]);
    const [cells, counts] = [new Uint32Array(size), new Float64Array(size)];
    let next = 0;
    for (let index = first; index < last; index++) {
      const page = this.#pages[index];
      if (page === undefined) continue;
      for (let at = 0; at < page.length; at++) {
        const count = page[at]!;
        if (count === 0) continue;
        cells[next] = (index << this.#mantissaBits) | at;
        counts[next++] = count;
      }
    }
    return { cells, counts };
  }

  /** The first non-empty cell of `[from, to)`, whole pages. */
  first(from: number, to: number): number | undefined {
    if (this.#listed !== undefined) {
      const listed = this.#sorted(this.#listed);
      const cell = listed[findFirst(listed, from)];
      return cell !== undefined && cell < to ? cell : undefined;
    }
    const last = to >>> this.#mantissaBits;
    for (let index = from >>> this.#mantissaBits; index < last; index++) {
      const at = this.#pages[index]?.findIndex((count) => count > 0) ?? -1;
      if (at >= 0) return (index << this.#mantissaBits) | at;
    }
    return undefined;
  }

  #push(listed: number[], cell: number): void {
    if (cell < listed[listed.length - 1]!) this.#ascends = false;
    listed.push(cell);
  }

  #sorted(listed: number[]): readonly number[] {
    if (this.#ascends) return listed;
    // Typed arrays sort numbers by value, and faster.
    const sorted = Uint32Array.from(listed).sort();
    for (let i = 0; i < sorted.length; i++) listed[i] = sorted[i]!;
    this.#ascends = true;
    return listed;
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
