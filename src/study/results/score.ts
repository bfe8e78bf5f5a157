/**
 * The result of `logratio score`: what `--json` prints.
 *
 * @module
 */
import type { Finding } from "../../core/schema/index.ts";

export const SCORE_SCHEMA_VERSION = 1;

export interface ScoreReport {
  readonly schemaVersion: typeof SCORE_SCHEMA_VERSION;
  readonly kind: "score";
  /** Directory of the study. */
  readonly study: string;
  readonly metrics: {
    readonly policies: number;
    readonly problems: number;
    readonly texts: number;
    /** Response tokens; then those with mask 1. */
    readonly tokens: number;
    readonly masked_in_tokens: number;
    /** Texts × policies scored in this run, scored before, and refused. */
    readonly scored: number;
    readonly kept: number;
    readonly refused: number;
    readonly seconds: number;
    /** Response tokens × policies per second; null if nothing was scored. */
    readonly tokens_per_second: number | null;
  };
  readonly policies: Readonly<Record<string, ScoredPolicySummary>>;
  /** Written files: the record and one file of scores per policy. */
  readonly files: readonly string[];
  readonly findings: readonly Finding[];
}

export interface ScoredPolicySummary {
  readonly at: string;
  readonly role: "reference" | "checkpoint" | "baseline";
  readonly step: number | null;
  /** Whole distributions, or only the most probable tokens; null if the policy could not be opened. */
  readonly gives: "logits" | "top-k" | null;
  readonly scored: number;
  readonly kept: number;
  readonly refused: number;
  readonly seconds: number;
  readonly notes: readonly string[];
}
