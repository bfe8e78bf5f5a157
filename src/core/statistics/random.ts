/**
 * Uniform numbers from 0 to 1 (1 excluded), the same for the same seed on every machine. Mulberry32 (T. Ettinger,
 * 2017): a counter that is multiplied and shifted; good enough to draw with, and of no use for secrets.
 */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = nextState(state);
    return toUniform(state);
  };
}

/**
 * {@link seededRandom} for a loop of millions that keeps the state, at first the seed, in a variable of its own: that of a
 * closure costs twice as much. Signed integers, as V8 would allocate each state from 2^31 on.
 */
export function nextState(state: number): number {
  return (state + 0x6d2b79f5) | 0;
}

export function toUniform(state: number): number {
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}
