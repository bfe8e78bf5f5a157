// AssemblyScript: sums one policy's row, block by block; see distribution.ts.

import * as FIELD from "../distribution-fields";
import {
  BLOCK,
  FRACTIONS,
  LOG2_E,
  ONE,
  POWERS,
  ROUNDER,
  TWO_1,
  TWO_2,
  TWO_3,
  TWO_4,
  TWO_5,
  lanes,
  largestLane,
  madd,
  nmadd,
  smallestLane,
} from "./vectors";

/** Float32 values that may be overwritten behind the last column of a row. */
export const SLACK: i32 = 16;
/** Bytes of a block's record. */
export const ROW_RECORD: i32 = FIELD.ROW_FIELDS * 8;

/** The smallest finite float32 stands for -Infinity, and behind the last column. */
const LOWEST: f32 = -3.4028234663852886e38;
/** exp of anything lower is taken for 0; above it, no float32 is subnormal. */
const EXP_LOW: f32 = -87;

let top: i32 = 0;
let capacity: i32 = 0;
let filled: i32 = 0;
let threshold: f32 = 0;
let smallest: f32 = 0;
let blockLow: f32 = 0;
let above: i32 = 0;

/** Starts a row. `list` has room for `k` entries of 8 bytes: float32 logit, i32 column. */
export function startRow(list: i32, k: i32): void {
  top = list;
  capacity = k;
  filled = 0;
  threshold = k > 0 ? -Infinity : Infinity;
  smallest = Infinity;
  above = 0;
}

/** Entries of the list of the most probable columns. */
export function topCount(): i32 {
  return filled;
}

/** Columns of the row so far with a larger logit than the actual token's. */
export function largerCount(): i32 {
  return above;
}

/** The row's smallest logit so far, NaN aside. */
export function lowestLogit(): f32 {
  return smallest;
}

function decodeBfloat16(from: i32, to: i32, end: i32): void {
  const zero = i32x4.splat(0);
  while (to < end) {
    const raw = v128.load(from);
    v128.store(to, i16x8.shuffle(zero, raw, 0, 8, 1, 9, 2, 10, 3, 11));
    v128.store(to, i16x8.shuffle(zero, raw, 4, 12, 5, 13, 6, 14, 7, 15), 16);
    from += 16;
    to += 32;
  }
}

/** Four binary16 in the low halves: the exponent is rebased by a multiplication, which gets subnormals right, too. */
// @ts-ignore: decorator
@inline
function widened(half: v128): v128 {
  const magnitude = i32x4.shl(v128.and(half, i32x4.splat(0x7fff)), 13);
  const sign = i32x4.shl(v128.and(half, i32x4.splat(0x8000)), 16);
  const special = v128.and(i32x4.gt_s(magnitude, i32x4.splat(0x0f7fffff)), i32x4.splat(0x7f800000));
  return v128.or(v128.or(f32x4.mul(magnitude, f32x4.splat(5.192296858534828e33)), special), sign);
}

function decodeFloat16(from: i32, to: i32, end: i32): void {
  while (to < end) {
    const raw = v128.load(from);
    v128.store(to, widened(i32x4.extend_low_i16x8_u(raw)));
    v128.store(to, widened(i32x4.extend_high_i16x8_u(raw)), 16);
    from += 16;
    to += 32;
  }
}

/** The block's maximum, at least LOWEST; `blockLow` is its minimum. `end` is a multiple of 64 bytes away. */
function scan(at: i32, end: i32): f32 {
  let high0 = f32x4.splat(LOWEST);
  let high1 = high0;
  let low0 = f32x4.splat(Infinity);
  let low1 = low0;
  while (at < end) {
    const a = v128.load(at);
    const b = v128.load(at, 16);
    const c = v128.load(at, 32);
    const d = v128.load(at, 48);
    high0 = f32x4.pmax(f32x4.pmax(high0, a), c);
    high1 = f32x4.pmax(f32x4.pmax(high1, b), d);
    low0 = f32x4.pmin(f32x4.pmin(low0, a), c);
    low1 = f32x4.pmin(f32x4.pmin(low1, b), d);
    at += 64;
  }
  blockLow = smallestLane(f32x4.pmin(low0, low1));
  smallest = min(smallest, blockLow);
  return largestLane(f32x4.pmax(high0, high1));
}

/** Counts the columns with a larger logit than `actual`. */
function countAbove(at: i32, end: i32, actual: f32): void {
  const token = f32x4.splat(actual);
  let count0 = i32x4.splat(0);
  let count1 = count0;
  for (; at < end; at += 64) {
    count0 = i32x4.sub(count0, f32x4.gt(v128.load(at), token));
    count1 = i32x4.sub(count1, f32x4.gt(v128.load(at, 16), token));
    count0 = i32x4.sub(count0, f32x4.gt(v128.load(at, 32), token));
    count1 = i32x4.sub(count1, f32x4.gt(v128.load(at, 48), token));
  }
  const count = i32x4.add(count0, count1);
  const pair = i32x4.add(count, i32x4.shuffle(count, count, 2, 3, 2, 3));
  above += i32x4.extract_lane(pair, 0) + i32x4.extract_lane(pair, 1);
}

/** Puts columns whose logit beats the list's last into the list; the earlier column stays first among equals. */
function offer(row: i32, from: i32, to: i32): void {
  for (let column = from; column < to; column += 4) {
    let beats = i32x4.bitmask(f32x4.gt(v128.load(row + (column << 2)), f32x4.splat(threshold)));
    for (; beats != 0; beats &= beats - 1) {
      const id = column + ctz(beats);
      const logit = load<f32>(row + (id << 2));
      if (id >= to || !(logit > threshold)) continue;
      let place = filled < capacity ? filled++ : capacity - 1;
      while (place > 0 && load<f32>(top + ((place - 1) << 3)) < logit) {
        store<u64>(top + (place << 3), load<u64>(top + ((place - 1) << 3)));
        place--;
      }
      store<f32>(top + (place << 3), logit);
      store<i32>(top + (place << 3), id, 4);
      if (filled == capacity) threshold = load<f32>(top + ((capacity - 1) << 3));
    }
  }
}

/** Bytes of float32 after which their sums go into float64: 32 terms in each lane. */
const STRETCH: i32 = 2 * 32 * 16;

// @ts-ignore: decorator
@inline
function splitPower(i: i32, x: v128, log2e: v128, rounder: v128): void {
  const n = madd(x, log2e, rounder);
  v128.store(i, n, POWERS);
  v128.store(i, madd(x, log2e, f32x4.sub(rounder, n)), FRACTIONS);
}

/** x log2 e = n + f for x = z − high: n as `rounded` has it to POWERS, f to FRACTIONS. */
function splitPowers(at: i32, size: i32, high: f32): void {
  const highs = f32x4.splat(high);
  const log2e = v128.load(LOG2_E);
  const rounder = v128.load(ROUNDER);
  for (let i = 0; i < size; i += 32) {
    splitPower(i, f32x4.sub(v128.load(at + i), highs), log2e, rounder);
    splitPower(i + 16, f32x4.sub(v128.load(at + i, 16), highs), log2e, rounder);
  }
}

/**
 * 2^n 2^f of what `splitPowers` left at `i`. The constants are the caller's: they would be loaded anew for every vector
 * otherwise, and these loops are most of all the time.
 */
// @ts-ignore: decorator
@inline
function powerAt(i: i32, one: v128, c1: v128, c2: v128, c3: v128, c4: v128, c5: v128): v128 {
  const f = v128.load(i, FRACTIONS);
  const p1 = madd(madd(madd(madd(c5, f, c4), f, c3), f, c2), f, c1);
  // n goes into the exponent's bits.
  return i32x4.add(i32x4.shl(v128.load(i, POWERS), 23), madd(p1, f, one));
}

/**
 * exp(z − high) = 2^n 2^f for EXP_LOW ≤ z − high ≤ 0; fields of the block's record: their sum, and Σ exp(z − high)
 * (high − z). Two loops: a processor holds a limited number of waiting operations, so one long chain of them takes longer
 * than two short ones, and each loop has registers enough. `end` is a multiple of 64 bytes away.
 */
function exponentials(at: i32, end: i32, exps: i32, high: f32, record: i32): void {
  const size = end - at;
  splitPowers(at, size, high);
  const highs = f32x4.splat(high);
  const one = v128.load(ONE);
  const c1 = v128.load(TWO_1);
  const c2 = v128.load(TWO_2);
  const c3 = v128.load(TWO_3);
  const c4 = v128.load(TWO_4);
  const c5 = v128.load(TWO_5);
  let sum = 0.0;
  let weighted = 0.0;
  let i = 0;
  while (i < size) {
    let sums0 = f32x4.splat(0);
    let sums1 = sums0;
    let weights0 = sums0;
    let weights1 = sums0;
    const stop = min(i + STRETCH, size);
    do {
      const x0 = f32x4.sub(v128.load(at + i), highs);
      const e0 = powerAt(i, one, c1, c2, c3, c4, c5);
      v128.store(exps + i, e0);
      sums0 = f32x4.add(sums0, e0);
      weights0 = nmadd(e0, x0, weights0);
      const x1 = f32x4.sub(v128.load(at + i, 16), highs);
      const e1 = powerAt(i + 16, one, c1, c2, c3, c4, c5);
      v128.store(exps + i, e1, 16);
      sums1 = f32x4.add(sums1, e1);
      weights1 = nmadd(e1, x1, weights1);
      i += 32;
    } while (i < stop);
    sum += lanes(f32x4.add(sums0, sums1));
    weighted += lanes(f32x4.add(weights0, weights1));
  }
  store<f64>(record, sum, FIELD.SUM << 3);
  store<f64>(record, weighted, FIELD.WEIGHTED << 3);
}

/** The same where logits may lie further below: their exponentials are 0. NaN stays NaN. */
function exponentialsOfAll(at: i32, end: i32, exps: i32, high: f32, record: i32): void {
  const floor = f32x4.splat(high + EXP_LOW);
  const shift = exps - at;
  for (let from = at; from < end; from += 16) v128.store(from + shift, f32x4.pmax(v128.load(from), floor));
  // What 1e-38 each adds to the sums is nothing beside the least rest that the driver accepts.
  exponentials(exps, end + shift, exps, high, record);
  for (let from = at; from < end; from += 16) {
    const isZero = f32x4.le(v128.load(from), floor);
    v128.store(from + shift, v128.andnot(v128.load(from + shift), isZero));
  }
}

/**
 * Sums the columns `[from, to)` of a row. `format` 0: the logits lie in `row`; 1 bfloat16, 2 binary16: they lie in
 * `raw` and are written to `row` as float32. `exps` receives exp(z − the block's maximum), each block behind the one
 * before where `keep` is 1. A block whose maximum exceeds all before it (of this row and call) has that one term, which
 * is 1, left out of its sum. The row behind `to` is overwritten up to SLACK values and restored.
 */
export function describe(
  format: i32,
  raw: i32,
  row: i32,
  exps: i32,
  keep: i32,
  from: i32,
  to: i32,
  actual: f32,
  records: i32,
): void {
  let running = LOWEST;
  for (let start = from; start < to; start += BLOCK) {
    const stop = min(start + BLOCK, to);
    const at = row + (start << 2);
    const last = row + (stop << 2);
    const end = at + ((((stop - start) << 2) + 63) & ~63);
    if (format == 1) decodeBfloat16(raw + (start << 1), at, end);
    else if (format == 2) decodeFloat16(raw + (start << 1), at, end);
    const behind0 = v128.load(last);
    const behind1 = v128.load(last, 16);
    const behind2 = v128.load(last, 32);
    const behind3 = v128.load(last, 48);
    for (let pad = last; pad < end; pad += 4) store<f32>(pad, LOWEST);

    const high = scan(at, end);
    if (high > actual) countAbove(at, end, actual);
    if (high > threshold) offer(row, start, stop);
    store<f32>(records, high, FIELD.HIGH << 3);
    if (high > running) {
      running = high;
      let most = at;
      while (load<f32>(most) != high) most += 4;
      store<f32>(most, LOWEST);
      exponentialsOfAll(at, end, exps, high, records);
      store<f32>(most, high);
      store<f32>(exps + (most - at), 1);
    } else if (blockLow - high >= EXP_LOW) exponentials(at, end, exps, high, records);
    else exponentialsOfAll(at, end, exps, high, records);

    v128.store(last, behind0);
    v128.store(last, behind1, 16);
    v128.store(last, behind2, 32);
    v128.store(last, behind3, 48);
    if (keep) exps += BLOCK << 2;
    records += ROW_RECORD;
  }
}

/** Writes the smallest finite number for every -Infinity of a row. */
export function boundBelow(row: i32, columns: i32): void {
  const end = row + (columns << 2);
  for (let at = row; at < end; at += 16) v128.store(at, f32x4.pmax(v128.load(at), f32x4.splat(LOWEST)));
}
