/**
 * Whole sequences, kept for tests that need more than sums: shifts, matches between rows, prefixes that are equal. Of
 * a run of any size a bounded number of tokens is kept, those of the groups with the smallest hashes, so that neither
 * the order of files nor the number of threads matters ("bottom-k": Cohen and Kaplan, PODC 2007).
 *
 * @module
 */
import { KeyHash } from "../../../core/summaries/index.ts";
import { rowHandle, type SampledRow } from "./row.ts";

/**
 * Response tokens kept; a run of up to as many is kept whole. Every report pays for their diagnosis, so it must cost less
 * than reading them: of four times as many it is a second.
 */
export const SAMPLE_TOKENS = 100_000;

interface KeptGroup {
  readonly rows: SampledRow[];
  tokens: number;
}

export class RowSample {
  readonly #limit: number;
  readonly #groups = new Map<number, KeptGroup>();
  #tokens = 0;
  /**
   * The smallest key that was dropped: groups from here on are not part of the sample. Of the others none is ever dropped that
   * belongs to it, whatever comes when: with more rows the groups only grow, and the limit is reached earlier.
   */
  #bound = Number.POSITIVE_INFINITY;

  constructor(limit = SAMPLE_TOKENS) {
    this.#limit = limit;
  }

  /** Whether a group may still be part of the sample. */
  wants(key: number): boolean {
    return key < this.#bound;
  }

  /** Whether `list(most)` has all rows that were added. */
  isWhole(most = this.#limit): boolean {
    return this.#bound === Number.POSITIVE_INFINITY && this.#tokens <= most;
  }

  /** @param key what decides whether the row is kept; rows with one key are kept or left together */
  add(key: number, row: SampledRow): void {
    if (!this.wants(key)) return;
    const group = this.#groups.get(key) ?? { rows: [], tokens: 0 };
    this.#groups.set(key, group);
    group.rows.push(row);
    group.tokens += row.mask.length;
    this.#tokens += row.mask.length;
    // Sorting for every row would cost more than keeping twice as many for a while.
    if (this.#tokens > 2 * this.#limit) this.#trim();
  }

  /** Groups from this key on are not in the sample: some of it, or of one that was merged, was dropped there. */
  get bound(): number {
    this.#trim();
    return this.#bound;
  }

  /**
   * In an order that does not depend on that of the input: by step, rank, file, pack and row.
   *
   * @param most tokens, if fewer than the limit: those that a sample with this limit would have
   */
  list(most = this.#limit): SampledRow[] {
    this.#trim();
    const end = this.#keyBeyond(most);
    return [...this.#groups].flatMap(([key, { rows }]) => (key < end ? rows : [])).sort(compareRows);
  }

  /** All that are kept, in any order. */
  rows(): SampledRow[] {
    this.#trim();
    return [...this.#groups.values()].flatMap(({ rows }) => rows);
  }

  #trim(): void {
    const end = this.#keyBeyond(this.#limit);
    if (end < Number.POSITIVE_INFINITY) this.dropFrom(end);
  }

  /** The first key that is too much for so many tokens. */
  #keyBeyond(most: number): number {
    if (this.#tokens <= most) return Number.POSITIVE_INFINITY;
    const keys = [...this.#groups.keys()].sort((a, b) => a - b);
    let kept = 0;
    // One group beyond the limit is better than none.
    const first = keys.findIndex((key, at) => {
      kept += this.#groups.get(key)!.tokens;
      return kept > most && at > 0;
    });
    return keys[first] ?? Number.POSITIVE_INFINITY;
  }

  /** Drops the groups from this key on, as another sample of the run did. */
  dropFrom(bound: number): void {
    this.#bound = Math.min(this.#bound, bound);
    for (const [key, { tokens }] of this.#groups) {
      if (key < this.#bound) continue;
      this.#groups.delete(key);
      this.#tokens -= tokens;
    }
  }
}

/** A total order of a run's sequences. */
export function compareRows(a: SampledRow, b: SampledRow): number {
  // What is not known comes last: were it equal to everything, the order would depend on how the rows came.
  const order = (x: number, y: number): number => {
    if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
    return x - y;
  };
  return (
    order(a.step, b.step) ||
    order(a.rank, b.rank) ||
    compareTexts(a.file, b.file) ||
    order(a.pack, b.pack) ||
    order(a.row, b.row) ||
    compareTexts(rowHandle(a), rowHandle(b))
  );
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Key of a row for a sample that keeps whole steps as long as they fit: the step's hash leads, the group's follows. */
export function stepFirstKey(step: number, group: number): number {
  const lead = Math.floor(new KeyHash().addNumber(step).key() / 2 ** 32);
  return lead * 2 ** 32 + Math.floor(group / 2 ** 21);
}
