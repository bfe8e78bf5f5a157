import type { Codec } from "../../core/base/index.ts";
import {
  byKey,
  type Keyed,
  type Layout,
  MismatchSummary,
  MOST_SLICE_CLUSTERS,
  SumsByKey,
} from "../../core/summaries/index.ts";

/** Approximate memory of an empty slice. */
const SLICE_BYTES = 1 << 12;

export function makeSlice(): MismatchSummary {
  return new MismatchSummary({ detail: "slice", clusters: MOST_SLICE_CLUSTERS });
}

/** Summaries by the value of a column, made when a value first occurs. */
export class Slices<K extends string | number> extends SumsByKey<K, MismatchSummary> {
  constructor() {
    super(makeSlice);
  }
}

export function slicesBy<K extends string | number>(key: Codec<K>): Layout<Keyed<K, MismatchSummary>> {
  return byKey(key, MismatchSummary.layout, SLICE_BYTES);
}
