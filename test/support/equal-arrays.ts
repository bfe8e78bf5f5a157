/**
 * Compares typed arrays by their bytes first: Vitest compares them element by element, which took most of the time of
 * tests over large columns. Equal bytes are equal values in its sense too (NaN is NaN, 0 is not −0); if bytes differ,
 * it decides itself and says where.
 *
 * @module
 */
import { expect } from "vitest";

const isTypedArray = (value: unknown): value is Uint8Array =>
  ArrayBuffer.isView(value) && !(value instanceof DataView);
const readBytes = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

expect.addEqualityTesters([
  (a, b) => {
    if (!isTypedArray(a) || !isTypedArray(b)) return undefined;
    const isSameKind = Object.getPrototypeOf(a) === Object.getPrototypeOf(b);
    return isSameKind && a.byteLength === b.byteLength && readBytes(a).equals(readBytes(b))
      ? true
      : undefined;
  },
]);
