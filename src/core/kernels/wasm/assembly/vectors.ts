// AssemblyScript: constants as vectors in memory, and what the loops of the distribution kernel have in common.

/** Whether this build has relaxed SIMD. */
export const RELAXED: bool = ASC_FEATURE_RELAXED_SIMD;

/** Columns of one block. */
export const BLOCK: i32 = 1024;

// What one loop over a block's columns leaves to the next, float32 each; small enough for the first cache.
/** n of the exponentials, as `rounded` has it. */
export const POWERS: i32 = 1024;
/** f of the exponentials. */
export const FRACTIONS: i32 = POWERS + BLOCK * 4;

/** Addresses from here on are the driver's. */
export const MEMORY_START: i32 = FRACTIONS + BLOCK * 4;

// Constants, a vector each. The engine would make a vector constant anew at every use, which takes longer than a load.
export const ONE: i32 = 16;
export const ROUNDER: i32 = 32;
export const LOG2_E: i32 = 48;
export const LN2_HIGH: i32 = 64;
export const LN2_LOW: i32 = 80;
export const EVEN_0: i32 = 176;
export const EVEN_1: i32 = 192;
export const EVEN_2: i32 = 208;
export const EVEN_3: i32 = 224;
export const ODD_0: i32 = 240;
export const ODD_1: i32 = 256;
export const ODD_2: i32 = 272;
export const JENSEN_0: i32 = 288;
export const JENSEN_1: i32 = 304;
export const JENSEN_2: i32 = 320;
export const JENSEN_3: i32 = 336;
export const JENSEN_4: i32 = 352;
export const ARTANH_0: i32 = 368;
export const ARTANH_1: i32 = 384;
export const ARTANH_2: i32 = 400;
export const ARTANH_3: i32 = 416;
export const ARTANH_4: i32 = 432;
export const SIGN_BIT: i32 = 448;
// 2^f − 1 in f, without its constant term, which is 1.
export const TWO_1: i32 = 464;
export const TWO_2: i32 = 480;
export const TWO_3: i32 = 496;
export const TWO_4: i32 = 512;
export const TWO_5: i32 = 528;
export const HALF: i32 = 176;
export const SIXTH: i32 = 544;
export const FACTORIAL_4: i32 = 560;
export const FACTORIAL_5: i32 = 576;

function constant(address: i32, value: f32): void {
  v128.store(address, f32x4.splat(value));
}

memory.grow(1);
constant(ONE, 1);
// Adding 1.5 · 2^23 rounds to a whole number and leaves it in the low bits.
constant(ROUNDER, 12582912);
constant(LOG2_E, 1.44269504);
constant(LN2_HIGH, 0.693359375);
constant(LN2_LOW, -2.12194440e-4);
// All polynomials are fitted for least maximal relative error.
// (cosh D − 1) / D² and (sinh D − D) / D³ in D², for |D| ≤ 1: together 2e-7 of exp D − 1 − D.
constant(EVEN_0, 0.5);
constant(EVEN_1, 0.04166673496365547);
constant(EVEN_2, 0.0013885436346754432);
constant(EVEN_3, 2.5355875550303608e-5);
constant(ODD_0, 0.16666674613952637);
constant(ODD_1, 0.008331776596605778);
constant(ODD_2, 0.00020257449068594724);
// ¼ [(1 + x) log(1 + x) + (1 − x) log(1 − x)] / D² in D², x = tanh(D / 2), for |D| ≤ 1: 3e-8.
constant(JENSEN_0, 0.0625);
constant(JENSEN_1, -0.0078124236315488815);
constant(JENSEN_2, 0.0008674402488395572);
constant(JENSEN_3, -9.046991908689961e-5);
constant(JENSEN_4, 7.492104032280622e-6);
// artanh(v) / v in v², for v ≤ 1/3: 4e-9.
constant(ARTANH_0, 1);
constant(ARTANH_1, 0.3333315849304199);
constant(ARTANH_2, 0.20012454688549042);
constant(ARTANH_3, 0.13980300724506378);
constant(ARTANH_4, 0.1408916860818863);
constant(SIGN_BIT, -0.0);
// 2^f for |f| ≤ 1/2: 9e-8 of it.
constant(TWO_1, 0.6931470036506653);
constant(TWO_2, 0.24022242426872253);
constant(TWO_3, 0.05550733581185341);
constant(TWO_4, 0.009671512991189957);
constant(TWO_5, 0.001326472731307149);
// exp h − 1 in powers of h, for |h| ≤ 1/4: 8e-8 of it.
constant(SIXTH, 0.1666673874);
constant(FACTORIAL_4, 0.04177515055);
constant(FACTORIAL_5, 0.00833333003);

// @ts-ignore: decorator
@inline
export function smallestLane(x: v128): f32 {
  const y = f32x4.pmin(x, i32x4.shuffle(x, x, 2, 3, 2, 3));
  return min(f32x4.extract_lane(y, 0), f32x4.extract_lane(y, 1));
}

// @ts-ignore: decorator
@inline
export function largestLane(x: v128): f32 {
  return -smallestLane(f32x4.neg(x));
}

/** The sum of four float32 lanes in float64. */
// @ts-ignore: decorator
@inline
export function lanes(x: v128): f64 {
  const pair = f64x2.add(f64x2.promote_low_f32x4(x), f64x2.promote_low_f32x4(i32x4.shuffle(x, x, 2, 3, 2, 3)));
  return f64x2.extract_lane(pair, 0) + f64x2.extract_lane(pair, 1);
}

/**
 * a b + c. With relaxed SIMD it is one operation, rounded once where the processor can; all that uses it must be accurate
 * either way.
 */
// @ts-ignore: decorator
@inline
export function madd(a: v128, b: v128, c: v128): v128 {
  if (RELAXED) return f32x4.relaxed_madd(a, b, c);
  return f32x4.add(f32x4.mul(a, b), c);
}

/** c − a b, the same way. */
// @ts-ignore: decorator
@inline
export function nmadd(a: v128, b: v128, c: v128): v128 {
  if (RELAXED) return f32x4.relaxed_nmadd(a, b, c);
  return f32x4.sub(c, f32x4.mul(a, b));
}

/** n + ROUNDER of x = n ln 2 + f, |f| ≤ ln 2 / 2. */
// @ts-ignore: decorator
@inline
export function rounded(x: v128): v128 {
  return madd(x, v128.load(LOG2_E), v128.load(ROUNDER));
}

// @ts-ignore: decorator
@inline
export function fraction(x: v128, rounded: v128): v128 {
  const n = f32x4.sub(rounded, v128.load(ROUNDER));
  return nmadd(n, v128.load(LN2_LOW), nmadd(n, v128.load(LN2_HIGH), x));
}

// @ts-ignore: decorator
@inline
export function powerOf2(rounded: v128): v128 {
  return i32x4.add(i32x4.shl(rounded, 23), v128.load(ONE));
}

/** a + b x. */
// @ts-ignore: decorator
@inline
export function line(a: i32, b: i32, x: v128): v128 {
  return madd(v128.load(b), x, v128.load(a));
}
