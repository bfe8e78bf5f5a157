import { setFlagsFromString } from "node:v8";

/** Node 20 has relaxed SIMD behind this flag, later versions by default. Kernels ask the runtime whether it is there. */
const RELAXED_SIMD = "--experimental-wasm-relaxed-simd";

/** By V8's version: Node 20, 22 and 24. An unknown flag would make V8 print an error. */
const FLAGS: ReadonlyMap<string, readonly string[]> = new Map([
  ["11.3", ["--interrupt-budget=400000", RELAXED_SIMD]],
  ["12.4", ["--invocation-count-for-turbofan=20000"]],
  ["13.6", ["--invocation-count-for-turbofan=20000"]],
]);

/** The flags that `setV8Flags` sets in a version of V8; none in one that is not known. */
export function v8Flags(v8: string): readonly string[] {
  return FLAGS.get(v8.split(".").slice(0, 2).join(".")) ?? [];
}

/**
 * Has V8 optimize a function about six times as late as by default, and use relaxed SIMD in WebAssembly.
 *
 * The optimizing compiler, which runs on threads of its own, would take up to half of a small run's CPU time, mostly for
 * functions that are called a few times more. Long loops are still optimized.
 */
export function setV8Flags(): void {
  for (const flag of v8Flags(process.versions.v8)) setFlagsFromString(flag);
}
