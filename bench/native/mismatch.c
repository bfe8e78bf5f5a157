// The kernel of src/core/kernels/wasm/assembly/mismatch.ts in C for the same WebAssembly SIMD, to compare
// AssemblyScript's output with. bench/support/c-kernel.mjs compiles it, with the addresses of the AssemblyScript module
// as macros, and runs it under the same driver.
#include <stdint.h>
#include <wasm_simd128.h>

#define AT(type, address) ((type *)(intptr_t)(address))
#define EXPORT(name) __attribute__((export_name(name)))

static int32_t slots, segments, left;

EXPORT("init") void init(void) {
  for (int32_t lanes = 0; lanes < 16; lanes++) {
    uint32_t *to = AT(uint32_t, SHUFFLES + lanes * 16);
    for (uint32_t lane = 0; lane < 4; lane++)
      if ((lanes >> lane) & 1) *to++ = 0x03020100u + lane * 0x04040404u;
  }
}

EXPORT("leftCount") int32_t left_count(void) { return left; }

static inline v128_t load(int32_t address) { return wasm_v128_load(AT(void, address)); }
static inline void save(int32_t address, v128_t value) { wasm_v128_store(AT(void, address), value); }
static inline v128_t splat(float value) { return wasm_f32x4_splat(value); }

static inline int32_t out_of_bounds(int32_t at) {
  v128_t rollout = load(ROLLOUT_IN + at);
  v128_t delta = wasm_f32x4_sub(load(TRAINER_IN + at), rollout);
  v128_t inside = wasm_v128_and(
      wasm_f32x4_le(wasm_f32x4_abs(delta), splat(8)),
      wasm_v128_and(wasm_f32x4_ge(rollout, splat(-40)), wasm_f32x4_le(rollout, splat(4))));
  return wasm_i32x4_bitmask(inside) ^ 15;
}

static inline void open_segment(int32_t row, int32_t start) {
  AT(int32_t, SEGMENT_ROW)[segments] = row;
  AT(int32_t, SEGMENT_START)[segments] = start;
  segments++;
}

static void compact_mixed(int32_t position, int32_t base, int32_t row, int32_t bits, int32_t opening, int32_t odd) {
  int32_t kept = bits & ~odd, first = segments;
  for (int32_t rest = opening; rest; rest &= rest - 1)
    open_segment(row, slots + __builtin_popcount(kept & ((rest & -rest) - 1)));
  for (int32_t rest = odd; rest; rest &= rest - 1) {
    int32_t bit = rest & -rest;
    AT(int32_t, LEFT_POSITION)[left] = position + __builtin_ctz(rest);
    AT(int32_t, LEFT_SEGMENT)[left] = first - 1 + __builtin_popcount(opening & (bit | (bit - 1)));
    left++;
  }
  int32_t at = position << 2;
  v128_t index = wasm_i32x4_add(wasm_i32x4_make(0, 1, 2, 3), wasm_i32x4_splat(base + position));
  for (int32_t rest = kept; rest; rest >>= 4, at += 16) {
    int32_t lanes = rest & 15, to = slots << 2;
    v128_t shuffle = load(SHUFFLES + (lanes << 4));
    save(SLOT_ROLLOUT + to, wasm_i8x16_swizzle(load(ROLLOUT_IN + at), shuffle));
    save(SLOT_TRAINER + to, wasm_i8x16_swizzle(load(TRAINER_IN + at), shuffle));
    save(SLOT_INDEX + to, wasm_i8x16_swizzle(index, shuffle));
    index = wasm_i32x4_add(index, wasm_i32x4_splat(4));
    slots += __builtin_popcount(lanes);
  }
}

EXPORT("compact") int32_t compact(int32_t rows, int32_t base, int32_t turns, int32_t continued) {
  slots = segments = left = 0;
  int32_t position = AT(int32_t, OFFSETS_IN)[0];
  for (int32_t row = 0; row < rows; row++) {
    int32_t end = AT(int32_t, OFFSETS_IN)[row + 1], previous = continued;
    continued = 0;
    if (previous | (turns ^ 1)) open_segment(row, slots);
    while (position < end) {
      int32_t count = end - position < 16 ? end - position : 16;
      int32_t bits = wasm_i8x16_bitmask(wasm_i8x16_ne(load(MASK_IN + position), wasm_i8x16_splat(0))) & ((1 << count) - 1);
      if (bits) {
        int32_t at = position << 2;
        int32_t odd = (out_of_bounds(at) | out_of_bounds(at + 16) << 4 | out_of_bounds(at + 32) << 8 | out_of_bounds(at + 48) << 12) & bits;
        if (bits == 0xffff && !odd) {
          if (turns & (previous ^ 1)) open_segment(row, slots);
          int32_t to = slots << 2;
          v128_t index = wasm_i32x4_add(wasm_i32x4_make(0, 1, 2, 3), wasm_i32x4_splat(base + position));
          for (int32_t k = 0; k < 64; k += 16) {
            save(SLOT_ROLLOUT + to + k, load(ROLLOUT_IN + at + k));
            save(SLOT_TRAINER + to + k, load(TRAINER_IN + at + k));
            save(SLOT_INDEX + to + k, wasm_i32x4_add(index, wasm_i32x4_splat(k >> 2)));
          }
          slots += 16;
        } else {
          compact_mixed(position, base, row, bits, turns ? bits & ~((bits << 1) | previous) : 0, odd);
        }
      }
      previous = (bits >> (count - 1)) & 1;
      position += count;
    }
  }
  AT(int32_t, SEGMENT_START)[segments] = slots;
  return segments;
}

static inline v128_t low(v128_t x) { return wasm_f64x2_promote_low_f32x4(x); }
static inline v128_t high(v128_t x) { return wasm_f64x2_promote_low_f32x4(wasm_i32x4_shuffle(x, x, 2, 3, 2, 3)); }
static inline void add_pair(double *record, int field, v128_t x) {
  record[field] += wasm_f64x2_extract_lane(x, 0) + wasm_f64x2_extract_lane(x, 1);
}
static inline void add_lanes(double *record, int field, v128_t x) {
  add_pair(record, field, wasm_f64x2_add(low(x), high(x)));
}
static inline v128_t add(v128_t a, v128_t b) { return wasm_f32x4_add(a, b); }
static inline v128_t sub(v128_t a, v128_t b) { return wasm_f32x4_sub(a, b); }
static inline v128_t mul(v128_t a, v128_t b) { return wasm_f32x4_mul(a, b); }

static inline v128_t rounded(v128_t x) { return add(mul(x, splat(1.44269504f)), splat(12582912.0f)); }
static inline v128_t fraction(v128_t x, v128_t m) {
  v128_t n = sub(m, splat(12582912.0f));
  return sub(sub(x, mul(n, splat(0.693359375f))), mul(n, splat(-2.12194440e-4f)));
}
static inline v128_t power_of_2(v128_t m) { return wasm_i32x4_add(wasm_i32x4_shl(m, 23), wasm_i32x4_splat(0x3f800000)); }
static inline v128_t remainder_of(v128_t f) {
  v128_t square = mul(f, f);
  v128_t p0 = add(splat(0.5f), mul(f, splat(0.1666666716337204f)));
  v128_t p1 = add(splat(0.041666530072689056f), mul(f, splat(0.008333245292305946f)));
  v128_t p2 = add(splat(0.0013928752159699798f), mul(f, splat(0.0001990879827644676f)));
  return mul(square, add(p0, mul(square, add(p1, mul(square, p2)))));
}
static double smallest(v128_t x) {
  v128_t y = wasm_f32x4_pmin(x, wasm_i32x4_shuffle(x, x, 2, 3, 2, 3));
  float a = wasm_f32x4_extract_lane(y, 0), b = wasm_f32x4_extract_lane(y, 1);
  return a < b ? a : b;
}

static void accumulate_segment(int32_t start, int32_t end, double *record) {
  const v128_t zero = splat(0);
  for (int k = 0; k < RECORD; k++) record[k] = 0;
  record[0] = end - start;
  int32_t last = end << 2;
  v128_t next_rollout = load(SLOT_ROLLOUT + last), next_trainer = load(SLOT_TRAINER + last);
  save(SLOT_ROLLOUT + last, zero);
  save(SLOT_TRAINER + last, zero);
  v128_t delta_min = splat(__builtin_inff()), delta_max = splat(-__builtin_inff()), diff_max = zero;
  int32_t at = start << 2;
  while (at < last) {
    int32_t stop = at + 1024 < last ? at + 1024 : last;
    v128_t delta0 = zero, delta1 = zero, delta_squares = zero, ups = zero, downs = zero, up_counts = zero,
           down_counts = zero, k3s = zero, excess_squares = zero, diffs = zero, diff_squares = zero, abs_diffs = zero,
           tails = zero, tail_squares = zero, products = zero, rollouts = zero, trainers = zero;
    do {
      v128_t r = load(SLOT_ROLLOUT + at), t = load(SLOT_TRAINER + at);
      rollouts = add(rollouts, r);
      trainers = add(trainers, t);
      delta0 = wasm_f64x2_add(delta0, wasm_f64x2_sub(low(t), low(r)));
      delta1 = wasm_f64x2_add(delta1, wasm_f64x2_sub(high(t), high(r)));
      v128_t d = sub(t, r);
      save(SLOT_DELTA + at, d);
      delta_squares = add(delta_squares, mul(d, d));
      ups = add(ups, wasm_f32x4_pmax(d, zero));
      downs = add(downs, wasm_f32x4_pmin(d, zero));
      up_counts = wasm_i32x4_sub(up_counts, wasm_f32x4_gt(d, zero));
      down_counts = wasm_i32x4_sub(down_counts, wasm_f32x4_lt(d, zero));
      delta_min = wasm_f32x4_pmin(delta_min, d);
      delta_max = wasm_f32x4_pmax(delta_max, d);

      v128_t m = rounded(d), f = fraction(d, m), power = power_of_2(m);
      v128_t scaled = mul(power, f), rest = mul(power, remainder_of(f)), power1 = sub(power, splat(1));
      v128_t k3 = add(add(power1, sub(scaled, d)), rest);
      save(SLOT_K3 + at, k3);
      k3s = add(k3s, k3);
      v128_t excess = add(power1, add(scaled, rest));
      excess_squares = add(excess_squares, mul(excess, excess));

      m = rounded(r);
      f = fraction(r, m);
      power = power_of_2(m);
      v128_t above = mul(power, add(f, remainder_of(f)));
      v128_t tail = sub(sub(splat(1), power), above);
      tails = add(tails, tail);
      tail_squares = add(tail_squares, mul(tail, tail));
      v128_t diff = mul(add(power, above), excess), abs_diff = wasm_f32x4_abs(diff);
      save(SLOT_PROB_DIFF + at, diff);
      diffs = add(diffs, diff);
      abs_diffs = add(abs_diffs, abs_diff);
      diff_max = wasm_f32x4_pmax(diff_max, abs_diff);
      diff_squares = add(diff_squares, mul(diff, diff));
      products = add(products, mul(tail, diff));
      at += 16;
    } while (at < stop);
    add_pair(record, 1, wasm_f64x2_add(delta0, delta1));
    add_lanes(record, 2, delta_squares);
    add_lanes(record, 3, ups);
    add_lanes(record, 4, downs);
    add_lanes(record, 5, wasm_f32x4_convert_i32x4(up_counts));
    add_lanes(record, 6, wasm_f32x4_convert_i32x4(down_counts));
    add_lanes(record, 7, k3s);
    add_lanes(record, 8, excess_squares);
    add_lanes(record, 9, diffs);
    add_lanes(record, 10, diff_squares);
    add_lanes(record, 11, abs_diffs);
    add_lanes(record, 12, tails);
    add_lanes(record, 13, tail_squares);
    add_lanes(record, 14, products);
    add_lanes(record, 15, rollouts);
    add_lanes(record, 16, trainers);
  }
  record[17] = smallest(delta_min);
  record[18] = -smallest(wasm_f32x4_neg(delta_max));
  record[19] = -smallest(wasm_f32x4_neg(diff_max));
  save(SLOT_ROLLOUT + last, next_rollout);
  save(SLOT_TRAINER + last, next_trainer);
}

EXPORT("accumulate") void accumulate(void) {
  int32_t start = 0;
  for (int32_t s = 0; s < segments; s++) {
    int32_t end = AT(int32_t, SEGMENT_START)[s + 1];
    accumulate_segment(start, end, AT(double, RECORDS) + s * RECORD);
    start = end;
  }
}
