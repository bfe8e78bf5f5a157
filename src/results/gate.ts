/**
 * The result of `logratio gate`: what `--json` prints.
 *
 * @module
 */

import type { Finding } from "../core/schema/index.ts";
import type { Assessment } from "./assessment.ts";

/**
 * The version of the gate report's format, its `schemaVersion`; increased when a field changes its meaning or is
 * removed.
 */
export const GATE_SCHEMA_VERSION = 2;

/**
 * `undecidable`: the data show neither that it holds nor that it does not. `non_finite`: the figure, or log-probs
 * behind it, are NaN or infinite. `too_few`: too little data for a verdict. `missing`: the run lacks the figure.
 */
export type GateOutcome = "pass" | "fail" | "undecidable" | "non_finite" | "too_few" | "missing";

/** One figure that was judged. */
export interface GateCheck {
  /** As conditions write it: `k3`, `per_step.k3[30]`, `mean(logged.actor/kl)`. */
  readonly metric: string;
  /** `corridor`: learned from a history of runs; `limit`: a condition written by the user. */
  readonly kind: "corridor" | "limit";
  /** The step of the value, the worst of several; null if it describes the whole run. */
  readonly step: number | null;
  /** Null if the run lacks the figure, and for the verdict. */
  readonly value: number | null;
  /** Over prompts, at a confidence of 1 − `alpha`; null where the report gives none. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  /** The allowed range of the figure; null for an open end. */
  readonly corridor: { readonly low: number | null; readonly high: number | null } | null;
  /** Its share of the chance of a false alarm. */
  readonly alpha: number;
  /** The condition of a limit. */
  readonly condition: string | null;
  readonly outcome: GateOutcome;
  /** One sentence without a full stop. */
  readonly reason: string;
  /** Its line in the baseline file, from 1. */
  readonly line: number | null;
}

/** What `logratio gate --json` prints. */
export interface GateReport {
  /** Version of this shape; a change that breaks readers raises it. */
  readonly schemaVersion: typeof GATE_SCHEMA_VERSION;
  /** Identifies results that are read from files. */
  readonly kind: "gate";
  /** Name of the run: the directory or file that was given. */
  readonly run: string;
  /** The answer about the run, that of `report`. */
  readonly assessment: Assessment;
  /** Whether every check passed; includes undecidable ones if `allow_undecidable`. */
  readonly passed: boolean;
  /**
   * Chance that a run like those in the history fails any corridor, and also that any limit that the run meets is
   * judged as failed.
   */
  readonly alpha: number;
  /** Whether undecidable checks pass. */
  readonly allow_undecidable: boolean;
  /** The baseline that corridors come from; null without one. */
  readonly baseline: {
    readonly file: string | null;
    readonly runs: number;
    readonly checks: number;
  } | null;
  /** Every check, with what was found and what is allowed. */
  readonly checks: readonly GateCheck[];
  /** Findings of reading, with counts and first places. */
  readonly findings: readonly Finding[];
}
