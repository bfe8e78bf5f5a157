import type { TokenBlock } from "../../core/kernels/index.ts";

/**
 * slime's reducer: the mean over a sequence's tokens with mask 1, then over sequences; a sequence without any counts as 0
 * (`get_sum_of_sample_mean` of slime's cp_utils.py with one sample per rollout, divided by the batch's samples).
 */
export class SampleMeans {
  readonly #sums = new Map<string, number>();
  #rows = 0;

  addRows(count: number): void {
    this.#rows += count;
  }

  /** Adds Σ value·kept / max(Σ mask, 1) of every sequence; `kept` is the block's mask unless given. */
  add(
    key: string,
    { mask, offsets }: TokenBlock,
    valueAt: (token: number) => number,
    kept: Uint8Array = mask,
  ): void {
    let total = 0;
    for (let row = 0; row + 1 < offsets.length; row++) {
      let sum = 0;
      let count = 0;
      for (let t = offsets[row]!; t < offsets[row + 1]!; t++) {
        if (mask[t] !== 0) count++;
        if (kept[t] !== 0) sum += valueAt(t);
      }
      total += sum / Math.max(count, 1);
    }
    this.addSum(key, total);
  }

  /** Adds values already summed over sequences. */
  addSum(key: string, sum: number): void {
    this.#sums.set(key, (this.#sums.get(key) ?? 0) + sum);
  }

  /** The means under `prefix` + key. */
  finish(prefix: string): Readonly<Record<string, number>> {
    const rows = Math.max(this.#rows, 1);
    return Object.fromEntries([...this.#sums].map(([key, sum]) => [prefix + key, sum / rows]));
  }
}
