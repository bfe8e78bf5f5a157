const STEP = 0x6d2b79f5;

/**
 * Uniform numbers from 0 to 1 (1 excluded), the same for the same seed on every machine. Mulberry32 (T. Ettinger,
 * 2017): a counter that is multiplied and shifted; good enough for sampling, useless for secrets.
 */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = nextState(state);
    return toUniform(state);
  };
}

/**
 * Together with {@link toUniform} the sequence of {@link seededRandom}, for loops of millions: a state in a loop
 * variable, initially the seed, is faster than one in a closure. It is a signed integer, because V8 allocates memory
 * for each number from 2^31 on.
 */
export function nextState(state: number): number {
  return (state + STEP) | 0;
}

/** The state after `count` more numbers. */
export function skipStates(state: number, count: number): number {
  return (state + Math.imul(count, STEP)) | 0;
}

/** The number from 0 to 1 for a state. */
export function toUniform(state: number): number {
  return (mix(state) >>> 0) / 2 ** 32;
}

/**
 * The integer from 0 to `count` − 1 for a state, ⌊{@link toUniform} · count⌋. For a count up to 2^16, with integers
 * only: the upper word of a 48-bit product, from 32-bit products.
 */
export function toInteger(state: number, count: number): number {
  if (count > 2 ** 16) return Math.floor(toUniform(state) * count);
  const bits = mix(state);
  return (Math.imul(bits >>> 16, count) + (Math.imul(bits & 0xffff, count) >>> 16)) >>> 16;
}

function mix(state: number): number {
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return mixed ^ (mixed >>> 14);
}
