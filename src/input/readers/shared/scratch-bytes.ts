/**
 * Reusable memory for bytes that are decoded immediately into other memory. New memory for each block would cost page
 * faults and, being external to V8, trigger garbage collection.
 *
 * @module
 */

/** Two policies are read at the same time. */
const MOST_KEPT = 2;
/** Larger blocks are rare, and would be held until the process ends. */
const MOST_BYTES = 32 * 1024 * 1024;

const free: Uint8Array[] = [];

/** Lends memory while `use` runs; its result must not point into it. */
export async function withScratch<T>(
  use: (allocate: (length: number) => Uint8Array) => Promise<T>,
): Promise<T> {
  let lent: Uint8Array | undefined;
  const allocate = (length: number): Uint8Array => {
    const known = lent ?? free.pop();
    lent =
      known !== undefined && known.length >= length
        ? known
        : new Uint8Array(Buffer.allocUnsafeSlow(length).buffer);
    return lent.subarray(0, length);
  };
  try {
    return await use(allocate);
  } finally {
    if (lent !== undefined && lent.length <= MOST_BYTES && free.length < MOST_KEPT) free.push(lent);
  }
}
