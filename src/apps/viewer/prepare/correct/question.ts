import { UsageError } from "../../../../core/base/index.ts";
import { type Correction, parseCorrection } from "../../../../trainers/neutral/index.ts";

/** A page's question: a correction, over some steps or all. */
export interface Question {
  readonly correction: Correction;
  /** Both included. */
  readonly steps: readonly [from: number, to: number] | null;
}

/**
 * Parses a `CorrectQuestion` as it was sent.
 *
 * @throws UsageError naming the part that is missing or cannot be parsed
 */
export function readQuestion(value: unknown): Question {
  if (typeof value !== "object" || value === null)
    throw new UsageError("the question must be an object with a correction");
  const { correction, steps = null } = value as Record<string, unknown>;
  if (typeof correction !== "string")
    throw new UsageError('correction must be a text such as "weight:token truncate:..2"');
  return { correction: parseCorrection(correction), steps: readSteps(steps) };
}

function readSteps(value: unknown): Question["steps"] {
  if (value === null) return null;
  const [from, to] = Array.isArray(value) ? (value as unknown[]) : [];
  if (Number.isFinite(from) && Number.isFinite(to)) return [from as number, to as number];
  throw new UsageError("steps must be [first, last], or null");
}
