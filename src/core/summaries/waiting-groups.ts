import type { CountedGroups } from "../kernels/wasm/tokens-kernel.ts";

/** Groups whose sums fit a cache of half a megabyte, with what is added to them. */
export const BLOCK = 2 ** 11;
/** Limit on waiting groups: 5 MB of them. */
const MOST_WAITING = 2 ** 17;
const LEAST_ROOM = 2 ** 12;

/**
 * Sums of groups that wait to be added up, one block of groups at a time.
 *
 * The sums of a vocabulary do not fit any cache, and each unit (a batch, a shard) has tokens all over the vocabulary: added unit
 * by unit, nearly every group's sums would come from memory.
 *
 *     a unit ──► open(count), a row for each of its groups, close(end) ──┐
 *     a unit ──► …                                                       ├─► eachBlock: rows of groups 0 to 2047 of each unit,
 *     a unit ──► …                                                       ┘   then of groups 2048 to 4095 of each, …
 */
export class WaitingGroups implements CountedGroups {
  groups = new Int32Array(0);
  tokens = new Float64Array(0);
  sums = new Float64Array(0);
  largest = new Float32Array(0);
  #rows = 0;
  /** Where the rows of each unit end. */
  #ends: number[] = [];
  #limit = 0;

  /** One more than the largest group that waits; 0 if none does. */
  get limit(): number {
    return this.#limit;
  }

  get rows(): number {
    return this.#rows;
  }

  get units(): number {
    return this.#ends.length;
  }

  /** Whether the rows of another unit fit. */
  hasRoom(count: number): boolean {
    return this.#rows + count <= MOST_WAITING;
  }

  /** Makes room for the rows of a unit, whose groups ascend; returns the first one. */
  open(count: number): number {
    const needed = this.#rows + count;
    if (needed > this.groups.length) {
      const room = Math.max(needed, Math.min(2 * needed, MOST_WAITING), LEAST_ROOM);
      const [groups, tokens, sums, largest] = [this.groups, this.tokens, this.sums, this.largest];
      this.groups = new Int32Array(room);
      this.groups.set(groups);
      this.tokens = new Float64Array(room);
      this.tokens.set(tokens);
      this.sums = new Float64Array(3 * room);
      this.sums.set(sums);
      this.largest = new Float32Array(room);
      this.largest.set(largest);
    }
    return this.#rows;
  }

  /** @param end where the rows that were written since {@link open} end */
  close(end: number): void {
    if (end === this.#rows) return;
    this.#rows = end;
    this.#ends.push(end);
    this.#limit = Math.max(this.#limit, this.groups[end - 1]! + 1);
  }

  clear(): void {
    this.#rows = 0;
    this.#ends = [];
    this.#limit = 0;
  }

  /** Calls `add` with the rows of each unit's groups in a block of groups, then with those in the next one. */
  eachBlock(add: (from: number, to: number, firstGroup: number) => void): void {
    const ends = this.#ends;
    const next = Int32Array.from(ends, (_, unit) => ends[unit - 1] ?? 0);
    for (let first = 0; first < this.#limit; first += BLOCK) {
      for (let unit = 0; unit < next.length; unit++) {
        const from = next[unit]!;
        const to = findEnd(this.groups, from, ends[unit]!, first + BLOCK);
        next[unit] = to;
        if (to > from) add(from, to, first);
      }
    }
  }
}

/** The first row of `[from, to)` whose group is not below `limit`. */
function findEnd(groups: Int32Array, from: number, to: number, limit: number): number {
  let at = from;
  while (at < to && groups[at]! < limit) at++;
  return at;
}
