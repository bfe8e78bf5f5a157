/** Seeded uniform numbers in (0, 1): a linear congruential generator, good enough for data and the same everywhere. */
export function uniforms(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
}

/**
 * Rollout and trainer log-probs of `n` tokens in shared memory: most tokens almost certain, noise of standard
 * deviation `scale` in Δ, a tail of large Δ (1 in 500 tokens: ten times the scale).
 */
export function tokenColumns(n, { seed = 1, scale = 0.05 } = {}) {
  const random = uniforms(seed);
  const rollout = new Float32Array(new SharedArrayBuffer(n * 4));
  const trainer = new Float32Array(new SharedArrayBuffer(n * 4));
  for (let i = 0; i < n; i++) {
    const spread = random() < 0.6 ? 0.05 : 3;
    rollout[i] = -spread * random();
    const normal = Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
    const wide = random() < 0.002 ? 10 : 1;
    trainer[i] = Math.min(rollout[i] + scale * wide * normal, 0);
  }
  return { rollout, trainer };
}

/** Runs of ones and zeros as in multi-turn rollouts; 83 % ones. */
export function turnMask(n, seed = 2) {
  const random = uniforms(seed);
  const mask = new Uint8Array(new SharedArrayBuffer(n));
  for (let i = 0; i < n; ) {
    const on = 100 + Math.floor(600 * random());
    mask.fill(1, i, i + on);
    i += on + Math.floor(164 * random());
  }
  return mask;
}

/** Ones and zeros at random; 83 % ones. */
export function randomMask(n, seed = 3) {
  const random = uniforms(seed);
  const mask = new Uint8Array(new SharedArrayBuffer(n));
  for (let i = 0; i < n; i++) mask[i] = random() < 0.83 ? 1 : 0;
  return mask;
}

/** Offsets of rows of 1,000 to 7,000 tokens. */
export function rowOffsets(n, seed = 4) {
  const random = uniforms(seed);
  const offsets = [0];
  for (let at = 0; at < n; ) {
    at = Math.min(n, at + 1000 + Math.floor(6000 * random()));
    offsets.push(at);
  }
  return Int32Array.from(offsets);
}
