import { initKernels as initMismatchKernel } from "./wasm/kernel.ts";
import { initTokensKernel } from "./wasm/tokens-kernel.ts";

/**
 * Compiles the WebAssembly kernels without blocking. Only browsers that refuse to compile on the main thread need
 * this; elsewhere the first use compiles them (a few milliseconds).
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { initKernels } from "logratio/kernels";
 *
 * assert.equal(await initKernels(), true); // Node has SIMD
 * ```
 *
 * @returns whether the kernels run here; without SIMD they do not, and the reference implementations do all the work.
 */
export async function initKernels(): Promise<boolean> {
  // Late: reports have no distributions.
  const { initDistributionKernel } = await import("./wasm/distribution-kernel.ts");
  const ready = await Promise.all([initMismatchKernel(), initTokensKernel(), initDistributionKernel()]);
  return ready.every(Boolean);
}
