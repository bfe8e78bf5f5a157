/**
 * Seeded random numbers, the same on every platform: Mulberry32 (Tommy Ettinger, 2017), a 32-bit counter that is
 * multiplied and shifted; period 2^32, plenty for a text. Two draws make one double, as in MT19937's `genrand_res53`.
 *
 * @module
 */

/** Uniform in [0, 1), 53 bits. */
export type Random = () => number;

/** A separate stream for each (seed, stream), so that sample i does not depend on how many others are drawn. */
export function seededRandom(seed: number, stream: number): Random {
  let state = mixed(mixed(mixed(seed >>> 0) ^ Math.floor(seed / 2 ** 32)) ^ stream);
  const draw = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  };
  return () => ((draw() >>> 5) * 2 ** 26 + (draw() >>> 6)) / 2 ** 53;
}

/** MurmurHash3's finaliser: neighboring seeds start far apart. */
function mixed(value: number): number {
  let h = value + 0x9e3779b9;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
