/**
 * Sums by step whose merging is subject to rounding: kept by unit, so that they do not depend on the order of merging.
 *
 * @module
 */
import { NAME } from "../../core/base/index.ts";
import { emptySums } from "../../core/kernels/index.ts";
import { byKey, KERNEL_SUMS, SumsByKey, unitKind } from "../../core/summaries/index.ts";

/** Kernel sums by pack (`file#pack`), in the order of the batch. */
export class PackSums extends SumsByKey<string, Float64Array> {
  constructor() {
    super(emptySums);
  }

  override sorted(): [pack: string, sums: Float64Array][] {
    return [...this.byKey];
  }
}

export const PACK_UNITS = unitKind<PackSums>(() => new PackSums(), byKey(NAME, KERNEL_SUMS));
