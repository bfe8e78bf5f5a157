import type { Random } from "./random.ts";

export interface Picked {
  readonly id: number;
  /** Log-prob at temperature 1, over the whole vocabulary; nats. */
  readonly logprob: number;
}

/**
 * The next token: the most probable one at temperature 0 (of equal ones, the smaller id), else one drawn from
 * softmax(logits / temperature), restricted to the most probable tokens that together reach `topP`.
 *
 * @param logits none is NaN or +inf, and not all are -inf
 */
export function pickToken(logits: Float32Array, temperature: number, topP: number, random: Random): Picked {
  let best = 0;
  for (let id = 1; id < logits.length; id++) if (logits[id]! > logits[best]!) best = id;
  const top = logits[best]!;
  const id = temperature === 0 ? best : draw(logits, top, temperature, topP, random);
  let sum = 0;
  for (let i = 0; i < logits.length; i++) sum += Math.exp(logits[i]! - top);
  return { id, logprob: logits[id]! - top - Math.log(sum) };
}

function draw(logits: Float32Array, top: number, temperature: number, topP: number, random: Random): number {
  const weights = new Float64Array(logits.length);
  let sum = 0;
  for (let id = 0; id < logits.length; id++) {
    const weight = Math.exp((logits[id]! - top) / temperature);
    weights[id] = weight;
    sum += weight;
  }
  return topP < 1
    ? drawNucleus(weights, sum, topP, random)
    : first(weights, weights.length, random() * sum, (id) => id);
}

function drawNucleus(weights: Float64Array, sum: number, topP: number, random: Random): number {
  // Tokens below (1 − topP) / V of the mass hold less than 1 − topP together, so all kept ones are among the others.
  const least = ((1 - topP) / weights.length) * sum;
  const ids: number[] = [];
  for (let id = 0; id < weights.length; id++) if (weights[id]! >= least && weights[id]! > 0) ids.push(id);
  ids.sort((a, b) => weights[b]! - weights[a]! || a - b);
  let mass = 0;
  let kept = 0;
  while (kept < ids.length && mass < topP * sum) mass += weights[ids[kept++]!]!;
  return first(weights, kept, random() * mass, (i) => ids[i]!);
}

/** The first of `count` ids at which the running sum of weights exceeds `goal`. */
function first(weights: Float64Array, count: number, goal: number, idAt: (i: number) => number): number {
  let running = 0;
  let last = idAt(0);
  for (let i = 0; i < count; i++) {
    const id = idAt(i);
    if (weights[id] === 0) continue;
    last = id;
    running += weights[id]!;
    if (running > goal) return id;
  }
  return last;
}
