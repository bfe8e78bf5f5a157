/**
 * The result of `logratio gate`: what `--json` prints.
 *
 * @module
 */

import type { Finding } from "../core/schema/index.ts";
import type { Assessment } from "./assessment.ts";

/** The version of the gate report's shape, its `schemaVersion`; it grows when a field changes its meaning or goes. */
export const GATE_SCHEMA_VERSION = 2;

/**
 * `undecidable`: the data show neither that it holds nor that it does not. `non_finite`: the figure, or log-probs under it,
 * are NaN or infinite. `too_few`: too little data for a word. `missing`: the run lacks the figure.
 */
export type GateOutcome = "pass" | "fail" | "undecidable" | "non_finite" | "too_few" | "missing";

/** One figure that was judged. */
export interface GateCheck {
  /** As conditions name it: `k3`, `per_step.k3[30]`, `mean(logged.actor/kl)`. */
  readonly metric: string;
  /** `corridor`: learned from a history of runs; `limit`: a condition that somebody wrote. */
  readonly kind: "corridor" | "limit";
  /** The step that the value is of, of several the worst; null where it is of the whole run. */
  readonly step: number | null;
  /** Null where the run lacks the figure, and for the verdict. */
  readonly value: number | null;
  /** Over prompts, at a confidence of 1 − `alpha`; null where the report gives none. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  /** Where the figure may lie; null for an end without a bound. */
  readonly corridor: { readonly low: number | null; readonly high: number | null } | null;
  /** Its share of the chance of a false alarm. */
  readonly alpha: number;
  /** Of a limit. */
  readonly condition: string | null;
  readonly outcome: GateOutcome;
  /** One sentence without a full stop. */
  readonly reason: string;
  /** Of the baseline's file, from 1. */
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
  /** Whether every check passed; undecidable ones too, where `allow_undecidable`. */
  readonly passed: boolean;
  /**
   * Chance that a run like those of the history fails any corridor, and likewise that any limit that the run keeps is
   * judged not to hold.
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
