// AssemblyScript, for WebAssembly SIMD: folds bytes into few that have the same CRC-32. `src/input/io/crc32.ts` drives this,
// and has the plain loop that defines the checksum.
//
// A CRC is the remainder of the bytes, as a polynomial over GF(2), divided by that of CRC-32, so adding a multiple of the
// latter changes nothing. 1 + y^89 + y^117 + y^155 + y^300 with y = x^128 is one (tests divide it), and all its terms are whole
// vectors apart: with it, a vector moves to four places behind it by XOR, without tables or multiplications. After S.
// Russell, Chorba: A novel CRC32 implementation, https://arxiv.org/abs/2412.16398.
//
// No allocation and no static data: all addresses are fixed.

/** Bytes that are folded at a time, and stay in the first cache. */
export const CHUNK: i32 = 24 * 1024;
/** Bytes that are left at the end. */
export const WINDOW: i32 = 300 * 16;

// How far behind a vector the other terms are: 300 less their exponents.
const SECOND: i32 = 211 * 16;
const THIRD: i32 = 183 * 16;
const FOURTH: i32 = 145 * 16;

/** The vectors before those of BYTES, which are folded. */
const FOLDED: i32 = 1024;
// Written by the driver; room for one chunk.
export const BYTES: i32 = FOLDED + WINDOW;
const MEMORY_END: i32 = BYTES + CHUNK;

memory.grow((MEMORY_END >> 16) + 1 - memory.size());

/** Before the first chunk. */
export function start(): void {
  memory.fill(FOLDED, 0, WINDOW);
}

/** Folds `length` bytes, a multiple of 16: a vector gets what those before it leave at its place. */
export function fold(length: i32): void {
  const end = BYTES + length;
  for (let at = BYTES; at < end; at += 16) {
    const far = v128.xor(v128.load(at - WINDOW), v128.load(at - SECOND));
    const near = v128.xor(v128.load(at - THIRD), v128.load(at - FOURTH));
    v128.store(at, v128.xor(v128.load(at), v128.xor(far, near)));
  }
  memory.copy(FOLDED, FOLDED + length, WINDOW);
}

// @ts-ignore: decorator
@inline
function addFolded(distance: i32): void {
  for (let i = 0; i < distance; i += 16) {
    v128.store(BYTES + i, v128.xor(v128.load(BYTES + i), v128.load(BYTES - distance + i)));
  }
}

/** Leaves in the last WINDOW bytes, which are not folded themselves, what those before them leave there. */
export function finish(): void {
  addFolded(WINDOW);
  addFolded(SECOND);
  addFolded(THIRD);
  addFolded(FOURTH);
}
