/**
 * Whole sequences, kept for tests that need more than sums: shifts, matches between rows, equal prefixes. Keeps a
 * bounded number of tokens of a run of any size, from the groups with the smallest hashes, so that neither the order of
 * files nor the number of threads matters ("bottom-k": Cohen and Kaplan, PODC 2007).
 *
 * @module
 */
import { KeyHash } from "../../../core/summaries/index.ts";
import { rowHandle, type SampledRow } from "./row.ts";

/**
 * Response tokens kept; a run with no more is kept whole. Every report pays for their diagnosis, so it must cost less
 * than reading them: four times as many take a second.
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
   * The smallest key that was dropped: groups from this key on are not part of the sample. No group below it is ever
   * dropped, in whatever order rows arrive: more rows only make groups larger, and the limit is reached earlier.
   */
  #bound = Number.POSITIVE_INFINITY;

  constructor(limit = SAMPLE_TOKENS) {
    this.#limit = limit;
  }

  /** Whether a group may still be part of the sample. */
  wants(key: number): boolean {
    return key < this.#bound;
  }

  /** Whether `list(most)` contains all rows that were added. */
  isWhole(most = this.#limit): boolean {
    return this.#bound === Number.POSITIVE_INFINITY && this.#tokens <= most;
  }

  /** @param key decides whether the row is kept; rows with the same key are kept or dropped together */
  add(key: number, row: SampledRow): void {
    if (!this.wants(key)) return;
    const group = this.#groups.get(key) ?? { rows: [], tokens: 0 };
    this.#groups.set(key, group);
    group.rows.push(row);
    group.tokens += row.mask.length;
    this.#tokens += row.mask.length;
    // Sorting for every row would cost more than temporarily keeping twice as many.
    if (this.#tokens > 2 * this.#limit) this.#trim();
  }

  /** Groups from this key on are not in the sample: some of it, or of one that was merged, was dropped there. */
  get bound(): number {
    this.#trim();
    return this.#bound;
  }

  /**
   * Ordered independently of the input: by step, rank, file, pack and row.
   *
   * @param most tokens, if fewer than the limit: returns what a sample with this limit would have
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

  /** The first key that exceeds this many tokens. */
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
  // Unknown values come last: if they equaled everything, the order would depend on how rows arrived.
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

/** Key of a row for a sample that keeps whole steps while they fit: the step's hash comes first, then the group's. */
export function stepFirstKey(step: number, group: number): number {
  const lead = Math.floor(new KeyHash().addNumber(step).key() / 2 ** 32);
  return lead * 2 ** 32 + Math.floor(group / 2 ** 21);
}
