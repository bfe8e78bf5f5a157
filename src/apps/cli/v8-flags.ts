import { setFlagsFromString } from "node:v8";

/** Node 20 has relaxed SIMD behind this flag, later versions by default. Kernels ask the runtime whether it is there. */
const RELAXED_SIMD = "--experimental-wasm-relaxed-simd";

/** By V8's version: Node 20, 22 and 24. An unknown flag would make V8 print an error. */
const FLAGS: ReadonlyMap<string, readonly string[]> = new Map([
  ["11.3", ["--interrupt-budget=250000", RELAXED_SIMD]],
  ["12.4", ["--invocation-count-for-turbofan=8000"]],
  ["13.6", ["--invocation-count-for-turbofan=20000"]],
]);

/** A tenth of what V8 puts into one function by default, in bytecode. Tiny functions go in all the same. */
const INLINE_LITTLE = "--max-inlined-bytecode-size-cumulative=100";

/** What tells how a verb spends its time. */
export interface CodeKind {
  /** Its loops over tokens are TypeScript's, whose calls V8 should inline. */
  readonly plainLoops?: boolean | undefined;
}

/** The flags that `setV8Flags` sets in a version of V8; none in one that is not known. */
export function v8Flags(v8: string, { plainLoops = false }: CodeKind = {}): readonly string[] {
  const flags = FLAGS.get(v8.split(".").slice(0, 2).join(".")) ?? [];
  return plainLoops || flags.length === 0 ? flags : [...flags, INLINE_LITTLE];
}

/**
 * Has V8 optimize a function later than by default (four times as late with Node 20), inline less into it, and use relaxed
 * SIMD in WebAssembly.
 *
 * The optimizing compiler, which runs on threads of its own, would take up to half of a small run's CPU time, mostly for
 * functions that are called a few times more. Long loops are still optimized. Where those are in WebAssembly, little is
 * left for which inlining pays.
 *
 * Node's own modules are in V8's code cache, which V8 refuses from the first flag on: what a verb needs of them should be
 * loaded before.
 */
export function setV8Flags(kind: CodeKind = {}): void {
  for (const flag of v8Flags(process.versions.v8, kind)) setFlagsFromString(flag);
}
