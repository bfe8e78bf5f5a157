import { CRC32_WASM } from "./crc32.generated.ts";
import { compileOnce } from "./kernel.ts";

/** The exports of assembly/crc32.ts, with addresses as views. */
export interface Crc32Kernel {
  /** Bytes that are left, behind those that `fold` has seen. */
  readonly window: number;
  /** `[chunk]`. */
  readonly bytes: Uint8Array;
  readonly start: () => void;
  /** @param length a multiple of 16 */
  readonly fold: (length: number) => void;
  readonly finish: () => void;
}

type Crc32Exports = Pick<Crc32Kernel, "start" | "fold" | "finish"> &
  Readonly<Record<"CHUNK" | "WINDOW" | "BYTES", { readonly value: number }>> & {
    readonly memory: { readonly buffer: ArrayBuffer };
  };

/** The kernel; undefined if it cannot run. */
export const crc32Kernel = compileOnce(CRC32_WASM, (exports) => wrapCrc32Kernel(exports as Crc32Exports));

function wrapCrc32Kernel(exports: Crc32Exports): Crc32Kernel {
  return {
    window: exports.WINDOW.value,
    bytes: new Uint8Array(exports.memory.buffer, exports.BYTES.value, exports.CHUNK.value),
    start: exports.start,
    fold: exports.fold,
    finish: exports.finish,
  };
}
