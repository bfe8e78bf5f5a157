import * as zlib from "node:zlib";
import { type Crc32Kernel, crc32Kernel } from "../../core/kernels/index.ts";

/** CRC-32 (IEEE 802.3) of `bytes`, continued from `seed`. */
export type Crc32 = (bytes: Uint8Array, seed: number) => number;

/** Below this many bytes, finishing what is left after folding costs more than folding saves. */
const FOLDED_FROM = 16_384;
const VECTOR = 16;

const TABLE = buildTable();

function buildTable(): Int32Array {
  const table = new Int32Array(256);
  for (let n = 0; n < 256; n++) {
    let c = n;
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
    table[n] = c;
  }
  return table;
}

/**
 * The definition, byte by byte; used for short runs of bytes when Node has no `zlib.crc32` (before 20.15). As long as Node
 * 20.12 is supported, neither this nor the kernel can go: together they are all that it has.
 */
export const crc32Scalar: Crc32 = (bytes, seed) => {
  let c = ~seed;
  for (let i = 0; i < bytes.length; i++) c = TABLE[(c ^ bytes[i]!) & 0xff]! ^ (c >>> 8);
  return ~c >>> 0;
};

const crc32Short: Crc32 = typeof zlib.crc32 === "function" ? zlib.crc32 : crc32Scalar;

export const crc32: Crc32 = (bytes, seed) => {
  const kernel = bytes.length < FOLDED_FROM ? undefined : crc32Kernel();
  return kernel === undefined ? crc32Short(bytes, seed) : crc32Folded(kernel, bytes, seed);
};

/** Folds all but the last bytes into the last ones, whose plain checksum is then taken. */
function crc32Folded(kernel: Crc32Kernel, bytes: Uint8Array, seed: number): number {
  const { window } = kernel;
  const folded = (bytes.length - window) & -VECTOR;
  kernel.start();
  for (let from = 0; from < folded; from += kernel.bytes.length) {
    const to = Math.min(from + kernel.bytes.length, folded);
    kernel.bytes.set(bytes.subarray(from, to));
    if (from === 0) addState(kernel.bytes, ~seed);
    kernel.fold(to - from);
  }
  const left = bytes.subarray(folded);
  kernel.bytes.set(left);
  kernel.finish();
  // The checksum so far is already in the bytes, so this one starts from state 0, given as its complement.
  return crc32Short(kernel.bytes.subarray(0, left.length), 0xffffffff);
}

/** A state acts as if it were added to the bytes that follow. */
function addState(bytes: Uint8Array, state: number): void {
  for (let i = 0; i < 4; i++) bytes[i]! ^= (state >>> (8 * i)) & 0xff;
}
