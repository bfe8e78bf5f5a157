/**
 * Memory for bytes that are decoded into other memory at once. Fresh memory for each block would be touched page by
 * page, and is external to V8: what is thrown away sets off its garbage collection.
 *
 * @module
 */

/** Two policies are read at a time. */
const MOST_KEPT = 2;
/** A larger block is rare, and would be held to the end. */
const MOST_BYTES = 32 * 1024 * 1024;

const free: Uint8Array[] = [];

/** Lends memory for as long as `use` takes; what it returns must not lie in it. */
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
