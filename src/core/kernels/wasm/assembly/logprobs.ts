// AssemblyScript, for WebAssembly SIMD: looks through log-probs for what is not ordinary, and counts and sums what the checks
// of a source say where all are. `../../scan-logprobs.ts` drives this.
//
// No allocation and no static data: all addresses are fixed.

/** Tokens of one piece: its columns fit the nearest cache of most processors. */
export const CHUNK: i32 = 2048;

// Loads of whole vectors may reach this far beyond the last token.
const SLACK: i32 = 16;
const WORDS: i32 = CHUNK * 4 + SLACK;

// Written by the driver.
export const ROLLOUT_IN: i32 = 1024;
export const TRAINER_IN: i32 = ROLLOUT_IN + WORDS;
/** A byte for each token. */
export const MASK_IN: i32 = TRAINER_IN + WORDS;

/** i32: the counts of all pieces, as the driver names them. */
export const COUNTS: i32 = MASK_IN + CHUNK + SLACK;
const MASKED: i32 = COUNTS;
const SAME: i32 = COUNTS + 4;
const ROLLOUT_ZERO: i32 = COUNTS + 8;
const TRAINER_ZERO: i32 = COUNTS + 12;
const BOTH_ZERO: i32 = COUNTS + 16;
const MEMORY_END: i32 = COUNTS + 20;

memory.grow((MEMORY_END >> 16) + 1 - memory.size());

let deltaAbs: f64 = 0;

/** Empties the counts; the sum of |Δ| continues from `sum`. */
export function begin(sum: f64): void {
  memory.fill(COUNTS, 0, 20);
  deltaAbs = sum;
}

/** Σ|Δ|, added up token by token in float64. */
export function sumDeltas(): f64 {
  return deltaAbs;
}

// @ts-ignore: decorator
@inline
function addLanes(at: i32, lanes: v128): void {
  const pairs = i32x4.add(lanes, i32x4.shuffle(lanes, lanes, 2, 3, 2, 3));
  // A true lane is -1.
  store<i32>(at, load<i32>(at) - i32x4.extract_lane(pairs, 0) - i32x4.extract_lane(pairs, 1));
}

/** |Δ| of the first two lanes, 0 where `counts` is false: it leaves a sum as it is. */
// @ts-ignore: decorator
@inline
function deltasOf(rollout: v128, trainer: v128, counts: v128): v128 {
  const delta = f64x2.sub(f64x2.promote_low_f32x4(trainer), f64x2.promote_low_f32x4(rollout));
  return v128.and(f64x2.abs(delta), i64x2.extend_low_i32x4_s(counts));
}

/**
 * Adds a piece to the counts and the sum. Returns 1, or 0 when it holds a token that is not ordinary: one whose log-prob on
 * either side is not above `lowest` and at most 0 (but for NaN where the mask is 0), or one that counts and is 0 on one side
 * and below `certain` on the other. The counts and the sum then say nothing.
 */
export function scan(count: i32, lowest: f32, certain: f32): i32 {
  const zero = f32x4.splat(0);
  const low = f32x4.splat(lowest);
  const doubtful = f32x4.splat(certain);
  // Behind the last token: ordinary ones that do not count.
  v128.store(ROLLOUT_IN + (count << 2), zero);
  v128.store(TRAINER_IN + (count << 2), zero);
  v128.store(MASK_IN + count, zero);
  let ordinary = i32x4.splat(-1);
  let masked = i32x4.splat(0);
  let same = i32x4.splat(0);
  let rolloutZero = i32x4.splat(0);
  let trainerZero = i32x4.splat(0);
  let bothZero = i32x4.splat(0);
  let sum = deltaAbs;
  for (let i = 0; i < count; i += 4) {
    const at = i << 2;
    const rollout = v128.load(ROLLOUT_IN + at);
    const trainer = v128.load(TRAINER_IN + at);
    const mask = i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(MASK_IN + i)));
    const counts = i32x4.ne(mask, i32x4.splat(0));
    const rolloutKnown = v128.and(f32x4.le(rollout, zero), f32x4.gt(rollout, low));
    const trainerKnown = v128.and(f32x4.le(trainer, zero), f32x4.gt(trainer, low));
    const rolloutMissing = v128.andnot(f32x4.ne(rollout, rollout), counts);
    const trainerMissing = v128.andnot(f32x4.ne(trainer, trainer), counts);
    const fine = v128.and(v128.or(rolloutKnown, rolloutMissing), v128.or(trainerKnown, trainerMissing));
    const isRolloutZero = v128.and(f32x4.eq(rollout, zero), counts);
    const isTrainerZero = v128.and(f32x4.eq(trainer, zero), counts);
    const filledIn = v128.or(
      v128.and(isRolloutZero, f32x4.lt(trainer, doubtful)),
      v128.and(isTrainerZero, f32x4.lt(rollout, doubtful)),
    );
    ordinary = v128.and(ordinary, v128.andnot(fine, filledIn));
    masked = i32x4.add(masked, counts);
    same = i32x4.add(same, v128.and(f32x4.eq(rollout, trainer), counts));
    const areBothZero = v128.and(isRolloutZero, isTrainerZero);
    rolloutZero = i32x4.add(rolloutZero, v128.andnot(isRolloutZero, areBothZero));
    trainerZero = i32x4.add(trainerZero, v128.andnot(isTrainerZero, areBothZero));
    bothZero = i32x4.add(bothZero, areBothZero);
    const first = deltasOf(rollout, trainer, counts);
    const second = deltasOf(
      i32x4.shuffle(rollout, rollout, 2, 3, 2, 3),
      i32x4.shuffle(trainer, trainer, 2, 3, 2, 3),
      i32x4.shuffle(counts, counts, 2, 3, 2, 3),
    );
    sum = sum + f64x2.extract_lane(first, 0);
    sum = sum + f64x2.extract_lane(first, 1);
    sum = sum + f64x2.extract_lane(second, 0);
    sum = sum + f64x2.extract_lane(second, 1);
  }
  if (!i32x4.all_true(ordinary)) return 0;
  deltaAbs = sum;
  addLanes(MASKED, masked);
  addLanes(SAME, same);
  addLanes(ROLLOUT_ZERO, rolloutZero);
  addLanes(TRAINER_ZERO, trainerZero);
  addLanes(BOTH_ZERO, bothZero);
  return 1;
}
