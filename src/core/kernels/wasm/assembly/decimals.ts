// AssemblyScript, for WebAssembly SIMD: the numbers of a JSON array, from their text to correctly rounded float64.
// `../decimals-kernel.ts` drives this: it copies text in, calls `scan`, and reads the values.
//
// What is usual is read here: a sign, up to 8 digits before the point and 24 behind it, 19 significant ones in all, an
// exponent, null and NaN, white space. At anything else `scan` stops in front of the element, and the driver's own
// scanner reads it or says what is wrong with it; so nothing that is not JSON passes, and there is one place for errors.
//
// Digits become integers 16 at a time (Muła, Lemire 2022, "Faster base64 and number parsing with SIMD"), integers and
// their powers of ten the nearest double by one 128-bit product (Mushtak, Lemire 2023, "Fast number parsing without
// fallback").
//
// No allocation and no static data: all addresses are fixed.

/** Bytes of text that fit. */
export const TEXT_BYTES: i32 = 32768;
/** Numbers that fit. */
export const CAPACITY: i32 = 16384;
/** Powers of five in the table: from 5^LEAST_POWER, of two 64-bit words each, the higher word first. */
export const LEAST_POWER: i32 = -80;
export const POWERS: i32 = 121;

// Loads of whole vectors reach this far beyond the text.
const SLACK: i32 = 64;

// Written by the driver.
export const TEXT: i32 = 1024;
export const POWERS_IN: i32 = TEXT + TEXT_BYTES + SLACK;
// Written by `scan`. Stores of whole vectors reach beyond the last number.
export const VALUES: i32 = POWERS_IN + POWERS * 16;
const TENS: i32 = VALUES + CAPACITY * 8 + SLACK;
// Written by `narrow`.
export const NARROWED: i32 = TENS + 20 * 8;
const MEMORY_END: i32 = NARROWED + CAPACITY * 4 + SLACK;

/** What `narrow` returns. */
export const AS_FLOAT64: i32 = 0;
export const AS_FLOAT32: i32 = 1;
export const AS_INT32: i32 = 2;
export const AS_UINT8: i32 = 3;

const COMMA: u32 = 0x2c;
const MINUS: u32 = 0x2d;
const PLUS: u32 = 0x2b;
const POINT: u32 = 0x2e;
const ZERO: u32 = 0x30;
const CLOSE_BRACKET: u32 = 0x5d;
const NULL_TEXT: u32 = 0x6c6c756e;
const NAN_TEXT: u32 = 0x4e614e;

let next: i32 = 0;
let closed: i32 = 0;

memory.grow((MEMORY_END >> 16) + 1 - memory.size());
for (let k = 0, power: u64 = 1; k < 20; k++, power *= 10) store<u64>(TENS + (k << 3), power);

/** Where the first element starts that the last `scan` did not read, or behind the bracket. */
export function position(): i32 {
  return next;
}

/** Whether the last `scan` read the closing bracket. */
export function isClosed(): i32 {
  return closed;
}

// @ts-ignore: decorator
@inline
function isSpace(code: u32): bool {
  return code == 0x20 || code == 0x0a || code == 0x0d || code == 0x09;
}

// @ts-ignore: decorator
@inline
function ten(power: i32): u64 {
  return load<u64>(TENS + (power << 3));
}

/** The lowest bytes of eight that are digits, less ZERO, as the number of them. */
// @ts-ignore: decorator
@inline
function countDigits(bytes: u64): i32 {
  // A digit stays below 0x80 with 0x76 added; what is no digit carries into higher bytes only.
  return <i32>(ctz(((bytes + 0x7676767676767676) | bytes) & 0x8080808080808080) >> 3);
}

/** The integer of the lowest `count` bytes of eight, each a digit less ZERO, the first of them the most significant. */
// @ts-ignore: decorator
@inline
function eightDigits(bytes: u64, count: i32): u64 {
  // In two steps, because a shift by 64 is none.
  const digits = (bytes << (<u64>((8 - count) << 2))) << (<u64>((8 - count) << 2));
  const pairs = digits * 10 + (digits >> 8);
  return (
    ((pairs & 0x000000ff000000ff) * 0x000f424000000064 + ((pairs >> 16) & 0x000000ff000000ff) * 0x0000271000000001) >>
    32
  );
}

/** The integer of the first `count` lanes of 16, each a digit. */
// @ts-ignore: decorator
@inline
function sixteenDigits(lanes: v128, count: i32): u64 {
  // To the end, behind zeros: an index below 0 is one above 15, which gives 0.
  const order = i8x16.sub(i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), i8x16.splat(<i8>(16 - count)));
  const digits = i8x16.swizzle(lanes, order);
  const pairs = i16x8.add(
    i16x8.mul(v128.and(digits, i16x8.splat(0xff)), i16x8.splat(10)),
    i16x8.shr_u(digits, 8),
  );
  const fours = i32x4.dot_i16x8_s(pairs, i16x8(100, 1, 100, 1, 100, 1, 100, 1));
  const narrow = i16x8.narrow_i32x4_s(fours, fours);
  const eights = i32x4.dot_i16x8_s(narrow, i16x8(10000, 1, 10000, 1, 10000, 1, 10000, 1));
  return <u64>i32x4.extract_lane(eights, 0) * 100000000 + <u64>i32x4.extract_lane(eights, 1);
}

/** The high 64 bits of a product. */
// @ts-ignore: decorator
@inline
function multiplyHigh(a: u64, b: u64): u64 {
  const aLow = a & 0xffffffff;
  const aHigh = a >> 32;
  const bLow = b & 0xffffffff;
  const bHigh = b >> 32;
  const left = aLow * bHigh + ((aLow * bLow) >> 32);
  const right = aHigh * bLow + (left & 0xffffffff);
  return aHigh * bHigh + (left >> 32) + (right >> 32);
}

/** The double nearest to `digits * 10^power`, for digits above 0 and a power of the table: none is subnormal or infinite. */
// @ts-ignore: decorator
@inline
function nearest(digits: u64, power: i32): f64 {
  const leading = clz(digits);
  const entry = POWERS_IN + ((power - LEAST_POWER) << 4);
  const scaled = digits << leading;
  const factor = load<u64>(entry);
  let high = multiplyHigh(scaled, factor);
  let low = scaled * factor;
  if ((high & 0x1ff) == 0x1ff) {
    const more = multiplyHigh(scaled, load<u64>(entry, 8));
    low += more;
    if (low < more) high++;
  }
  const upper = high >> 63;
  const shift = upper + 9;
  let mantissa = high >> shift;
  // Exactly between two doubles, which these powers alone allow: to the even one.
  if (low <= 1 && power >= -4 && power <= 23 && (mantissa & 3) == 1 && mantissa << shift == high)
    mantissa &= ~1;
  mantissa = (mantissa + (mantissa & 1)) >> 1;
  // A mantissa rounded up to 2^53 carries into the exponent as it should.
  const exponent = <u64>(((217706 * power) >> 16) + 63 + 1023) + upper - leading - 1;
  return reinterpret<f64>((exponent << 52) + mantissa);
}

/** Four 32-bit integers as doubles. */
// @ts-ignore: decorator
@inline
function storeFour(out: i32, integers: v128): void {
  v128.store(out, f64x2.convert_low_i32x4_u(integers));
  v128.store(out, f64x2.convert_low_i32x4_u(i64x2.splat(i64x2.extract_lane(integers, 1))), 16);
}

/**
 * Reads elements from `from` up to `to` (offsets into the text; zero bytes follow), and stores their values from
 * `count` on, null and NaN as NaN.
 *
 * @returns the number of values that are stored then
 */
export function scan(from: i32, to: i32, count: i32): i32 {
  let at = TEXT + from;
  let out = VALUES + (count << 3);
  const full = VALUES + (CAPACITY << 3);
  let element = at;
  const zero = i32x4.splat(0);
  closed = 0;
  while (out < full) {
    element = at;
    let code: u32 = load<u8>(at);
    while (isSpace(code)) code = load<u8>(++at);
    // Branches that log-probs make predictable, so that the next number need not wait for this one's lengths.
    let negative = false;
    if (code == MINUS) {
      negative = true;
      at++;
    }
    const bytes = load<u64>(at) ^ 0x3030303030303030;
    let value: f64 = NaN;
    let digits = bytes & 0xff;
    if (digits > 9) {
      if (negative) break;
      if (load<u32>(at) == NULL_TEXT) at += 4;
      else if ((load<u32>(at) & 0xffffff) == NAN_TEXT) at += 3;
      else break;
      code = load<u8>(at);
    } else {
      let power = 0;
      if (((bytes >> 8) & 0xff) == (POINT ^ ZERO)) {
        code = POINT;
        at++;
      } else {
        const length = countDigits(bytes);
        // Bitwise, because the lengths of integers come too irregularly for a branch.
        if (<i32>(digits == 0) & <i32>(length > 1)) break;
        digits = eightDigits(bytes, length);
        at += length;
        code = load<u8>(at);
      }
      if (code == POINT) {
        at++;
        const lanes = i8x16.sub(v128.load(at), i8x16.splat(<i8>ZERO));
        const length = ctz(i8x16.bitmask(i8x16.le_u(lanes, i8x16.splat(9))) ^ 0x1ffff);
        if (length == 0 || digits >= ten(19 - length)) break;
        digits = digits * ten(length) + sixteenDigits(lanes, length);
        if (length == 16) {
          const rest = load<u64>(at, 16) ^ 0x3030303030303030;
          const more = countDigits(rest);
          if (digits >= ten(19 - more)) break;
          digits = digits * ten(more) + eightDigits(rest, more);
          power = -16 - more;
          at += 16 + more;
        } else {
          power = -length;
          at += length;
        }
        code = load<u8>(at);
      }
      if ((code | 0x20) == 0x65) {
        code = load<u8>(++at);
        const down = code == MINUS;
        if (down || code == PLUS) code = load<u8>(++at);
        let exponent = 0;
        const first = at;
        while (code - ZERO <= 9 && at < first + 4) {
          exponent = exponent * 10 + <i32>(code - ZERO);
          code = load<u8>(++at);
        }
        if (at == first) break;
        power += down ? -exponent : exponent;
      }
      if (digits == 0) value = 0;
      else if (power == 0) value = <f64>digits;
      else if (power < LEAST_POWER || power >= LEAST_POWER + POWERS) break;
      else value = nearest(digits, power);
      if (negative) value = -value;
    }
    while (isSpace(code)) code = load<u8>(++at);
    if (code == CLOSE_BRACKET) closed = 1;
    else if (code != COMMA) break;
    at++;
    store<f64>(out, value);
    out += 8;
    element = at;
    if (closed) break;
    // Masks: digits between commas, with and without a space, as Python writes them. Four of them, because single
    // digits between other integers come too irregularly for a branch.
    const ahead = load<u64>(at);
    if ((ahead & 0xff00ff00ff00ff00) == 0x2c002c002c002c00) {
      for (; out + 64 <= full; at += 16, out += 64) {
        const text = v128.load(at);
        const lanes = i8x16.sub(text, i8x16.splat(<i8>ZERO));
        const isDigit = i8x16.bitmask(i8x16.le_u(lanes, i8x16.splat(9)));
        const isComma = i8x16.bitmask(i8x16.eq(text, i8x16.splat(<i8>COMMA)));
        if ((isDigit & 0x5555) != 0x5555 || (isComma & 0xaaaa) != 0xaaaa) break;
        storeFour(out, i8x16.shuffle(lanes, zero, 0, 16, 16, 16, 2, 16, 16, 16, 4, 16, 16, 16, 6, 16, 16, 16));
        storeFour(out + 32, i8x16.shuffle(lanes, zero, 8, 16, 16, 16, 10, 16, 16, 16, 12, 16, 16, 16, 14, 16, 16, 16));
      }
      element = at;
    } else if ((ahead & 0x00ffff00ffff00ff) == 0x00202c00202c0020) {
      for (; out + 40 <= full; at += 15, out += 40) {
        const text = v128.load(at);
        const lanes = i8x16.sub(text, i8x16.splat(<i8>ZERO));
        const isDigit = i8x16.bitmask(i8x16.le_u(lanes, i8x16.splat(9)));
        const isComma = i8x16.bitmask(i8x16.eq(text, i8x16.splat(<i8>COMMA)));
        const isBlank = i8x16.bitmask(i8x16.eq(text, i8x16.splat(0x20)));
        if ((isDigit & 0x2492) != 0x2492 || (isComma & 0x4924) != 0x4924 || (isBlank & 0x1249) != 0x1249) break;
        storeFour(out, i8x16.shuffle(lanes, zero, 1, 16, 16, 16, 4, 16, 16, 16, 7, 16, 16, 16, 10, 16, 16, 16));
        store<f64>(out, <f64>i8x16.extract_lane_u(lanes, 13), 32);
      }
      element = at;
    }
  }
  next = element - TEXT;
  return (out - VALUES) >> 3;
}

/** Whether both doubles are the same bit for bit: -0 is not 0, NaN is itself. */
// @ts-ignore: decorator
@inline
function isSame(a: v128, b: v128): bool {
  return i64x2.all_true(i64x2.eq(a, b));
}

/**
 * Copies the first `count` values into NARROWED as integers of 8 or 32 bits or as float32, the narrowest type that holds
 * all of them, bit for bit.
 *
 * @returns which type; AS_FLOAT64 when none does
 */
export function narrow(count: i32): i32 {
  const end = VALUES + (count << 3);
  // An odd one more is the last one again.
  store<u64>(end, load<u64>(max(end - 8, VALUES)));
  let out = NARROWED;
  let at = VALUES;
  let bits = i32x4.splat(0);
  for (; at < end; at += 16, out += 8) {
    const values = v128.load(at);
    const integers = i32x4.trunc_sat_f64x2_s_zero(values);
    if (!isSame(f64x2.convert_low_i32x4_s(integers), values)) break;
    v128.store64_lane(out, integers, 0);
    bits = v128.or(bits, integers);
  }
  if (at >= end) {
    if (v128.any_true(v128.and(bits, i32x4.splat(~0xff)))) return AS_INT32;
    const last = NARROWED + (count << 2);
    for (let from = NARROWED, to = NARROWED; from < last; from += 16, to += 4) {
      const four = v128.load(from);
      v128.store32_lane(to, i8x16.shuffle(four, four, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12), 0);
    }
    return AS_UINT8;
  }
  out = NARROWED;
  for (at = VALUES; at < end; at += 16, out += 8) {
    const values = v128.load(at);
    const singles = f32x4.demote_f64x2_zero(values);
    if (!isSame(f64x2.promote_low_f32x4(singles), values)) return AS_FLOAT64;
    v128.store64_lane(out, singles, 0);
  }
  return AS_FLOAT32;
}
