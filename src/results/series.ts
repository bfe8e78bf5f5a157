/**
 * The result of `logratio report` on logged metrics: what `--json` prints for files of series, and the content of
 * `logged` if dumps were read too.
 *
 * @module
 */
import type { Finding } from "../core/schema/index.ts";
import type { Assessment } from "./assessment.ts";
import type { BesideFinding } from "./beside.ts";
import type { Finite } from "./finite.ts";
import type { ReadingLevel } from "./reading-level.ts";

export const SERIES_SCHEMA_VERSION = 2;

export interface SeriesReport {
  readonly schemaVersion: typeof SERIES_SCHEMA_VERSION;
  readonly kind: "series";
  /** The answer about the run, as far as logged metrics give it. */
  readonly assessment: Assessment;
  readonly files: readonly {
    readonly file: string;
    /** Which logger wrote it. */
    readonly form: string;
    readonly metrics: number;
  }[];
  /** The mismatch metrics. */
  readonly series: readonly SeriesFigures[];
  /** Names of all other metrics. */
  readonly others: readonly string[];
  /** Those of them that no table has: whether they measure the mismatch is not known. */
  readonly unknown: readonly string[];
  /** What is NaN or infinite among all logged metrics, those in `others` too. */
  readonly finite: Finite;
  /** What keeps the run from learning, from all logged metrics; worst first. */
  readonly beside: readonly BesideFinding[];
  /** `broken` if non-finite values break the run, else the worst level of any metric with a published baseline. */
  readonly level: ReadingLevel | null;
  readonly headline: string;
  readonly findings: readonly Finding[];
}

export interface SeriesPoint {
  readonly step: number;
  readonly value: number;
}

/** One mismatch metric over the steps. */
export interface SeriesFigures {
  /** The name in the log. */
  readonly metric: string;
  /** The run's name in the logger; empty if it has none. */
  readonly run: string;
  readonly file: string;
  readonly trainer: string;
  /** The report's figure that it corresponds to. */
  readonly figure: string | null;
  readonly meaning: string;
  readonly unit: string;
  readonly worse: "larger" | "smaller" | "away";
  /** How it differs from what its name says. */
  readonly quirk: string | null;
  readonly steps: readonly number[];
  /** Null if NaN or an infinity was logged. */
  readonly values: readonly (number | null)[];
  readonly non_finite: number;
  /** Null if the first logged value is NaN or infinite; likewise the last. */
  readonly first: SeriesPoint | null;
  readonly last: SeriesPoint | null;
  /** The worst of the finite values. */
  readonly worst: SeriesPoint | null;
  /**
   * `broken` if NaN or infinite values break the run; else the level of the worst value, null if no baseline is
   * published.
   */
  readonly level: ReadingLevel | null;
  readonly band: string | null;
  readonly source: string | null;
  /** The value from which each level starts; null for a level that is never reached. */
  readonly thresholds: Readonly<Record<"elevated" | "high" | "broken", number | null>> | null;
  /** Steps whose finite value is as bad as the worst by its baseline's levels; null without a baseline. */
  readonly steps_at_worst: number | null;
  /** The last of them. */
  readonly last_at_worst: number | null;
  /** Comparison with the dumps; null without dumps, or if they have no such figure. */
  readonly comparison: SeriesComparison | null;
}

export interface SeriesComparison {
  /** Steps that are in the log and in the dumps. */
  readonly steps: number;
  /** Whether the trainer bounds it before logging, so that it may differ from the dump. */
  readonly is_bent: boolean;
  /** How many of those steps agree with the dump up to rounding. */
  readonly agreeing: number;
  readonly text: string;
  /** Why they differ, as far as the numbers show it. */
  readonly reason: string | null;
  readonly per_step: readonly {
    readonly step: number;
    readonly logged: number | null;
    /** Computed with the trainer's own formula; null if it is not computed. */
    readonly formula: number | null;
    readonly right: number | null;
  }[];
}
