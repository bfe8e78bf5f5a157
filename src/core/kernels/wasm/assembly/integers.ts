// AssemblyScript, for WebAssembly SIMD: integers of 64 bits as integers of 32. `src/input/readers/shared/decode.ts` drives this, and
// has the plain loops that define it.
//
// No allocation and no static data: all addresses are fixed.

/** Integers of one piece: those that come in and those that go out fit the second cache of any processor. */
export const CHUNK: i32 = 4096;

// Written by the driver.
export const WIDE_IN: i32 = 1024;

// Written here. Vectors may reach beyond the last integer.
export const NARROW: i32 = WIDE_IN + CHUNK * 8;
const MEMORY_END: i32 = NARROW + CHUNK * 4;

memory.grow((MEMORY_END >> 16) + 1 - memory.size());

/** Keeps the lower halves of `count` integers, with a sign or without one. Returns whether one of them does not fit. */
export function narrow(count: i32, isSigned: i32): i32 {
  let excess = i32x4.splat(0);
  // Behind the last integer: what fits.
  memory.fill(WIDE_IN + (count << 3), 0, (-count & 3) << 3);
  const unsigned = i32x4.splat(isSigned - 1);
  for (let i = 0; i < count; i += 4) {
    const first = v128.load(WIDE_IN + (i << 3));
    const second = v128.load(WIDE_IN + (i << 3), 16);
    const low = i32x4.shuffle(first, second, 0, 2, 4, 6);
    const high = i32x4.shuffle(first, second, 1, 3, 5, 7);
    // The upper half repeats the sign of the lower one, which is 0 where there are no signs.
    const sign = i32x4.shr_s(low, 31);
    excess = v128.or(excess, v128.or(v128.xor(high, sign), v128.and(sign, unsigned)));
    v128.store(NARROW + (i << 2), low);
  }
  return i32(v128.any_true(excess));
}
