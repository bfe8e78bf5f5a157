// AssemblyScript, for WebAssembly SIMD: figures of rows of logits, and divergences between two rows.
// `../../distribution-scalar.ts` and `../../distribution-divergence.ts` define them, `../distribution-row.ts` and
// `../distribution-pair.ts` drive this: they copy rows in, let them be summed block by block, and add the blocks' records
// up in float64.
//
// Single precision per column. Exponentials are taken relative to the block's own maximum, whose term is exactly 1 and
// is left out of the sum where that maximum is the row's so far: a row's sum is 1 + rest, and rest keeps its digits
// however small it is. Divergences are sums of non-negative terms that are small where the two rows are close.
//
// Two builds: with relaxed SIMD, a product and a sum are one operation. A runtime that lacks it gets the other one.
//
// No allocation and no static data: the driver lays the memory out and passes addresses.

export {
  ROW_RECORD,
  SLACK,
  boundBelow,
  describe,
  largerCount,
  lowestLogit,
  startRow,
  topCount,
} from "./distribution-row";
export { BLOCK, MEMORY_START, RELAXED } from "./vectors";
export { GROUP, PAIR_RECORD, compare, furthestRatio } from "./distribution-pair";
