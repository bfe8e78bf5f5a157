// AssemblyScript, for WebAssembly SIMD: permutations of values within blocks, and the sums of their groups.
// `src/core/statistics/permutations.ts` drives this, and has the plain loops that define it.
//
// No allocation and no static data: all addresses are fixed.

/** Values of one piece at most. */
export const CHUNK: i32 = 32768;
/** Permutations of one call, and groups, at most. */
export const ROUND: i32 = 20;
export const MOST_GROUPS: i32 = 1024;

// Written by the driver. Values are permuted where they are.
export const VALUES: i32 = 1024;
export const GROUPS: i32 = VALUES + CHUNK * 8;
/** Where blocks begin, and where the last one ends. */
export const BLOCKS: i32 = GROUPS + CHUNK * 4;
/** `[permutations × groups]`: added to. */
export const SUMS: i32 = BLOCKS + (CHUNK + 4) * 4;

// Written here. Vectors may reach beyond the last draw.
const DRAWS: i32 = SUMS + ROUND * MOST_GROUPS * 8;
const MEMORY_END: i32 = DRAWS + (CHUNK + 4) * 4;

memory.grow((MEMORY_END >> 16) + 1 - memory.size());

/** What Mulberry32 adds to its state for each number. */
const STEP: i32 = 0x6d2b79f5;

/** The next `count` words of Mulberry32 after a state. */
function draw(state: i32, count: i32): void {
  let states = i32x4.add(i32x4.splat(state), i32x4.mul(i32x4(1, 2, 3, 4), i32x4.splat(STEP)));
  const four = i32x4.splat(STEP * 4);
  const one = i32x4.splat(1);
  const odd = i32x4.splat(61);
  for (let i = 0; i < count; i += 4) {
    let mixed = i32x4.mul(v128.xor(states, i32x4.shr_u(states, 15)), v128.or(states, one));
    const more = i32x4.mul(v128.xor(mixed, i32x4.shr_u(mixed, 7)), v128.or(mixed, odd));
    mixed = v128.xor(mixed, i32x4.add(mixed, more));
    v128.store(DRAWS + (i << 2), v128.xor(mixed, i32x4.shr_u(mixed, 14)));
    states = i32x4.add(states, four);
  }
}

/**
 * Permutes the values of each block again and again (Fisher and Yates), and adds them to the sums of the groups in whose
 * places they are: those of each permutation apart.
 *
 * @param draws numbers for one permutation of these blocks: one less than values in each
 * @param state of the random numbers before the first permutation, and `stride` by how much it differs from one to the next
 */
export function permute(
  blocks: i32,
  draws: i32,
  permutations: i32,
  groups: i32,
  state: i32,
  stride: i32,
): void {
  let sums = SUMS;
  for (let permutation = 0; permutation < permutations; permutation++) {
    draw(state + permutation * stride, draws);
    let next = DRAWS;
    for (let block = 0; block < blocks; block++) {
      const from = load<i32>(BLOCKS + (block << 2));
      let left = load<i32>(BLOCKS + (block << 2), 4) - from;
      const first = VALUES + (from << 3);
      let place = GROUPS + ((from + left) << 2);
      for (; left > 1; left--) {
        const other = first + (<i32>((<u64>load<u32>(next) * <u64>left) >> 32) << 3);
        const last = first + ((left - 1) << 3);
        const taken = load<f64>(other);
        store<f64>(other, load<f64>(last));
        store<f64>(last, taken);
        next += 4;
        place -= 4;
        const sum = sums + (load<i32>(place) << 3);
        store<f64>(sum, load<f64>(sum) + taken);
      }
      if (left === 1) {
        const sum = sums + (load<i32>(place - 4) << 3);
        store<f64>(sum, load<f64>(sum) + load<f64>(first));
      }
    }
    sums += groups << 3;
  }
}
