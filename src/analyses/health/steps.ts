import { orNull } from "../../core/base/index.ts";
import type { HealthStep } from "../../results/health.ts";

/** Counts by step. */
export class StepCounts {
  readonly #steps = new Map<number, { count: number; of: number }>();

  add(step: number, isCounted: boolean): void {
    const known = this.#steps.get(step);
    const counts = known ?? { count: 0, of: 0 };
    if (known === undefined) this.#steps.set(step, counts);
    counts.of++;
    if (isCounted) counts.count++;
  }

  /** Ascending; NaN, an unknown step, comes last. */
  finish(): HealthStep[] {
    return [...this.#steps]
      .sort(([a], [b]) => Number(Number.isNaN(a)) - Number(Number.isNaN(b)) || a - b)
      .map(([step, counts]) => ({ step: orNull(step), ...counts }));
  }
}
