import type { CountedGroups } from "../kernels/wasm/tokens-kernel.ts";
import { type BinnedArrays, BinnedSums } from "./binned-sums.ts";

/** Σ Δ, Σ |Δ| and Σ k3, which round, and must not depend on the order. */
export const SUMS = 3;

/** Sums as arrays, each in memory of its own, which can be moved to another thread. */
export interface GroupArrays {
  readonly counts: Float64Array<ArrayBuffer>;
  readonly largest: Float64Array<ArrayBuffer>;
  readonly sums: BinnedArrays;
}

/** Sums of groups from a first one on, which do not depend on the order in which they were added. */
export class SettledGroups {
  first = 0;
  /** Tokens and max |Δ|. */
  counts = new Float64Array(0);
  largest = new Float64Array(0);
  /** {@link SUMS} places for each group. */
  sums = new BinnedSums();

  /** Empties the sums, and reuses them for as many groups from `first` on. */
  moveTo(first: number): void {
    this.first = first;
    this.counts.fill(0);
    this.largest.fill(0);
    this.sums.clear();
  }

  /** Grows to the groups below `end`; never shrinks. */
  grow(end: number): void {
    const groups = end - this.first;
    if (groups <= this.counts.length) return;
    const room = Math.max(groups, 2 * this.counts.length);
    const [counts, largest] = [this.counts, this.largest];
    this.counts = new Float64Array(room);
    this.counts.set(counts);
    this.largest = new Float64Array(room);
    this.largest.set(largest);
    this.sums.grow(room * SUMS);
  }

  /** Adds rows `[from, to)`, for whose groups there is room. */
  addRows({ groups, tokens, sums, largest }: CountedGroups, from: number, to: number): void {
    const { counts, largest: most, first } = this;
    for (let row = from; row < to; row++) {
      const group = groups[row]! - first;
      counts[group] = counts[group]! + tokens[row]!;
      if (largest[row]! > most[group]!) most[group] = largest[row]!;
    }
    this.sums.addRows(groups, first, sums, SUMS, from, to);
  }

  /** Groups with at least one token, in ascending order. */
  groups(): Int32Array {
    const { counts, first } = this;
    let size = 0;
    for (let i = 0; i < counts.length; i++) if (counts[i]! > 0) size++;
    const groups = new Int32Array(size);
    size = 0;
    for (let i = 0; i < counts.length; i++) if (counts[i]! > 0) groups[size++] = first + i;
    return groups;
  }
}
