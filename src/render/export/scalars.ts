import type { MismatchReport, StepMetrics } from "../../results/report.ts";

/** The prefix of every name: `logratio/k3`. */
export const PREFIX = "logratio/";

export interface StepScalars {
  readonly step: number;
  /** By name with prefix; figures that the step lacks (null, NaN) are absent. Units as in docs/metrics.md. */
  readonly values: readonly (readonly [name: string, value: number])[];
}

export interface StepTable {
  /** In the order of the steps. */
  readonly steps: readonly StepScalars[];
  /** Sequences of unknown step in a run that has steps: they belong to none of these. */
  readonly sequencesWithoutStep: number;
}

/** The figures of each step. A run without steps is one step, 0. */
export function listStepScalars(report: MismatchReport): StepTable {
  const known = report.per_step.filter((row) => row.step !== null);
  if (known.length === 0)
    return {
      steps: report.per_step.map((row) => ({ step: 0, values: listValues(row) })),
      sequencesWithoutStep: 0,
    };
  const without = report.per_step.find((row) => row.step === null);
  return {
    steps: known.map((row) => ({ step: row.step as number, values: listValues(row) })),
    sequencesWithoutStep: without?.sequences ?? 0,
  };
}

function listValues({ step: _, ...figures }: StepMetrics): (readonly [string, number])[] {
  return keepNumbers(figures).map(([name, value]) => [`${PREFIX}${name}`, value] as const);
}

export function keepNumbers(figures: object): (readonly [name: string, value: number])[] {
  return Object.entries(figures).filter(
    (entry): entry is [string, number] => typeof entry[1] === "number" && Number.isFinite(entry[1]),
  );
}
