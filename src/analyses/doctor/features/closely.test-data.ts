/** Expected figures, and log-probs of which the logits are given. */
import { expect } from "vitest";

/** The same, every finite number to nine digits behind the point. */
export function closely<T>(expected: T): T {
  if (typeof expected === "number")
    return (Number.isFinite(expected) ? expect.closeTo(expected, 9) : expected) as T;
  if (Array.isArray(expected)) return expected.map(closely) as T;
  if (typeof expected !== "object" || expected === null || "asymmetricMatch" in expected) return expected;
  return Object.fromEntries(Object.entries(expected).map(([name, value]) => [name, closely(value)])) as T;
}

/** The log-prob whose logit, log p − log(1 − p), this is. */
export function at(logit: number): number {
  return -Math.log1p(Math.exp(-logit));
}

/** Log-probs of two sides whose logits are 0 for the rollout and these for the trainer. */
export function apart(gaps: readonly number[]): { rollout: number[]; trainer: number[] } {
  return { rollout: gaps.map(() => at(0)), trainer: gaps.map(at) };
}
