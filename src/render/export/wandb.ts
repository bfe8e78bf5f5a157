import type { StepScalars } from "./scalars.ts";

/** A line per step, as W&B's own history has them: `_step` and the figures. */
export function renderWandbLines(steps: readonly StepScalars[]): string {
  return steps
    .map(({ step, values }) => `${JSON.stringify({ _step: step, ...Object.fromEntries(values) })}\n`)
    .join("");
}
