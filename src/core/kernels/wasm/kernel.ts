import { MISMATCH_WASM } from "./mismatch.generated.ts";

/** The exports of assembly/mismatch.ts, with addresses as views. */
export interface MismatchKernel {
  /** Tokens that fit in one chunk. */
  readonly chunk: number;
  readonly rolloutIn: Float32Array;
  readonly trainerIn: Float32Array;
  readonly maskIn: Uint8Array;
  readonly offsetsIn: Int32Array;
  readonly slotRollout: Float32Array;
  readonly slotTrainer: Float32Array;
  readonly slotIndex: Int32Array;
  readonly slotDelta: Float32Array;
  readonly slotProbDiff: Float32Array;
  readonly slotK3: Float32Array;
  readonly segmentRow: Int32Array;
  readonly segmentStart: Int32Array;
  readonly leftPosition: Int32Array;
  readonly leftSegment: Int32Array;
  readonly records: Float64Array;
  compact(rows: number, base: number, turns: number, continued: number): number;
  leftCount(): number;
  accumulate(): void;
}

/** The module's raw exports. */
export type KernelExports = Record<string, { readonly value: number }> & {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly compact: MismatchKernel["compact"];
  readonly leftCount: MismatchKernel["leftCount"];
  readonly accumulate: MismatchKernel["accumulate"];
};

/** The part of the WebAssembly namespace used here; its types are in no library that `src` may rely on. */
interface WebAssemblyNamespace {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
  validate(bytes: Uint8Array): boolean;
  instantiate(bytes: Uint8Array): Promise<{ readonly instance: { readonly exports: unknown } }>;
}

let kernel: MismatchKernel | undefined;
let failed = false;

/**
 * Compiles the WebAssembly kernel without blocking. Only browsers that refuse to compile on the main thread need this;
 * elsewhere the first use compiles it (about a millisecond).
 *
 * @returns whether the kernel runs here. Without SIMD, everything falls back on the reference implementation.
 */
export async function initKernels(): Promise<boolean> {
  if (kernel) return true;
  try {
    const { instance } = await webAssembly().instantiate(decodeBase64(MISMATCH_WASM));
    kernel ??= wrapKernel(instance.exports as KernelExports);
    return true;
  } catch {
    failed = true;
    return false;
  }
}

/** The kernel, compiled on first use; undefined if it cannot run. */
export function mismatchKernel(): MismatchKernel | undefined {
  if (kernel || failed) return kernel;
  try {
    const { Module, Instance } = webAssembly();
    kernel = wrapKernel(new Instance(new Module(decodeBase64(MISMATCH_WASM))).exports as KernelExports);
  } catch {
    failed = true;
  }
  return kernel;
}

export function webAssembly(): WebAssemblyNamespace {
  return (globalThis as unknown as { WebAssembly: WebAssemblyNamespace }).WebAssembly;
}

/**
 * A kernel that is compiled on its first use.
 *
 * @param encoded the module, in base64
 * @param wrap its exports, with addresses as views
 * @returns the kernel, the same each time; undefined if it cannot run here
 */
export function compileOnce<K>(encoded: string, wrap: (exports: unknown) => K): () => K | undefined {
  let compiled: K | undefined;
  let failed = false;
  return () => {
    if (compiled !== undefined || failed) return compiled;
    try {
      const { Module, Instance } = webAssembly();
      compiled = wrap(new Instance(new Module(decodeBase64(encoded))).exports);
    } catch {
      failed = true;
    }
    return compiled;
  };
}

export function decodeBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** Wraps a module's exports as a kernel. */
export function wrapKernel(exports: KernelExports): MismatchKernel {
  const { buffer } = exports.memory;
  const chunk = exports.CHUNK!.value;
  const floats = (name: string): Float32Array => new Float32Array(buffer, exports[name]!.value, chunk);
  const integers = (name: string): Int32Array => new Int32Array(buffer, exports[name]!.value, chunk + 2);
  return {
    chunk,
    rolloutIn: floats("ROLLOUT_IN"),
    trainerIn: floats("TRAINER_IN"),
    maskIn: new Uint8Array(buffer, exports.MASK_IN!.value, chunk),
    offsetsIn: integers("OFFSETS_IN"),
    slotRollout: floats("SLOT_ROLLOUT"),
    slotTrainer: floats("SLOT_TRAINER"),
    slotIndex: integers("SLOT_INDEX"),
    slotDelta: floats("SLOT_DELTA"),
    slotProbDiff: floats("SLOT_PROB_DIFF"),
    slotK3: floats("SLOT_K3"),
    segmentRow: integers("SEGMENT_ROW"),
    segmentStart: integers("SEGMENT_START"),
    leftPosition: integers("LEFT_POSITION"),
    leftSegment: integers("LEFT_SEGMENT"),
    records: new Float64Array(buffer, exports.RECORDS!.value),
    compact: exports.compact,
    leftCount: exports.leftCount,
    accumulate: exports.accumulate,
  };
}
