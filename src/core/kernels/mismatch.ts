/**
 * The fused pass over rollout log-probs, trainer log-probs and mask: all token-level sums of a block, by row and by
 * turn, in one pass over the data.
 *
 * Chunks of tokens are copied into WebAssembly memory and summed there in single precision per token. Cases beyond its
 * six digits (extreme or infinite values, nearly constant Δ) go to the reference implementation, `scalar.ts`.
 *
 * @module
 */
import { scalarMismatchSums } from "./scalar-table.ts";
import type { MismatchOptions, MismatchTable, TokenBlock } from "./token-block.ts";
import { mismatchKernel } from "./wasm/kernel.ts";
import { wasmMismatchSums } from "./wasm/pass.ts";

export type { MaskedTokens, MismatchOptions, MismatchTable, RowSums, TokenBlock } from "./token-block.ts";

/**
 * Sums every field of `layout.ts` over the masked-in tokens of each row and of each turn.
 *
 * Every figure that `derive.ts` makes of them agrees with a float64 computation from the same log-probs to 1e-5
 * relative or better, at any scale of mismatch.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { k1, mismatchSums } from "logratio/kernels";
 *
 * const { rows, turnRows } = mismatchSums({
 *   rollout: Float32Array.of(-0.5, -1, -9, -2),
 *   trainer: Float32Array.of(-0.25, -1.5, -9, -1),
 *   mask: Uint8Array.of(1, 1, 0, 1),
 *   offsets: Int32Array.of(0, 4),
 * });
 * assert.equal(k1(rows), -0.25); // nats
 * assert.deepEqual([...turnRows], [1, 1]);
 * ```
 *
 * @param block packed sequences: `[tokens]` log-probs (nats) and mask, `[rows + 1]` offsets
 * @returns tables of sums, one vector of `FIELDS` numbers per row and per turn; `k1`, `effectiveSampleSize` and similar
 * functions compute figures from them
 * @throws LengthMismatchError if the columns differ in length or the offsets reach beyond them.
 * @throws UsageError if offsets decrease, if a token of the mask is in no turn of `turnMask`, or if the row range is
 * not within the block.
 */
export function mismatchSums(block: TokenBlock, options: MismatchOptions = {}): MismatchTable {
  const single = block.rollout instanceof Float32Array && block.trainer instanceof Float32Array;
  const isPlain = !single || block.turnMask !== undefined || options.engine === "scalar";
  const kernel = isPlain ? undefined : mismatchKernel();
  return kernel ? wasmMismatchSums(kernel, block, options) : scalarMismatchSums(block, options);
}
