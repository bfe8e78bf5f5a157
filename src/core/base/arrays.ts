/** Typed arrays whose elements are JavaScript numbers (so not the 64-bit integer ones). */
export type NumericArray =
  | Float32Array
  | Float64Array
  | Int8Array
  | Int16Array
  | Int32Array
  | Uint8Array
  | Uint16Array
  | Uint32Array;

/** Log-probs and other per-token figures: single precision unless the source carries more. */
export type FloatArray = Float32Array | Float64Array;

export function isNumericArray(value: unknown): value is NumericArray {
  return (
    ArrayBuffer.isView(value) &&
    !(value instanceof DataView) &&
    !(value instanceof BigInt64Array) &&
    !(value instanceof BigUint64Array)
  );
}

/** The same values in single precision if that loses nothing, else in double. */
export function compactFloats(values: ArrayLike<number>): FloatArray {
  const single = Float32Array.from(values);
  for (let i = 0; i < single.length; i++) {
    const value = values[i]!;
    if (single[i] !== value && !Number.isNaN(value)) return Float64Array.from(values);
  }
  return single;
}
