import type { Codec } from "../../base/codec.ts";
import { FIELDS } from "../../kernels/layout.ts";
import { mergeSums } from "../../kernels/merge.ts";
import { contents, type Layout } from "./layout.ts";

/**
 * Part of the version of everything that stores kernel sums. Fields are only ever added, so their number tells layouts
 * apart.
 */
export const KERNEL_REVISION = FIELDS - 33;

const NUMBERS: Codec<Float64Array> = {
  text: `${FIELDS} kernel sums`,
  write: (sums, to) => to.floats(sums),
  read: (from) => from.floats(FIELDS),
};

/** A row of sums in the order of `kernels/layout.ts`; merging rounds some of them. */
export const KERNEL_SUMS: Layout<Float64Array> = contents(NUMBERS, (sums) => sums, mergeSums);
