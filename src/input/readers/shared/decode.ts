import type { NumericArray } from "../../../core/base/index.ts";
import { type IntegersKernel, integersKernel } from "../../../core/kernels/index.ts";
import type { Allocate } from "../../io/byte-source.ts";
import { type FixedDType, ITEM_BYTES } from "./dtypes.ts";

const HOST_IS_LITTLE = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
/** Index of the less significant of two neighboring words. */
const LOW = HOST_IS_LITTLE ? 0 : 1;
/** Widened or narrowed. */
const COPIED: ReadonlySet<FixedDType> = new Set(["int64", "uint64", "float16", "bfloat16"]);

/**
 * Elements of one dtype as numbers.
 *
 * float64 and float32 (and the integers of 32 bits and less) are views on `bytes` if those are aligned and in the
 * host's byte order, copies otherwise. float16 and bfloat16 widen to float32 without loss. int64 and uint64 become
 * Int32Array when every value fits; otherwise Float64Array, where values beyond 2^53 are rounded.
 *
 * @param bytes a whole number of elements
 * @param allocate memory for int64 and uint64 that become Int32Array
 */
export function decodeElements(
  dtype: FixedDType,
  bytes: Uint8Array,
  littleEndian = true,
  allocate: Allocate = (length) => new Uint8Array(length),
): NumericArray {
  const width = ITEM_BYTES[dtype];
  const swap = width > 1 && littleEndian !== HOST_IS_LITTLE;
  const data = swap ? swapped(bytes, width) : aligned(bytes, width);
  const { buffer, byteOffset } = data;
  const length = data.byteLength / width;
  switch (dtype) {
    case "float64":
      return new Float64Array(buffer, byteOffset, length);
    case "float32":
      return new Float32Array(buffer, byteOffset, length);
    case "float16":
      return widenFloat16(data);
    case "bfloat16":
      return widenBfloat16(data);
    case "int64":
      return narrowInt64(new Int32Array(buffer, byteOffset, 2 * length), true, allocate);
    case "uint64":
      return narrowInt64(new Int32Array(buffer, byteOffset, 2 * length), false, allocate);
    case "int32":
      return new Int32Array(buffer, byteOffset, length);
    case "uint32":
      return new Uint32Array(buffer, byteOffset, length);
    case "int16":
      return new Int16Array(buffer, byteOffset, length);
    case "uint16":
      return new Uint16Array(buffer, byteOffset, length);
    case "int8":
      return new Int8Array(buffer, byteOffset, length);
    case "uint8":
    case "bool":
      return new Uint8Array(buffer, byteOffset, length);
  }
}

/** Whether {@link decodeElements} returns an array that does not share memory with the bytes. */
export function isCopied(dtype: FixedDType, littleEndian = true): boolean {
  return COPIED.has(dtype) || (ITEM_BYTES[dtype] > 1 && littleEndian !== HOST_IS_LITTLE);
}

/** The same bytes, aligned to `width`. */
export function aligned(bytes: Uint8Array, width: number): Uint8Array {
  return bytes.byteOffset % width === 0 ? bytes : new Uint8Array(bytes);
}

function swapped(bytes: Uint8Array, width: number): Uint8Array {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  if (width === 2) copy.swap16();
  else if (width === 4) copy.swap32();
  else copy.swap64();
  return new Uint8Array(copy.buffer, 0, copy.length);
}

let float16Table: Int32Array | undefined;

/** Converts two float16 at a time by looking each up in a table of float32 bit patterns. */
function widenFloat16(halves: Uint8Array): Float32Array {
  float16Table ??= new Int32Array(buildFloat16Table().buffer);
  const table = float16Table;
  const { pairs, last, length } = asPairs(halves);
  const bits = new Int32Array(length);
  for (let i = 0, j = 0; i < pairs.length; i++, j += 2) {
    const pair = pairs[i]!;
    bits[j + LOW] = table[pair & 0xffff]!;
    bits[j + 1 - LOW] = table[pair >>> 16]!;
  }
  if (last !== undefined) bits[length - 1] = table[last]!;
  return new Float32Array(bits.buffer);
}

/** All 65,536 halves (256 KiB): one sign bit, five of exponent (bias 15), ten of fraction (IEEE 754 binary16). */
function buildFloat16Table(): Float32Array {
  const table = new Float32Array(65_536);
  for (let half = 0; half < 65_536; half++) {
    const exponent = (half >> 10) & 31;
    const fraction = half & 1023;
    let value: number;
    if (exponent === 31) value = fraction === 0 ? Number.POSITIVE_INFINITY : Number.NaN;
    else if (exponent === 0) value = fraction * 2 ** -24;
    else value = (1 + fraction / 1024) * 2 ** (exponent - 15);
    table[half] = half & 0x8000 ? -value : value;
  }
  return table;
}

/** bfloat16 is the upper half of float32. */
function widenBfloat16(halves: Uint8Array): Float32Array {
  const { pairs, last, length } = asPairs(halves);
  const bits = new Int32Array(length);
  for (let i = 0, j = 0; i < pairs.length; i++, j += 2) {
    const pair = pairs[i]!;
    bits[j + LOW] = pair << 16;
    bits[j + 1 - LOW] = pair & 0xffff0000;
  }
  if (last !== undefined) bits[length - 1] = last << 16;
  return new Float32Array(bits.buffer);
}

/** 16-bit elements as 32-bit words of two, for half as many loads. */
function asPairs(halves: Uint8Array): { pairs: Int32Array; last: number | undefined; length: number } {
  const { buffer, byteOffset } = aligned(halves, 4);
  const length = halves.byteLength / 2;
  const pairs = new Int32Array(buffer, byteOffset, length >> 1);
  const last = length % 2 === 1 ? new Uint16Array(buffer, byteOffset, length)[length - 1] : undefined;
  return { pairs, last, length };
}

/** Below this many integers, the kernel is not worth compiling. */
const FEWEST_IN_KERNEL = 4096;

/** Narrows first and checks the combined upper words afterwards: one pass without a branch. */
function narrowInt64(words: Int32Array, signed: boolean, allocate: Allocate): Int32Array | Float64Array {
  const { buffer, byteOffset } = allocate(2 * words.length);
  const narrow = new Int32Array(buffer, byteOffset, words.length / 2);
  const kernel = HOST_IS_LITTLE && narrow.length >= FEWEST_IN_KERNEL ? integersKernel() : undefined;
  const excess =
    kernel !== undefined
      ? narrowInKernel(kernel, words, narrow, signed)
      : signed
        ? narrowSigned(words, narrow)
        : narrowUnsigned(words, narrow);
  return excess === 0 ? narrow : wideInt64(words, signed);
}

/** Works in pieces that stay in a near cache: copying them in and out costs less than the plain loop. */
function narrowInKernel(
  kernel: IntegersKernel,
  words: Int32Array,
  narrow: Int32Array,
  signed: boolean,
): number {
  const { chunk, wideIn, narrowed } = kernel;
  let excess = 0;
  for (let from = 0; from < narrow.length; from += chunk) {
    const count = Math.min(chunk, narrow.length - from);
    wideIn.set(words.subarray(2 * from, 2 * (from + count)));
    excess |= kernel.narrow(count, signed ? 1 : 0);
    narrow.set(count < chunk ? narrowed.subarray(0, count) : narrowed, from);
  }
  return excess;
}

/** The upper word of a number that fits repeats the sign of the lower one. */
function narrowSigned(words: Int32Array, narrow: Int32Array): number {
  let excess = 0;
  for (let i = 0; i < narrow.length; i++) {
    const low = words[2 * i + LOW]!;
    excess |= words[2 * i + 1 - LOW]! ^ (low >> 31);
    narrow[i] = low;
  }
  return excess;
}

function narrowUnsigned(words: Int32Array, narrow: Int32Array): number {
  let excess = 0;
  for (let i = 0; i < narrow.length; i++) {
    const low = words[2 * i + LOW]!;
    excess |= words[2 * i + 1 - LOW]! | (low >> 31);
    narrow[i] = low;
  }
  return excess;
}

function wideInt64(words: Int32Array, signed: boolean): Float64Array {
  const length = words.length / 2;
  const wide = new Float64Array(length);
  for (let i = 0; i < length; i++) {
    const high = words[2 * i + 1 - LOW]!;
    wide[i] = (signed ? high : high >>> 0) * 4294967296 + (words[2 * i + LOW]! >>> 0);
  }
  return wide;
}
