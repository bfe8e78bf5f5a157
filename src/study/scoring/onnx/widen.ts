import type { LogitBlock } from "../../../core/kernels/index.ts";
import { decodeElements } from "../../../input/readers/index.ts";

/** A block's logits in single precision; not copied if they already are. */
export function widened({ format, values }: LogitBlock): Float32Array {
  if (values instanceof Float32Array) return values;
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return decodeElements(format, bytes) as Float32Array;
}
