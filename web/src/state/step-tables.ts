import type { ReadonlySignal } from "@preact/signals";
import type { RunInfo } from "../../../src/results/view.ts";
import { useAnswer } from "./answers.ts";
import type { Loaded } from "./loaded.ts";
import { formatSteps, parseSteps } from "./step-range.ts";
import { route } from "./url.ts";

export interface StepTables<T> {
  /** The chosen steps, both included; null: all. */
  readonly range: ReturnType<typeof parseSteps>;
  /** Whether the tables cover the whole run: no steps are chosen, or a bundle cannot compute their sums. */
  readonly isWhole: boolean;
  readonly busy: boolean;
  readonly tables: Loaded<T>;
}

/** Tables from the server, of the chosen steps if it can compute them. */
export function useStepTables<T>(
  info: RunInfo,
  whole: () => ReadonlySignal<Loaded<T>>,
  ask: (steps: string) => Promise<T>,
): StepTables<T> {
  const range = parseSteps(route.value.params.steps ?? "");
  const steps = range === null || info.bundled ? undefined : formatSteps(range);
  const { loaded, busy } = useAnswer(steps && `${steps} ${info.version}`, () => ask(steps!));
  const isWhole = steps === undefined;
  return { range, isWhole, busy, tables: isWhole ? whole().value : (loaded ?? { state: "loading" }) };
}
