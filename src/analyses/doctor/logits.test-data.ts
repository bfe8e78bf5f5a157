/** Normal noise, log-probs and draws for runs whose logits are known. */

/** A standard normal value from two uniform ones (Box and Muller, 1958). */
export function toNormal(one: number, other: number): number {
  return Math.sqrt(-2 * Math.log(1 - one)) * Math.cos(2 * Math.PI * other);
}

export function makeNormal(random: () => number): () => number {
  return () => toNormal(random(), random());
}

export function logSoftmax(logits: readonly number[]): number[] {
  const highest = Math.max(...logits);
  const total = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - highest), 0)) + highest;
  return logits.map((logit) => logit - total);
}

/** The id at a place from 0 to 1 of the distribution; the likeliest where rounding leaves none. */
export function drawToken(logprobs: readonly number[], at: number): number {
  let left = at;
  for (const [id, logprob] of logprobs.entries()) {
    left -= Math.exp(logprob);
    if (left < 0) return id;
  }
  return logprobs.indexOf(Math.max(...logprobs));
}
