// AssemblyScript: sums what the rows of two policies differ by; see distribution.ts.

import * as FIELD from "../distribution-fields";
import {
  BLOCK,
  ARTANH_0,
  ARTANH_1,
  ARTANH_2,
  ARTANH_3,
  ARTANH_4,
  EVEN_0,
  EVEN_1,
  EVEN_2,
  EVEN_3,
  JENSEN_0,
  JENSEN_1,
  JENSEN_2,
  JENSEN_3,
  JENSEN_4,
  ODD_0,
  ODD_1,
  ODD_2,
  ONE,
  FACTORIAL_4,
  FACTORIAL_5,
  HALF,
  SIGN_BIT,
  SIXTH,
  fraction,
  lanes,
  largestLane,
  line,
  madd,
  nmadd,
  powerOf2,
  rounded,
  smallestLane,
} from "./vectors";

/** Bytes of a block's record. */
export const PAIR_RECORD: i32 = FIELD.PAIR_FIELDS * 8;

/** Bytes of the columns that are looked at together: near ones take polynomials in D = log q − log p. */
export const GROUP: i32 = 512 * 4;
/** Where the polynomials in D hold. */
const NEAR: f32 = 1;
/** Where a few powers of D do. */
const CLOSE: f32 = 0.25;

let minimum: f32 = 0;
let furthest: f32 = 0;

/** The largest |log q − log p| of the last `compare`, NaN aside. */
export function furthestRatio(): f32 {
  return furthest;
}

/** |x| in one operation; f32x4.abs takes three. */
// @ts-ignore: decorator
@inline
function magnitude(x: v128, signBit: v128): v128 {
  return v128.andnot(x, signBit);
}

/** D = (zq − zp) − shift − rest from b = zp and a = zq, with zq − zp rounded. */
// @ts-ignore: decorator
@inline
function roundedRatio(a: v128, b: v128, shift: v128, rest: v128): v128 {
  return f32x4.sub(f32x4.sub(f32x4.sub(a, b), shift), rest);
}

/** The same without rounding zq − zp (Knuth's TwoSum), so that D keeps its digits where rows differ by a constant. */
// @ts-ignore: decorator
@inline
function exactRatio(a: v128, b: v128, shift: v128, rest: v128): v128 {
  const s = f32x4.sub(a, b);
  const t = f32x4.sub(s, a);
  const error = f32x4.sub(f32x4.sub(a, f32x4.sub(s, t)), f32x4.add(b, t));
  return f32x4.add(f32x4.sub(s, shift), f32x4.sub(error, rest));
}

/**
 * D of a group, written to `to`. Returns the largest |D|; `minimum` is the smallest. `end` is a multiple of 32 bytes
 * away.
 */
// @ts-ignore: decorator
@inline
function ratios(p: i32, q: i32, end: i32, to: i32, shift: f32, rest: f32, exact: bool): f32 {
  const shifts = f32x4.splat(shift);
  const rests = f32x4.splat(rest);
  const signBit = v128.load(SIGN_BIT);
  let most0 = f32x4.splat(0);
  let most1 = most0;
  let least0 = f32x4.splat(Infinity);
  let least1 = least0;
  while (p < end) {
    const a0 = v128.load(q);
    const b0 = v128.load(p);
    const d0 = exact ? exactRatio(a0, b0, shifts, rests) : roundedRatio(a0, b0, shifts, rests);
    v128.store(to, d0);
    const size0 = magnitude(d0, signBit);
    most0 = f32x4.pmax(most0, size0);
    least0 = f32x4.pmin(least0, size0);
    const a1 = v128.load(q, 16);
    const b1 = v128.load(p, 16);
    const d1 = exact ? exactRatio(a1, b1, shifts, rests) : roundedRatio(a1, b1, shifts, rests);
    v128.store(to, d1, 16);
    const size1 = magnitude(d1, signBit);
    most1 = f32x4.pmax(most1, size1);
    least1 = f32x4.pmin(least1, size1);
    p += 32;
    q += 32;
    to += 32;
  }
  minimum = smallestLane(f32x4.pmin(least0, least1));
  return largestLane(f32x4.pmax(most0, most1));
}

// Two functions, since a choice in the loop would be made for every vector.
function exactRatios(p: i32, q: i32, end: i32, to: i32, shift: f32, rest: f32): f32 {
  return ratios(p, q, end, to, shift, rest, true);
}

function roundedRatios(p: i32, q: i32, end: i32, to: i32, shift: f32, rest: f32): f32 {
  return ratios(p, q, end, to, shift, rest, false);
}

/** exp D − 1 − D for |D| ≤ 1. */
// @ts-ignore: decorator
@inline
function remainder(d: v128, square: v128): v128 {
  const fourth = f32x4.mul(square, square);
  const even = madd(fourth, line(EVEN_2, EVEN_3, square), line(EVEN_0, EVEN_1, square));
  const odd = madd(fourth, v128.load(ODD_2), line(ODD_0, ODD_1, square));
  return f32x4.mul(square, madd(d, odd, even));
}

/**
 * With x = tanh(D / 2) = (q − p) / (q + p) for |D| ≤ 1: ¼ [(1 + x) log(1 + x) + (1 − x) log(1 − x)], which is even in
 * D. Times p + q it is the term of the Jensen-Shannon divergence.
 */
// @ts-ignore: decorator
@inline
function jensenNear(square: v128): v128 {
  const fourth = f32x4.mul(square, square);
  const high = madd(fourth, v128.load(JENSEN_4), line(JENSEN_2, JENSEN_3, square));
  return f32x4.mul(square, madd(fourth, high, line(JENSEN_0, JENSEN_1, square)));
}

/** The same for |D| > 1 from e = exp D: with u = exp −|D|, ½ [log(2 / (1 + u)) − |D| u / (1 + u)]. */
// @ts-ignore: decorator
@inline
function jensenFar(size: v128, e: v128): v128 {
  const one = v128.load(ONE);
  // u = low / high
  const low = f32x4.pmin(e, one);
  const high = f32x4.pmax(e, one);
  const both = f32x4.add(low, high);
  const more = f32x4.add(both, f32x4.add(high, high));
  const inverse = f32x4.div(one, f32x4.mul(both, more));
  // log(2 / (1 + u)) = 2 artanh((1 − u) / (3 + u))
  const v = f32x4.mul(f32x4.mul(f32x4.sub(high, low), both), inverse);
  const square = f32x4.mul(v, v);
  const fourth = f32x4.mul(square, square);
  const tail = madd(fourth, v128.load(ARTANH_4), line(ARTANH_2, ARTANH_3, square));
  const half = f32x4.mul(v, madd(fourth, tail, line(ARTANH_0, ARTANH_1, square)));
  const share = f32x4.mul(f32x4.mul(f32x4.mul(low, more), inverse), v128.load(EVEN_0));
  return nmadd(size, share, half);
}

function addTo(record: i32, field: i32, x: f64): void {
  const at = record + (field << 3);
  store<f64>(at, load<f64>(at) + x);
}

/** Sums a group where every |D| ≤ CLOSE, in two loops: a single one would need more registers than there are. */
function sumClose(ratio: i32, end: i32, exps: i32, record: i32): void {
  sumPowers(ratio, end, exps, record);
  sumDistances(ratio, end, exps, record);
}

/**
 * Σ p D^k for k from 1 to 6, of which all divergences but the total variation are made: each is a power series in D whose
 * further terms would not be seen in float32. `end` is a multiple of 32 bytes away.
 */
function sumPowers(ratio: i32, end: i32, exps: i32, record: i32): void {
  let sum1 = f32x4.splat(0);
  let sum2 = sum1;
  let sum3 = sum1;
  let sum4 = sum1;
  let sum5 = sum1;
  let sum6 = sum1;
  while (ratio < end) {
    const d0 = v128.load(ratio);
    const p0 = v128.load(exps);
    const square0 = f32x4.mul(d0, d0);
    const a1 = f32x4.mul(p0, d0);
    const a2 = f32x4.mul(p0, square0);
    const a3 = f32x4.mul(a1, square0);
    const a4 = f32x4.mul(a2, square0);
    sum1 = f32x4.add(sum1, a1);
    sum2 = f32x4.add(sum2, a2);
    sum3 = f32x4.add(sum3, a3);
    sum4 = f32x4.add(sum4, a4);
    sum5 = madd(a3, square0, sum5);
    sum6 = madd(a4, square0, sum6);
    const d1 = v128.load(ratio, 16);
    const p1 = v128.load(exps, 16);
    const square1 = f32x4.mul(d1, d1);
    const b1 = f32x4.mul(p1, d1);
    const b2 = f32x4.mul(p1, square1);
    const b3 = f32x4.mul(b1, square1);
    const b4 = f32x4.mul(b2, square1);
    sum1 = f32x4.add(sum1, b1);
    sum2 = f32x4.add(sum2, b2);
    sum3 = f32x4.add(sum3, b3);
    sum4 = f32x4.add(sum4, b4);
    sum5 = madd(b3, square1, sum5);
    sum6 = madd(b4, square1, sum6);
    ratio += 32;
    exps += 32;
  }
  const s1 = lanes(sum1);
  const s2 = lanes(sum2);
  const s3 = lanes(sum3);
  const s4 = lanes(sum4);
  const s5 = lanes(sum5);
  const s6 = lanes(sum6);
  // Fitted for least maximal relative error on |D| ≤ CLOSE: 2e-8, 1e-7 and 4e-8 of the terms. Σ p D has no part in them.
  const forward2 = 0.49999999936966605 * s2 + 0.16666642461501358 * s3 + 0.041666717170525204 * s4;
  const reverse2 = 0.49999999058111316 * s2 + 0.3333318880070739 * s3 + 0.12500099794893588 * s4;
  const jensen2 = 0.1249999995053481 * s2 + 0.0624998944531428 * s3 + 0.01562505019181449 * s4;
  addTo(record, FIELD.FORWARD, forward2 + 0.008348838946523421 * s5 + 0.001389534315093998 * s6);
  addTo(record, FIELD.REVERSE, reverse2 + 0.03342623358929998 * s5 + 0.006938634091925919 * s6);
  addTo(record, FIELD.JENSEN, jensen2 + 0.002610938731732142 * s5 + 0.00043385976864317643 * s6);
  addTo(record, FIELD.EXCESS, s1 + s2 / 2 + s3 / 6 + s4 / 24 + s5 / 120 + s6 / 720);
}

/** (exp D − 1) / D for |D| ≤ CLOSE. The constants are the caller's: see `powerAt` of distribution-row.ts. */
// @ts-ignore: decorator
@inline
function slope(d: v128, one: v128, c2: v128, c3: v128, c4: v128, c5: v128): v128 {
  return madd(madd(madd(madd(c5, d, c4), d, c3), d, c2), d, one);
}

/** Σ p |exp D − 1| and Σ p sign D. `end` is a multiple of 32 bytes away. */
function sumDistances(ratio: i32, end: i32, exps: i32, record: i32): void {
  const one = v128.load(ONE);
  const c2 = v128.load(HALF);
  const c3 = v128.load(SIXTH);
  const c4 = v128.load(FACTORIAL_4);
  const c5 = v128.load(FACTORIAL_5);
  const signBit = v128.load(SIGN_BIT);
  let distance0 = f32x4.splat(0);
  let distance1 = distance0;
  let signed0 = distance0;
  let signed1 = distance0;
  while (ratio < end) {
    const d0 = v128.load(ratio);
    const p0 = v128.load(exps);
    distance0 = madd(f32x4.mul(p0, magnitude(d0, signBit)), slope(d0, one, c2, c3, c4, c5), distance0);
    signed0 = f32x4.add(signed0, v128.xor(p0, v128.and(d0, signBit)));
    const d1 = v128.load(ratio, 16);
    const p1 = v128.load(exps, 16);
    distance1 = madd(f32x4.mul(p1, magnitude(d1, signBit)), slope(d1, one, c2, c3, c4, c5), distance1);
    signed1 = f32x4.add(signed1, v128.xor(p1, v128.and(d1, signBit)));
    ratio += 32;
    exps += 32;
  }
  addTo(record, FIELD.DISTANCE, lanes(f32x4.add(distance0, distance1)));
  addTo(record, FIELD.SIGNED, lanes(f32x4.add(signed0, signed1)));
}

function sumNear(ratio: i32, end: i32, exps: i32, record: i32): void {
  const signBit = v128.load(SIGN_BIT);
  let forward = f32x4.splat(0);
  let reverse = forward;
  let jensen = forward;
  let excess = forward;
  let distance = forward;
  let signed = forward;
  while (ratio < end) {
    const d = v128.load(ratio);
    const p = v128.load(exps);
    const square = f32x4.mul(d, d);
    const k3 = remainder(d, square);
    const e1 = f32x4.add(d, k3);
    const pk = f32x4.mul(p, k3);
    const t = f32x4.mul(p, e1);
    const sign = v128.and(d, signBit);
    forward = f32x4.add(forward, pk);
    reverse = f32x4.add(reverse, f32x4.sub(f32x4.mul(t, d), pk));
    jensen = madd(f32x4.add(f32x4.add(p, p), t), jensenNear(square), jensen);
    excess = f32x4.add(excess, t);
    distance = f32x4.add(distance, v128.xor(t, sign));
    signed = f32x4.add(signed, v128.xor(p, sign));
    ratio += 16;
    exps += 16;
  }
  addTo(record, FIELD.FORWARD, lanes(forward));
  addTo(record, FIELD.REVERSE, lanes(reverse));
  addTo(record, FIELD.JENSEN, lanes(jensen));
  addTo(record, FIELD.EXCESS, lanes(excess));
  addTo(record, FIELD.DISTANCE, lanes(distance));
  addTo(record, FIELD.SIGNED, lanes(signed));
}

function sumFar(ratio: i32, end: i32, exps: i32, record: i32): void {
  const signBit = v128.load(SIGN_BIT);
  const one = v128.load(ONE);
  let forward = f32x4.splat(0);
  let reverse = forward;
  let jensen = forward;
  let excess = forward;
  let distance = forward;
  let signed = forward;
  while (ratio < end) {
    const d = v128.load(ratio);
    const p = v128.load(exps);
    const size = magnitude(d, signBit);
    const near = f32x4.le(size, one);
    let k3: v128;
    let e1: v128;
    let r3: v128;
    let js: v128;
    if (i32x4.all_true(near)) {
      const square = f32x4.mul(d, d);
      k3 = remainder(d, square);
      e1 = f32x4.add(d, k3);
      r3 = f32x4.sub(f32x4.mul(d, e1), k3);
      js = jensenNear(square);
    } else {
      const n = rounded(d);
      const f = fraction(d, n);
      const power = powerOf2(n);
      const scaled = f32x4.mul(power, f);
      const rest = f32x4.mul(power, remainder(f, f32x4.mul(f, f)));
      const power1 = f32x4.sub(power, one);
      const e = f32x4.add(power, f32x4.add(scaled, rest));
      e1 = f32x4.add(power1, f32x4.add(scaled, rest));
      // Where |D| ≤ ln 2 / 2 only `rest` is not 0.
      k3 = f32x4.add(f32x4.add(power1, f32x4.sub(scaled, d)), rest);
      r3 = v128.bitselect(f32x4.sub(f32x4.mul(d, e1), k3), f32x4.sub(f32x4.mul(d, e), e1), near);
      js = v128.bitselect(jensenNear(f32x4.mul(d, d)), jensenFar(size, e), near);
    }
    const t = f32x4.mul(p, e1);
    const sign = v128.and(d, signBit);
    forward = madd(p, k3, forward);
    reverse = madd(p, r3, reverse);
    jensen = madd(f32x4.add(f32x4.add(p, p), t), js, jensen);
    excess = f32x4.add(excess, t);
    distance = f32x4.add(distance, v128.xor(t, sign));
    signed = f32x4.add(signed, v128.xor(p, sign));
    ratio += 16;
    exps += 16;
  }
  addTo(record, FIELD.FORWARD, lanes(forward));
  addTo(record, FIELD.REVERSE, lanes(reverse));
  addTo(record, FIELD.JENSEN, lanes(jensen));
  addTo(record, FIELD.EXCESS, lanes(excess));
  addTo(record, FIELD.DISTANCE, lanes(distance));
  addTo(record, FIELD.SIGNED, lanes(signed));
}

function sumZeros(ratio: i32, end: i32, exps: i32, record: i32, uncertain: f32): void {
  const signBit = v128.load(SIGN_BIT);
  let zero = f32x4.splat(0);
  while (ratio < end) {
    const isZero = f32x4.lt(magnitude(v128.load(ratio), signBit), f32x4.splat(uncertain));
    zero = f32x4.add(zero, v128.and(v128.load(exps), isZero));
    ratio += 16;
    exps += 16;
  }
  addTo(record, FIELD.ZERO, lanes(zero));
}

/**
 * Sums what P and Q differ by over the first `columns` columns, a record per block, with D = (zq − zp) − shift − rest
 * for log q − log p: float32 rows `p` and `q`, `exps` as `describe` left them for P with `keep` 1. With `exact` 0,
 * zq − zp is rounded. `scratch` has room for one group.
 */
export function compare(
  p: i32,
  q: i32,
  exps: i32,
  columns: i32,
  shift: f32,
  rest: f32,
  exact: i32,
  uncertain: f32,
  scratch: i32,
  records: i32,
): void {
  const size = columns << 2;
  for (let pad = size; (pad & 31) != 0; pad += 4) {
    store<f32>(p + pad, 0);
    store<f32>(q + pad, shift);
    store<f32>(exps + pad, 0);
  }
  furthest = 0;
  for (let start = 0; start < size; start += BLOCK << 2) {
    for (let field = 0; field < PAIR_RECORD; field += 8) store<f64>(records + field, 0);
    const stop = min(start + (BLOCK << 2), size);
    for (let at = start; at < stop; at += GROUP) {
      const length = (min(GROUP, stop - at) + 31) & ~31;
      const last = scratch + length;
      const most = exact
        ? exactRatios(p + at, q + at, p + at + length, scratch, shift, rest)
        : roundedRatios(p + at, q + at, p + at + length, scratch, shift, rest);
      const isCertain = minimum >= uncertain;
      if (!isCertain) sumZeros(scratch, last, exps + at, records, uncertain);
      if (most <= CLOSE && isCertain) sumClose(scratch, last, exps + at, records);
      else if (most <= NEAR) sumNear(scratch, last, exps + at, records);
      else sumFar(scratch, last, exps + at, records);
      furthest = max(furthest, most);
    }
    records += PAIR_RECORD;
  }
}
