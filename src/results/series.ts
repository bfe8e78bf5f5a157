/**
 * The result of `logratio report` on logged metrics: what `--json` prints for files of series, and what stands under
 * `logged` where dumps were read beside them.
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
  /** What is NaN or infinite among all logged metrics, those in `others` too. */
  readonly finite: Finite;
  /** What makes a run teach little, of all logged metrics; worst first. */
  readonly beside: readonly BesideFinding[];
  /** `broken` where such values break the run, else the worst level of any metric that has a published baseline. */
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
  /** As it was logged. */
  readonly metric: string;
  /** As the logger calls the run; empty where it does not. */
  readonly run: string;
  readonly file: string;
  readonly trainer: string;
  /** The figure of a report that it is. */
  readonly figure: string | null;
  readonly meaning: string;
  readonly unit: string;
  readonly worse: "larger" | "smaller" | "away";
  /** How it differs from what it is called. */
  readonly quirk: string | null;
  readonly steps: readonly number[];
  /** Null where NaN or an infinity was logged. */
  readonly values: readonly (number | null)[];
  readonly non_finite: number;
  /** Null where the first logged value is NaN or infinite; likewise the last. */
  readonly first: SeriesPoint | null;
  readonly last: SeriesPoint | null;
  /** Of the finite values. */
  readonly worst: SeriesPoint | null;
  /** `broken` where NaN or infinite values break the run; else of the worst value, null where no baseline is published. */
  readonly level: ReadingLevel | null;
  readonly band: string | null;
  readonly source: string | null;
  /** From which value on each level starts; null for one that never does. */
  readonly thresholds: Readonly<Record<"elevated" | "high" | "broken", number | null>> | null;
  /** Beside what the dumps give; null without dumps, or where they have no such figure. */
  readonly comparison: SeriesComparison | null;
}

export interface SeriesComparison {
  /** Steps that are in the log and in the dumps. */
  readonly steps: number;
  /** Whether the trainer bounds it before it is logged, so that it need not be what the dump gives. */
  readonly is_bent: boolean;
  /** Of those, the steps whose logged value is what the dump gives, up to rounding. */
  readonly agreeing: number;
  readonly text: string;
  /** Why they differ, as far as the numbers show it. */
  readonly reason: string | null;
  readonly per_step: readonly {
    readonly step: number;
    readonly logged: number | null;
    /** By the trainer's own formula; null where it is not computed. */
    readonly formula: number | null;
    readonly right: number | null;
  }[];
}
