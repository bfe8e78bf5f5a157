// AssemblyScript, for WebAssembly SIMD: the fused pass over rollout, trainer and mask. `../../scalar.ts` defines the
// sums, `../../mismatch.ts` drives this: it copies a chunk of tokens in, calls `compact`, then `accumulate`, and reads
// the records.
//
// Single precision per token, float64 sums. Every quantity is formed so that it is small where the mismatch is small
// (exp Δ − 1 − Δ is the reduced polynomial of exp itself), and all sums are plain sums around 0: the driver tests
// whether that was accurate enough for the data, and hands a segment to the twin where it was not.
//
// No allocation and no static data: all addresses are fixed.

import * as FIELD from "../record-fields";

/** Tokens of one chunk. */
export const CHUNK: i32 = 8192;
/** Float64 fields of one segment's record. */
export const RECORD: i32 = FIELD.RECORD;

// Tokens outside these bounds, NaN and infinities included, are listed for the driver instead of summed.
const DELTA_BOUND: f32 = 8;
const ROLLOUT_LOW: f32 = -40;
const ROLLOUT_HIGH: f32 = 4;

// Loads and stores of whole vectors may reach this far beyond the last token.
const SLACK: i32 = 64;
const WORDS: i32 = CHUNK * 4 + SLACK;

/** Byte shuffles that move the lanes named by four bits to the front. */
const SHUFFLES: i32 = 1024;

// Written by the driver.
export const ROLLOUT_IN: i32 = SHUFFLES + 256;
export const TRAINER_IN: i32 = ROLLOUT_IN + WORDS;
export const MASK_IN: i32 = TRAINER_IN + WORDS;
/** i32: where each row of the chunk starts, and behind them where the last one ends. */
export const OFFSETS_IN: i32 = MASK_IN + CHUNK + SLACK;

// Written by `compact`. A slot is the place of an ordinary token with mask 1; slots have no gaps.
const ROLLOUT: i32 = OFFSETS_IN + WORDS;
const TRAINER: i32 = ROLLOUT + WORDS;
export const SLOT_ROLLOUT: i32 = ROLLOUT;
export const SLOT_TRAINER: i32 = TRAINER;
/** i32: the token's position in the block. */
export const SLOT_INDEX: i32 = TRAINER + WORDS;
/** i32 per segment: its row in the chunk, its first slot; behind the last segment the number of slots. */
export const SEGMENT_ROW: i32 = SLOT_INDEX + WORDS;
export const SEGMENT_START: i32 = SEGMENT_ROW + WORDS;
/** i32 per token left to the driver: its position in the chunk, its segment. */
export const LEFT_POSITION: i32 = SEGMENT_START + WORDS;
export const LEFT_SEGMENT: i32 = LEFT_POSITION + WORDS;

// Written by `accumulate`: float32 per slot, a record per segment.
export const SLOT_DELTA: i32 = LEFT_SEGMENT + WORDS;
export const SLOT_PROB_DIFF: i32 = SLOT_DELTA + WORDS;
export const SLOT_K3: i32 = SLOT_PROB_DIFF + WORDS;
export const RECORDS: i32 = SLOT_K3 + WORDS;
const MEMORY_END: i32 = RECORDS + (CHUNK + 2) * RECORD * 8;

let slots: i32 = 0;
let segments: i32 = 0;
let left: i32 = 0;

memory.grow((MEMORY_END >> 16) + 1 - memory.size());
for (let lanes = 0; lanes < 16; lanes++) {
  let to = SHUFFLES + lanes * 16;
  for (let lane = 0; lane < 4; lane++) {
    if ((lanes >> lane) & 1) {
      store<i32>(to, 0x03020100 + lane * 0x04040404);
      to += 4;
    }
  }
}

/** Tokens that the last `compact` left to the driver. */
export function leftCount(): i32 {
  return left;
}

// @ts-ignore: decorator
@inline
function openSegment(row: i32, start: i32): void {
  store<i32>(SEGMENT_ROW + (segments << 2), row);
  store<i32>(SEGMENT_START + (segments << 2), start);
  segments++;
}

/** Of the four tokens at byte offset `at`, a bit for each that is out of bounds. */
// @ts-ignore: decorator
@inline
function outOfBounds(at: i32): i32 {
  const rollout = v128.load(ROLLOUT_IN + at);
  const delta = f32x4.sub(v128.load(TRAINER_IN + at), rollout);
  const inside = v128.and(
    f32x4.le(f32x4.abs(delta), f32x4.splat(DELTA_BOUND)),
    v128.and(f32x4.ge(rollout, f32x4.splat(ROLLOUT_LOW)), f32x4.le(rollout, f32x4.splat(ROLLOUT_HIGH))),
  );
  return i32x4.bitmask(inside) ^ 15;
}

/** Up to 16 tokens of one row, with any mask and any values. */
function compactMixed(position: i32, base: i32, row: i32, bits: i32, opening: i32, odd: i32): void {
  const kept = bits & ~odd;
  const first = segments;
  for (let rest = opening; rest != 0; rest &= rest - 1) {
    openSegment(row, slots + popcnt(kept & ((rest & -rest) - 1)));
  }
  for (let rest = odd; rest != 0; rest &= rest - 1) {
    const bit = rest & -rest;
    store<i32>(LEFT_POSITION + (left << 2), position + ctz(rest));
    store<i32>(LEFT_SEGMENT + (left << 2), first - 1 + popcnt(opening & (bit | (bit - 1))));
    left++;
  }
  let at = position << 2;
  let index = i32x4.add(i32x4(0, 1, 2, 3), i32x4.splat(base + position));
  for (let rest = kept; rest != 0; rest >>= 4) {
    const lanes = rest & 15;
    const shuffle = v128.load(SHUFFLES + (lanes << 4));
    const to = slots << 2;
    v128.store(ROLLOUT + to, i8x16.swizzle(v128.load(ROLLOUT_IN + at), shuffle));
    v128.store(TRAINER + to, i8x16.swizzle(v128.load(TRAINER_IN + at), shuffle));
    v128.store(SLOT_INDEX + to, i8x16.swizzle(index, shuffle));
    index = i32x4.add(index, i32x4.splat(4));
    slots += popcnt(lanes);
    at += 16;
  }
}

/**
 * Gives every ordinary token with mask 1 a slot, and lists the segments: turns, or with `turns` 0 one segment per
 * row. With `continued` 1 the first row is the rest of a row that was cut inside a turn. `base` is the position of
 * the chunk in the block. Returns the number of segments.
 */
export function compact(rows: i32, base: i32, turns: i32, continued: i32): i32 {
  slots = 0;
  segments = 0;
  left = 0;
  let position = load<i32>(OFFSETS_IN);
  for (let row = 0; row < rows; row++) {
    const end = load<i32>(OFFSETS_IN + 4 + (row << 2));
    // The mask of the token before.
    let previous = continued;
    continued = 0;
    if (previous | (turns ^ 1)) openSegment(row, slots);
    while (position < end) {
      const count = min(end - position, 16);
      const mask = v128.load(MASK_IN + position);
      const bits = i8x16.bitmask(i8x16.ne(mask, i8x16.splat(0))) & ((1 << count) - 1);
      if (bits != 0) {
        const at = position << 2;
        const odd =
          (outOfBounds(at) | (outOfBounds(at + 16) << 4) | (outOfBounds(at + 32) << 8) | (outOfBounds(at + 48) << 12)) &
          bits;
        if (bits == 0xffff && odd == 0) {
          if (turns & (previous ^ 1)) openSegment(row, slots);
          const to = slots << 2;
          const index = i32x4.add(i32x4(0, 1, 2, 3), i32x4.splat(base + position));
          for (let k = 0; k < 64; k += 16) {
            v128.store(ROLLOUT + to + k, v128.load(ROLLOUT_IN + at + k));
            v128.store(TRAINER + to + k, v128.load(TRAINER_IN + at + k));
            v128.store(SLOT_INDEX + to + k, i32x4.add(index, i32x4.splat(k >> 2)));
          }
          slots += 16;
        } else {
          compactMixed(position, base, row, bits, turns ? bits & ~((bits << 1) | previous) : 0, odd);
        }
      }
      previous = (bits >> (count - 1)) & 1;
      position += count;
    }
  }
  store<i32>(SEGMENT_START + (segments << 2), slots);
  return segments;
}

// @ts-ignore: decorator
@inline
function low(x: v128): v128 {
  return f64x2.promote_low_f32x4(x);
}

// @ts-ignore: decorator
@inline
function high(x: v128): v128 {
  return f64x2.promote_low_f32x4(i32x4.shuffle(x, x, 2, 3, 2, 3));
}

// @ts-ignore: decorator
@inline
function addPair(record: i32, field: i32, x: v128): void {
  const at = record + (field << 3);
  store<f64>(at, load<f64>(at) + (f64x2.extract_lane(x, 0) + f64x2.extract_lane(x, 1)));
}

// @ts-ignore: decorator
@inline
function addLanes(record: i32, field: i32, x: v128): void {
  addPair(record, field, f64x2.add(low(x), high(x)));
}

// @ts-ignore: decorator
@inline
function times(x: v128, y: f32): v128 {
  return f32x4.mul(x, f32x4.splat(y));
}

// exp x = 2^n exp f, |f| ≤ ln 2 / 2. Adding 1.5 · 2^23 rounds x / ln 2 to n and leaves n in the low bits.
const ROUNDER: f32 = 12582912;
const LN2_HIGH: f32 = 0.693359375;
const LN2_LOW: f32 = -2.12194440e-4;

// @ts-ignore: decorator
@inline
function rounded(x: v128): v128 {
  return f32x4.add(times(x, 1.44269504), f32x4.splat(ROUNDER));
}

// @ts-ignore: decorator
@inline
function fraction(x: v128, rounded: v128): v128 {
  const n = f32x4.sub(rounded, f32x4.splat(ROUNDER));
  return f32x4.sub(f32x4.sub(x, times(n, LN2_HIGH)), times(n, LN2_LOW));
}

// @ts-ignore: decorator
@inline
function powerOf2(rounded: v128): v128 {
  return i32x4.add(i32x4.shl(rounded, 23), i32x4.splat(0x3f800000));
}

/** exp f − 1 − f, relative error 4e-9 beside rounding: f² P(f), P fitted for least maximal relative error. */
// @ts-ignore: decorator
@inline
function remainder(f: v128): v128 {
  const square = f32x4.mul(f, f);
  const p0 = f32x4.add(f32x4.splat(0.5), times(f, 0.1666666716337204));
  const p1 = f32x4.add(f32x4.splat(0.041666530072689056), times(f, 0.008333245292305946));
  const p2 = f32x4.add(f32x4.splat(0.0013928752159699798), times(f, 0.0001990879827644676));
  return f32x4.mul(square, f32x4.add(p0, f32x4.mul(square, f32x4.add(p1, f32x4.mul(square, p2)))));
}

// Bytes of float32 after which float32 partial sums go into the float64 record: 32 additions per lane.
const BLOCK: i32 = 32 * 16;

function accumulateSegment(start: i32, end: i32, record: i32): void {
  const zero = f32x4.splat(0);
  // With an odd number of fields this reaches into the next record, which is cleared and filled later.
  for (let k = 0; k < RECORD * 8; k += 16) v128.store(record + k, zero);
  store<f64>(record + (FIELD.N << 3), <f64>(end - start));

  // Zeros behind the last token fill its vector and add nothing to any sum; they belong to the next segment.
  const last = end << 2;
  const nextRollout = v128.load(ROLLOUT + last);
  const nextTrainer = v128.load(TRAINER + last);
  v128.store(ROLLOUT + last, zero);
  v128.store(TRAINER + last, zero);

  let deltaMin = f32x4.splat(Infinity);
  let deltaMax = f32x4.splat(-Infinity);
  let diffMax = zero;
  let at = start << 2;
  while (at < last) {
    const stop = min(at + BLOCK, last);
    let delta0 = zero;
    let delta1 = zero;
    let deltaSquares = zero;
    let ups = zero;
    let downs = zero;
    let upCounts = zero;
    let downCounts = zero;
    let k3s = zero;
    let excessSquares = zero;
    let diffs = zero;
    let diffSquares = zero;
    let absDiffs = zero;
    let tails = zero;
    let tailSquares = zero;
    let products = zero;
    let rollout0 = zero;
    let rollout1 = zero;
    let trainer0 = zero;
    let trainer1 = zero;
    do {
      const r = v128.load(at + ROLLOUT);
      const t = v128.load(at + TRAINER);

      // These are signed and may be far smaller than the sums of magnitudes: exact terms, added in float64.
      const r0 = low(r);
      const r1 = high(r);
      const t0 = low(t);
      const t1 = high(t);
      rollout0 = f64x2.add(rollout0, r0);
      rollout1 = f64x2.add(rollout1, r1);
      trainer0 = f64x2.add(trainer0, t0);
      trainer1 = f64x2.add(trainer1, t1);
      delta0 = f64x2.add(delta0, f64x2.sub(t0, r0));
      delta1 = f64x2.add(delta1, f64x2.sub(t1, r1));
      const d = f32x4.sub(t, r);
      v128.store(at + SLOT_DELTA, d);
      deltaSquares = f32x4.add(deltaSquares, f32x4.mul(d, d));
      ups = f32x4.add(ups, f32x4.pmax(d, zero));
      downs = f32x4.add(downs, f32x4.pmin(d, zero));
      upCounts = i32x4.sub(upCounts, f32x4.gt(d, zero));
      downCounts = i32x4.sub(downCounts, f32x4.lt(d, zero));
      deltaMin = f32x4.pmin(deltaMin, d);
      deltaMax = f32x4.pmax(deltaMax, d);

      let m = rounded(d);
      let f = fraction(d, m);
      let power = powerOf2(m);
      const scaled = f32x4.mul(power, f);
      const rest = f32x4.mul(power, remainder(f));
      const power1 = f32x4.sub(power, f32x4.splat(1));
      // Where |Δ| ≤ ln 2 / 2 only `rest` is not 0.
      const k3 = f32x4.add(f32x4.add(power1, f32x4.sub(scaled, d)), rest);
      v128.store(at + SLOT_K3, k3);
      k3s = f32x4.add(k3s, k3);
      const excess = f32x4.add(power1, f32x4.add(scaled, rest));
      excessSquares = f32x4.add(excessSquares, f32x4.mul(excess, excess));

      m = rounded(r);
      f = fraction(r, m);
      power = powerOf2(m);
      const above = f32x4.mul(power, f32x4.add(f, remainder(f)));
      const tail = f32x4.sub(f32x4.sub(f32x4.splat(1), power), above);
      tails = f32x4.add(tails, tail);
      tailSquares = f32x4.add(tailSquares, f32x4.mul(tail, tail));
      const diff = f32x4.mul(f32x4.add(power, above), excess);
      v128.store(at + SLOT_PROB_DIFF, diff);
      const absDiff = f32x4.abs(diff);
      diffs = f32x4.add(diffs, diff);
      absDiffs = f32x4.add(absDiffs, absDiff);
      diffMax = f32x4.pmax(diffMax, absDiff);
      diffSquares = f32x4.add(diffSquares, f32x4.mul(diff, diff));
      products = f32x4.add(products, f32x4.mul(tail, diff));
      at += 16;
    } while (at < stop);

    addPair(record, FIELD.DELTA, f64x2.add(delta0, delta1));
    addLanes(record, FIELD.DELTA_SQUARE, deltaSquares);
    addLanes(record, FIELD.UP, ups);
    addLanes(record, FIELD.DOWN, downs);
    addLanes(record, FIELD.UP_COUNT, f32x4.convert_i32x4_s(upCounts));
    addLanes(record, FIELD.DOWN_COUNT, f32x4.convert_i32x4_s(downCounts));
    addLanes(record, FIELD.K3, k3s);
    addLanes(record, FIELD.EXCESS_SQUARE, excessSquares);
    addLanes(record, FIELD.DIFF, diffs);
    addLanes(record, FIELD.DIFF_SQUARE, diffSquares);
    addLanes(record, FIELD.ABS_DIFF, absDiffs);
    addLanes(record, FIELD.TAIL, tails);
    addLanes(record, FIELD.TAIL_SQUARE, tailSquares);
    addLanes(record, FIELD.PRODUCT, products);
    addPair(record, FIELD.ROLLOUT, f64x2.add(rollout0, rollout1));
    addPair(record, FIELD.TRAINER, f64x2.add(trainer0, trainer1));
  }
  store<f64>(record + (FIELD.MIN << 3), smallest(deltaMin));
  store<f64>(record + (FIELD.MAX << 3), -smallest(f32x4.neg(deltaMax)));
  store<f64>(record + (FIELD.DIFF_MAX << 3), -smallest(f32x4.neg(diffMax)));
  v128.store(ROLLOUT + last, nextRollout);
  v128.store(TRAINER + last, nextTrainer);
}

function smallest(x: v128): f64 {
  const y = f32x4.pmin(x, i32x4.shuffle(x, x, 2, 3, 2, 3));
  return <f64>min(f32x4.extract_lane(y, 0), f32x4.extract_lane(y, 1));
}

/** Fills the records of the segments of the last `compact`, and Δ, Δp and k3 of its slots. */
export function accumulate(): void {
  let start = 0;
  for (let s = 0; s < segments; s++) {
    const end = load<i32>(SEGMENT_START + 4 + (s << 2));
    accumulateSegment(start, end, RECORDS + s * RECORD * 8);
    start = end;
  }
}
