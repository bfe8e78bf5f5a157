/**
 * Bounds of divergences between two distributions of which only the most probable tokens are known.
 *
 * @module
 */
import {
  type FDivergence,
  FORWARD_KL,
  JENSEN_SHANNON,
  REVERSE_KL,
  TOTAL_VARIATION,
} from "./f-divergences.ts";
import { type KnownParts, knownParts, type Missing, type TopKRow } from "./known-parts.ts";
import { closestRatios, leastDivergence } from "./least-divergence.ts";

export type { TopKRow } from "./known-parts.ts";

/** What is known about the tokens outside the lists. */
export interface BoundOptions {
  /** Columns of a row of logits; null if unknown. */
  readonly vocabularySize: number | null;
  /**
   * Smallest log-prob that a token outside a list can have under either policy, nats, if anything is known about it
   * (the range of the logits, a server that cuts off). Without it the KLs have no upper bound.
   */
  readonly floor?: number;
  /**
   * How far the sum of stated probabilities may be off: 1e-6, for float32 log-probs. The log-probs themselves are taken
   * as stated.
   */
  readonly rounding?: number;
}

/** 0 ≤ low ≤ high. */
export interface Bound {
  /** Lower end, nats; 0 or more. */
  readonly low: number;
  /** Upper end, nats; may be +inf. */
  readonly high: number;
}

/** Bounds in nats; total variation as a fraction. */
export interface DivergenceBounds {
  /** D(P‖Q); `high` may be +inf. */
  readonly forwardKl: Bound;
  /** D(Q‖P); `high` may be +inf. */
  readonly reverseKl: Bound;
  /** `high` is at most log 2. */
  readonly jsDivergence: Bound;
  /** `high` is at most 1. */
  readonly totalVariation: Bound;
}

const ROUNDING = 1e-6;

/**
 * Bounds of the divergences at one position: whatever the unknown probabilities are, the exact values lie between them.
 *
 * Given are the listed probabilities, that each distribution sums to 1, and that no unlisted token has more than the
 * smallest of the k. Lower bounds are the minimum over all distributions that fit (see `least-divergence.ts`), except
 * that tokens in neither list are not held to the cap. Upper bounds come from convexity, which puts extremes at
 * corners: unknown tokens at the floor, and for JS and total variation the missing masses on different tokens. If both
 * lists cover the whole vocabulary, all bounds are the exact values.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { klBounds } from "logratio/kl";
 *
 * const { forwardKl, totalVariation } = klBounds(
 *   { ids: [5, 7], logprobs: [-0.1, -3] },
 *   { ids: [5, 9], logprobs: [-0.4, -2] },
 *   { vocabularySize: null },
 * );
 * assert(forwardKl.low > 0.05 && forwardKl.high === Infinity); // nats
 * assert(totalVariation.low > 0.1 && totalVariation.high < 0.35); // a fraction
 * ```
 *
 * @param p the most probable tokens under P: ids, and log-probs in nats
 * @param q the same under Q
 * @returns nats, total variation as a fraction
 * @throws SchemaError where more tokens are listed than the vocabulary has
 */
export function klBounds(p: TopKRow, q: TopKRow, options: BoundOptions): DivergenceBounds {
  const parts = knownParts(p, q, options.vocabularySize, Math.max(options.rounding ?? ROUNDING, 1e-15));
  const ratios = closestRatios(parts);
  const floor = options.floor === undefined ? 0 : Math.exp(options.floor);
  const least = (divergence: FDivergence): number => leastDivergence(parts, divergence, ratios);
  return {
    forwardKl: bound(least(FORWARD_KL), mostRelativeEntropy(parts, floor)),
    reverseKl: bound(least(REVERSE_KL), mostRelativeEntropy(swapped(parts), floor)),
    jsDivergence: bound(least(JENSEN_SHANNON), Math.min(Math.LN2, mostApart(parts, JENSEN_SHANNON, floor))),
    totalVariation: bound(least(TOTAL_VARIATION), Math.min(1, mostApart(parts, TOTAL_VARIATION, floor))),
  };
}

/** If stated probabilities contradict each other, the interval must not have its ends reversed. */
function bound(low: number, high: number): Bound {
  const end = Math.max(0, high);
  return { low: Math.min(low, end), high: end };
}

function swapped(parts: KnownParts): KnownParts {
  return {
    ...parts,
    bothP: parts.bothQ,
    bothQ: parts.bothP,
    onlyP: parts.onlyQ,
    onlyQ: parts.onlyP,
    missingP: parts.missingQ,
    missingQ: parts.missingP,
  };
}

/** The largest Σ φ for a φ that is finite where one probability is 0: φ(p, q) − φ(0, 1) q falls with q. */
function mostApart(parts: KnownParts, divergence: FDivergence, floor: number): number {
  const { bothP, bothQ, onlyP, onlyQ, missingP, missingQ } = parts;
  const leastP = boundBelow(missingP, floor);
  const leastQ = boundBelow(missingQ, floor);
  let sum = 0;
  for (let i = 0; i < bothP.length; i++) sum += divergence.of(bothP[i]!, bothQ[i]!);
  for (const p of onlyP.probabilities) sum += divergence.of(p, leastQ) - divergence.alone * leastQ;
  for (const q of onlyQ.probabilities) sum += divergence.of(leastP, q) - divergence.alone * leastP;
  return sum + divergence.alone * (missingP.most + missingQ.most);
}

/**
 * The largest D(P‖Q). Tokens of P's list get the least that Q can give them. P's missing mass contributes at most
 * log(cap_P / q) per unit on a token, so it goes to the tokens with the smallest q, cap_P to each.
 */
function mostRelativeEntropy(parts: KnownParts, floor: number): number {
  const { bothP, bothQ, onlyP, onlyQ, missingP, missingQ, neither } = parts;
  const least = boundBelow(missingQ, floor);
  let sum = 0;
  for (let i = 0; i < bothP.length; i++) sum += FORWARD_KL.of(bothP[i]!, bothQ[i]!);
  for (const p of onlyP.probabilities) if (p > 0) sum += p * Math.log(p / least) - p;
  const places = [...onlyQ.probabilities].map((q) => ({ q, count: 1 }));
  if (neither > 0) places.push({ q: least, count: neither });
  places.sort((a, b) => a.q - b.q);
  let given = 0;
  for (const { q, count } of places) {
    const worth = Math.log(missingP.cap / q);
    const open = (worth > 0 ? missingP.most : missingP.least) - given;
    if (!(open > 0 && missingP.cap > 0)) continue;
    const mass = Math.min(open, count * missingP.cap);
    sum += mass * worth;
    given += mass;
  }
  return sum + onlyQ.sum - missingP.least + missingQ.most;
}

/** The least that an unlisted token can have. */
function boundBelow(missing: Missing, floor: number): number {
  return Math.min(missing.cap, Math.max(floor, missing.floor));
}
