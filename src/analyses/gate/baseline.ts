/**
 * Whether a run passes: corridors learned from a history, and limits. Pure functions over results; files, flags and
 * tables belong elsewhere.
 *
 * @module
 */
import type { MetricScale } from "../../results/metrics/run-metrics.ts";
import type { Condition } from "../conditions/condition.ts";
import type { FigureName } from "../conditions/figure-name.ts";

/** The version of the baseline's file; it grows when a field changes its meaning or goes. */
export const BASELINE_VERSION = 1;

/** A run of the history. */
export interface BaselineRun {
  readonly name: string;
  /** As it was given; null where nobody gave one. */
  readonly date: string | null;
  readonly files: number;
  /** Of which its figures are; sequences where prompts are not known, null where only logged metrics were read. */
  readonly prompts: number | null;
  /** Of the digests of its files, sorted; null where one is not a local file. Two runs of one digest are one run. */
  readonly sha256: string | null;
}

/** One figure of the history's runs. */
export interface BaselineCheck {
  readonly figure: FigureName;
  readonly scale: MetricScale;
  /** One for each run, in their order; null where the run has no such figure. */
  readonly values: readonly (number | null)[];
  /** Standard errors on the scale, over prompts; null where the run's report had no interval. */
  readonly errors: readonly (number | null)[];
  /** Where the file has it, for annotations; from 1. */
  readonly line?: number;
}

/** What a gate knows of the runs before. */
export interface Baseline {
  /** Chance that a run like those of the history fails any check. */
  readonly alpha: number;
  readonly runs: readonly BaselineRun[];
  readonly checks: readonly BaselineCheck[];
  readonly limits: readonly GateLimit[];
}

/** A condition that must hold. */
export interface GateLimit {
  readonly condition: Condition;
  readonly line?: number;
}

/** The values and errors of the runs that have the figure. */
export function listHistory({ scale, values, errors }: BaselineCheck): {
  readonly scale: MetricScale;
  readonly values: number[];
  readonly errors: (number | null)[];
} {
  const places = values.flatMap((value, at) => (value === null ? [] : [at]));
  return {
    scale,
    values: places.map((at) => values[at]!),
    errors: places.map((at) => errors[at] ?? null),
  };
}
