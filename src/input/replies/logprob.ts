/**
 * Reads a log-prob as servers write it.
 *
 * @module
 */

/** What servers write for -inf, which JSON has no number for: vLLM and OpenAI put -9999. */
const NEGATIVE_INFINITY = -9999;

/** Nats; -Infinity for its sentinel, NaN for `null`, `NaN` and anything that is not a number. */
export function parseLogprob(value: unknown): number {
  if (value === "-Infinity") return -Infinity;
  if (typeof value !== "number") return Number.NaN;
  return value <= NEGATIVE_INFINITY ? -Infinity : value;
}
