// AssemblyScript, for WebAssembly SIMD: the sums and votes by which shifts between two columns are found.
// `ingest/alignment/shift-votes.ts` drives this, and has the plain loops that define the results: sums are added up in
// their order, so the bits are theirs.
//
// No allocation and no static data: all addresses are fixed. Memory that is never written takes none.

/** Tokens of a row that fit. */
export const ROOM: i32 = 1 << 17;
/** Tokens that vote together; fewer than twice as many do, since the last ones of a turn join those before them. */
const STRETCH: i32 = 16;
const LONGEST: i32 = 2 * STRETCH;

// Written by the driver.
export const ROLLOUT_IN: i32 = 1024;
export const TRAINER_IN: i32 = ROLLOUT_IN + ROOM * 4;
/** f64: tokens, those with log-probs on both sides, their Σ|Δ|; then the sums of each shift that is tried. */
export const SUMS: i32 = TRAINER_IN + ROOM * 4;
export const MOST_SUMS: i32 = 256;

// f64, of a shift.
const TOKENS: i32 = 0;
const SHIFTED: i32 = 8;
const IN_PLACE: i32 = 16;
const VOTES: i32 = 24;
const STRETCHES: i32 = 32;

/** The pairs of a stretch: f64, the rollout's; f64 x 2, the trainer's in place and under the shift. */
const OWN: i32 = SUMS + MOST_SUMS * 8;
const BOTH: i32 = OWN + LONGEST * 8;
const MEMORY_END: i32 = BOTH + LONGEST * 16;

memory.grow((MEMORY_END >> 16) + 1 - memory.size());

let lowest: f64 = 0;
let highest: f64 = 0;

/** What is a log-prob: above `low`, up to `high`. */
export function setRange(low: f64, high: f64): void {
  lowest = low;
  highest = high;
}

// @ts-ignore: decorator
@inline
function isLogprob(value: f64): bool {
  // NaN is none.
  return value <= highest && value > lowest;
}

// @ts-ignore: decorator
@inline
function addTo(at: i32, value: f64): void {
  store<f64>(at, load<f64>(at) + value);
}

// @ts-ignore: decorator
@inline
function valueAt(column: i32, t: i32): f64 {
  return <f64>load<f32>(column + (t << 2));
}

// @ts-ignore: decorator
@inline
function beside(x: f64, y: f64): v128 {
  return f64x2.replace_lane(f64x2.splat(x), 1, y);
}

/** Compares the tokens `[start, end)` of the row in place. */
export function compareInPlace(start: i32, end: i32): void {
  addTo(SUMS, end - start);
  let compared = 0;
  let sum = load<f64>(SUMS + 16);
  for (let t = start; t < end; t++) {
    const own = valueAt(ROLLOUT_IN, t);
    const here = valueAt(TRAINER_IN, t);
    if (!isLogprob(own) || !isLogprob(here)) continue;
    compared++;
    sum += abs(own - here);
  }
  addTo(SUMS + 8, compared);
  store<f64>(SUMS + 16, sum);
}

/** Pearson's r under the shift minus that in place, of the first pairs; NaN when one of them does not exist. */
function compareCorrelations(pairs: i32): f64 {
  let a: f64 = 0;
  let b = f64x2.splat(0);
  for (let i = 0; i < pairs; i++) {
    a += load<f64>(OWN + (i << 3));
    b = f64x2.add(b, v128.load(BOTH + (i << 4)));
  }
  a /= <f64>pairs;
  b = f64x2.div(b, f64x2.splat(<f64>pairs));
  let aa: f64 = 0;
  let ab = f64x2.splat(0);
  let bb = f64x2.splat(0);
  for (let i = 0; i < pairs; i++) {
    const x = load<f64>(OWN + (i << 3)) - a;
    const y = f64x2.sub(v128.load(BOTH + (i << 4)), b);
    ab = f64x2.add(ab, f64x2.mul(f64x2.splat(x), y));
    aa += x * x;
    bb = f64x2.add(bb, f64x2.mul(y, y));
  }
  // 0 where a side does not vary: 0 / 0 is NaN.
  const r = f64x2.div(ab, f64x2.sqrt(f64x2.mul(f64x2.splat(aa), bb)));
  if (aa == 0 || f64x2.extract_lane(bb, 0) == 0 || f64x2.extract_lane(bb, 1) == 0) return NaN;
  return f64x2.extract_lane(r, 1) - f64x2.extract_lane(r, 0);
}

/**
 * Adds the votes of the tokens `[start, end)`, a turn, for a shift to the sums from number `sums` on, and, unless it is 0, to
 * those from number `others` on.
 */
export function vote(start: i32, end: i32, shift: i32, sums: i32, others: i32): void {
  const from = max(start, start - shift);
  const to = min(end, end - shift);
  for (let t = from; t < to; ) {
    const stop = to - t < LONGEST ? to : t + STRETCH;
    let pairs = 0;
    // Σ|Δ| in place and under the shift.
    let deltas = f64x2.splat(0);
    for (; t < stop; t++) {
      const own = valueAt(ROLLOUT_IN, t);
      const here = valueAt(TRAINER_IN, t);
      const there = valueAt(TRAINER_IN, t + shift);
      if (!isLogprob(own) || !isLogprob(here) || !isLogprob(there)) continue;
      const both = beside(here, there);
      store<f64>(OWN + (pairs << 3), own);
      v128.store(BOTH + (pairs << 4), both);
      pairs++;
      deltas = f64x2.add(deltas, f64x2.abs(f64x2.sub(f64x2.splat(own), both)));
    }
    const gain = compareCorrelations(pairs);
    addStretch(SUMS + (sums << 3), pairs, deltas, gain);
    if (others != 0) addStretch(SUMS + (others << 3), pairs, deltas, gain);
  }
}

function addStretch(at: i32, pairs: i32, deltas: v128, gain: f64): void {
  addTo(at + TOKENS, pairs);
  addTo(at + SHIFTED, f64x2.extract_lane(deltas, 1));
  addTo(at + IN_PLACE, f64x2.extract_lane(deltas, 0));
  // If either side is constant, there is no correlation, and the stretch does not vote.
  addTo(at + VOTES, <f64>(gain > 0));
  addTo(at + STRETCHES, <f64>(gain > 0 || gain < 0));
}
