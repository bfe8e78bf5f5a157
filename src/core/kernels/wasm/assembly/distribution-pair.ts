// AssemblyScript: sums what the rows of two policies differ by; see distribution.ts.

import { BLOCK } from "./distribution-row";
import {
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
  SIGN_BIT,
  fraction,
  lanes,
  largestLane,
  line,
  powerOf2,
  rounded,
  smallestLane,
} from "./vectors";

/** Bytes of a block's record: the sums below as float64. */
export const PAIR_RECORD: i32 = 56;

// Columns that are looked at together: near ones take polynomials in D = log q − log p.
const GROUP: i32 = 64 * 4;
/** Where the polynomials in D hold. */
const NEAR: f32 = 1;

let minimum: f32 = 0;
let furthest: f32 = 0;

/** The largest |log q − log p| of the last `compare`, NaN aside. */
export function furthestRatio(): f32 {
  return furthest;
}

/**
 * D of a group: (zq − zp) − shift − offset, where the shift is given as a sum of two float32 and zq − zp is taken
 * without rounding (Knuth's TwoSum), so that D keeps its digits where rows differ by a constant. Returns the largest
 * |D|; `minimum` is the smallest.
 */
function ratios(p: i32, q: i32, end: i32, to: i32, shift: f32, shiftLow: f32, offset: f32): f32 {
  let most = f32x4.splat(0);
  let least = f32x4.splat(Infinity);
  while (p < end) {
    const a = v128.load(q);
    const b = v128.load(p);
    const s = f32x4.sub(a, b);
    const t = f32x4.sub(s, a);
    const error = f32x4.sub(f32x4.sub(a, f32x4.sub(s, t)), f32x4.add(b, t));
    const rest = f32x4.sub(f32x4.sub(error, f32x4.splat(shiftLow)), f32x4.splat(offset));
    const d = f32x4.add(f32x4.sub(s, f32x4.splat(shift)), rest);
    v128.store(to, d);
    const size = f32x4.abs(d);
    most = f32x4.pmax(most, size);
    least = f32x4.pmin(least, size);
    p += 16;
    q += 16;
    to += 16;
  }
  minimum = smallestLane(least);
  return largestLane(most);
}

// Σ over a block, relative to exp of its maximum in P, as float32 lanes in memory:
const FORWARD: i32 = 0; // p (exp D − 1 − D)
const REVERSE: i32 = 16; // p (D exp D − exp D + 1)
const JENSEN: i32 = 32; // p and q against their mean
const EXCESS: i32 = 48; // p (exp D − 1)
const DISTANCE: i32 = 64; // p |exp D − 1|
const SIGNED: i32 = 80; // p sign D
const ZERO: i32 = 96; // p where |D| is so small that its sign is not certain
const SUMS: i32 = 112;

/** exp D − 1 − D for |D| ≤ 1. */
// @ts-ignore: decorator
@inline
function remainder(d: v128, square: v128): v128 {
  const fourth = f32x4.mul(square, square);
  const even = f32x4.add(line(EVEN_0, EVEN_1, square), f32x4.mul(fourth, line(EVEN_2, EVEN_3, square)));
  const odd = f32x4.add(line(ODD_0, ODD_1, square), f32x4.mul(fourth, v128.load(ODD_2)));
  return f32x4.mul(square, f32x4.add(even, f32x4.mul(d, odd)));
}

/**
 * With x = tanh(D / 2) = (q − p) / (q + p) for |D| ≤ 1: ¼ [(1 + x) log(1 + x) + (1 − x) log(1 − x)], which is even in
 * D. Times p + q it is the term of the Jensen-Shannon divergence.
 */
// @ts-ignore: decorator
@inline
function jensenNear(square: v128): v128 {
  const fourth = f32x4.mul(square, square);
  const high = f32x4.add(line(JENSEN_2, JENSEN_3, square), f32x4.mul(fourth, v128.load(JENSEN_4)));
  return f32x4.mul(square, f32x4.add(line(JENSEN_0, JENSEN_1, square), f32x4.mul(fourth, high)));
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
  const tail = f32x4.add(line(ARTANH_2, ARTANH_3, square), f32x4.mul(fourth, v128.load(ARTANH_4)));
  const half = f32x4.mul(v, f32x4.add(line(ARTANH_0, ARTANH_1, square), f32x4.mul(fourth, tail)));
  const share = f32x4.mul(f32x4.mul(f32x4.mul(low, more), inverse), v128.load(EVEN_0));
  return f32x4.sub(half, f32x4.mul(size, share));
}

// @ts-ignore: decorator
@inline
function addTo(sums: i32, field: i32, x: v128): void {
  v128.store(sums + field, f32x4.add(v128.load(sums + field), x));
}

function sumNear(ratio: i32, end: i32, exps: i32, sums: i32): void {
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
    jensen = f32x4.add(jensen, f32x4.mul(f32x4.add(f32x4.add(p, p), t), jensenNear(square)));
    excess = f32x4.add(excess, t);
    distance = f32x4.add(distance, v128.xor(t, sign));
    signed = f32x4.add(signed, v128.xor(p, sign));
    ratio += 16;
    exps += 16;
  }
  addTo(sums, FORWARD, forward);
  addTo(sums, REVERSE, reverse);
  addTo(sums, JENSEN, jensen);
  addTo(sums, EXCESS, excess);
  addTo(sums, DISTANCE, distance);
  addTo(sums, SIGNED, signed);
}

function sumFar(ratio: i32, end: i32, exps: i32, sums: i32): void {
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
    const size = f32x4.abs(d);
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
    forward = f32x4.add(forward, f32x4.mul(p, k3));
    reverse = f32x4.add(reverse, f32x4.mul(p, r3));
    jensen = f32x4.add(jensen, f32x4.mul(f32x4.add(f32x4.add(p, p), t), js));
    excess = f32x4.add(excess, t);
    distance = f32x4.add(distance, v128.xor(t, sign));
    signed = f32x4.add(signed, v128.xor(p, sign));
    ratio += 16;
    exps += 16;
  }
  addTo(sums, FORWARD, forward);
  addTo(sums, REVERSE, reverse);
  addTo(sums, JENSEN, jensen);
  addTo(sums, EXCESS, excess);
  addTo(sums, DISTANCE, distance);
  addTo(sums, SIGNED, signed);
}

function sumZeros(ratio: i32, end: i32, exps: i32, sums: i32, uncertain: f32): void {
  let zero = f32x4.splat(0);
  while (ratio < end) {
    const isZero = f32x4.lt(f32x4.abs(v128.load(ratio)), f32x4.splat(uncertain));
    zero = f32x4.add(zero, v128.and(v128.load(exps), isZero));
    ratio += 16;
    exps += 16;
  }
  addTo(sums, ZERO, zero);
}

/**
 * Sums what P and Q differ by over the first `columns` columns, a record per block, with D = (zq − zp) − shift − offset
 * for log q − log p: float32 rows `p` and `q`, `exps` as `describe` left them for P with `keep` 1. `scratch` has room
 * for SUMS and one group.
 */
export function compare(
  p: i32,
  q: i32,
  exps: i32,
  columns: i32,
  shift: f32,
  shiftLow: f32,
  offset: f32,
  uncertain: f32,
  scratch: i32,
  records: i32,
): void {
  const zero = f32x4.splat(0);
  const size = columns << 2;
  for (let pad = size; (pad & 15) != 0; pad += 4) {
    store<f32>(p + pad, 0);
    store<f32>(q + pad, shift);
    store<f32>(exps + pad, 0);
  }
  const ratio = scratch + SUMS;
  furthest = 0;
  for (let start = 0; start < size; start += BLOCK << 2) {
    for (let field = 0; field < SUMS; field += 16) v128.store(scratch + field, zero);
    const stop = min(start + (BLOCK << 2), size);
    for (let at = start; at < stop; at += GROUP) {
      const length = (min(GROUP, stop - at) + 15) & ~15;
      const most = ratios(p + at, q + at, p + at + length, ratio, shift, shiftLow, offset);
      if (minimum < uncertain) sumZeros(ratio, ratio + length, exps + at, scratch, uncertain);
      if (most <= NEAR) sumNear(ratio, ratio + length, exps + at, scratch);
      else sumFar(ratio, ratio + length, exps + at, scratch);
      furthest = max(furthest, most);
    }
    for (let field = 0; field < 7; field++) {
      store<f64>(records + (field << 3), lanes(v128.load(scratch + (field << 4))));
    }
    records += PAIR_RECORD;
  }
}
