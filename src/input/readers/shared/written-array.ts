/**
 * An array to be written in pieces, so that it never has to be in memory completely.
 *
 * @module
 */
export interface WrittenArray {
  readonly name: string;
  readonly dtype: "float32" | "uint8" | "int32";
  /** Row-major. */
  readonly shape: readonly number[];
  /** Its elements in order, little-endian, in pieces of any size; called at most once. */
  readonly pieces: () => AsyncIterable<Uint8Array>;
}

export const WRITTEN_BYTES = { float32: 4, uint8: 1, int32: 4 } as const;

export function countBytes({ dtype, shape }: WrittenArray): number {
  return shape.reduce((product, size) => product * size, WRITTEN_BYTES[dtype]);
}
