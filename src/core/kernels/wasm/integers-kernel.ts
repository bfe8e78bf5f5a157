import { INTEGERS_WASM } from "./integers.generated.ts";
import { compileOnce } from "./kernel.ts";

/** The exports of assembly/integers.ts, with addresses as views. */
export interface IntegersKernel {
  /** Integers per chunk. */
  readonly chunk: number;
  /** `[2 × chunk]`: halves of integers, the lower one first. */
  readonly wideIn: Int32Array;
  readonly narrowed: Int32Array;
  /** @param isSigned 1, or 0 for integers without a sign */
  readonly narrow: (count: number, isSigned: number) => number;
}

type IntegersExports = Pick<IntegersKernel, "narrow"> &
  Readonly<Record<"CHUNK" | "WIDE_IN" | "NARROW", { readonly value: number }>> & {
    readonly memory: { readonly buffer: ArrayBuffer };
  };

/** The kernel; undefined if it cannot run. */
export const integersKernel = compileOnce(INTEGERS_WASM, (exports) =>
  wrapIntegersKernel(exports as IntegersExports),
);

function wrapIntegersKernel(exports: IntegersExports): IntegersKernel {
  const { buffer } = exports.memory;
  const chunk = exports.CHUNK.value;
  return {
    chunk,
    wideIn: new Int32Array(buffer, exports.WIDE_IN.value, 2 * chunk),
    narrowed: new Int32Array(buffer, exports.NARROW.value, chunk),
    narrow: exports.narrow,
  };
}
