import { setFlagsFromString } from "node:v8";

/** Node 20 has relaxed SIMD behind this flag, later versions by default. Kernels ask the runtime whether it is there. */
const RELAXED_SIMD = "--experimental-wasm-relaxed-simd";

/** By V8 version: Node 20, 22 and 24. An unknown flag would make V8 print an error. */
const FLAGS: ReadonlyMap<string, readonly string[]> = new Map([
  ["11.3", ["--interrupt-budget=250000", RELAXED_SIMD]],
  ["12.4", ["--invocation-count-for-turbofan=8000"]],
  ["13.6", ["--invocation-count-for-turbofan=20000"]],
]);

/** A tenth of the bytecode that V8 inlines into one function by default. Tiny functions are inlined anyway. */
const INLINE_LITTLE = "--max-inlined-bytecode-size-cumulative=100";

/** How a verb spends its time. */
export interface CodeKind {
  /** Whether its loops over tokens are in TypeScript, whose calls V8 should inline. */
  readonly plainLoops?: boolean | undefined;
}

/** The flags that `setV8Flags` sets for a version of V8; none for an unknown one. */
export function v8Flags(v8: string, { plainLoops = false }: CodeKind = {}): readonly string[] {
  const flags = FLAGS.get(v8.split(".").slice(0, 2).join(".")) ?? [];
  return plainLoops || flags.length === 0 ? flags : [...flags, INLINE_LITTLE];
}

/**
 * Makes V8 optimize functions later than by default (four times as late with Node 20), inline less, and use relaxed
 * SIMD in WebAssembly.
 *
 * The optimizing compiler, which has its own threads, would take up to half of a small run's CPU time, mostly for
 * functions that are called only a few more times. Long loops are still optimized. If those are in WebAssembly, there
 * is little left that benefits from inlining.
 *
 * Node's own modules are in V8's code cache, which V8 rejects once a flag is set: load what a verb needs of them first.
 */
export function setV8Flags(kind: CodeKind = {}): void {
  for (const flag of v8Flags(process.versions.v8, kind)) setFlagsFromString(flag);
}
