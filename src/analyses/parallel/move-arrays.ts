/**
 * Prepares a value for another thread: arrays that span their whole buffer are moved (and become empty here), parts of
 * buffers are copied, because a message would carry the whole buffer.
 */
export function moveArrays<T>(value: T): { readonly value: T; readonly buffers: readonly ArrayBuffer[] } {
  const buffers = new Set<ArrayBuffer>();
  const own = (part: unknown): unknown => {
    if (isTypedArray(part)) {
      const owned = ownsBuffer(part) ? part : part.slice();
      buffers.add(owned.buffer as ArrayBuffer);
      return owned;
    }
    // Lists contain texts and no arrays.
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([name, each]) => [name, own(each)]));
  };
  return { value: own(value) as T, buffers: [...buffers] };
}

type TypedArray = ArrayBufferView & { slice(): TypedArray };

function isTypedArray(value: unknown): value is TypedArray {
  return ArrayBuffer.isView(value);
}

function ownsBuffer({ buffer, byteLength }: TypedArray): boolean {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
}
