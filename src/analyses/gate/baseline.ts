/**
 * Whether a run passes: corridors learned from a history, and limits. Pure functions over results; files, flags and
 * tables belong elsewhere.
 *
 * @module
 */
import type { MetricScale } from "../../results/metrics/run-metrics.ts";
import type { Condition } from "../conditions/condition.ts";
import type { FigureName } from "../conditions/figure-name.ts";

/** Version of the baseline file; increased when a field changes its meaning or is removed. */
export const BASELINE_VERSION = 1;

/** A run of the history. */
export interface BaselineRun {
  readonly name: string;
  /** As given; null if no date was given. */
  readonly date: string | null;
  readonly files: number;
  /**
   * Number of prompts behind its figures; of sequences if prompts are not known; null if only logged metrics were read.
   */
  readonly prompts: number | null;
  /** Sorted digests of its files; null if one is not a local file. Runs with the same digests count as one. */
  readonly sha256: string | null;
}

/** One figure of the runs in the history. */
export interface BaselineCheck {
  readonly figure: FigureName;
  readonly scale: MetricScale;
  /** One per run, in order; null for runs without the figure. */
  readonly values: readonly (number | null)[];
  /** Standard errors on the scale, over prompts; null for runs whose report had no interval. */
  readonly errors: readonly (number | null)[];
  /** Its line in the file, for annotations; counted from 1. */
  readonly line?: number;
}

/** What a gate knows about previous runs. */
export interface Baseline {
  /** Chance that a run like those in the history fails any check. */
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
