/**
 * The result of `logratio correct`: what `--json` prints. Names are snake_case; log quantities are in nats, shares are
 * fractions of 1; null is "not known".
 *
 * @module
 */
import type { Finding } from "../core/schema/index.ts";
import type { ParityDiscrepancy, SourceSummary } from "./report.ts";
import type { SweepCorrection, SweepMetrics } from "./sweep.ts";

export const CORRECT_SCHEMA_VERSION = 2;

/**
 * What a correction does to the weights w · A of the policy gradient's terms: uncorrected w is 1, unbiased is w = ρ. It
 * describes weights, not a direction: ∇log π is not known (docs/metrics.md).
 */
export interface CorrectedGradient {
  /** Tokens with mask 1, finite log-probs and advantage, and ρ that does not overflow. */
  readonly tokens: number;
  /** Share of Σ|A| on tokens with a non-zero weight. */
  readonly advantage_kept_share: number;
  /** Σ|A||w − ρ| / Σ|A|, and the same for w = 1. */
  readonly weight_gap: number;
  readonly weight_gap_uncorrected: number;
  /** ΣAw / Σ|A|; the same for w = 1 and for w = ρ. */
  readonly surrogate: number;
  readonly surrogate_uncorrected: number;
  readonly surrogate_unbiased: number;
}

/** What `correctRun` returns and `logratio correct --json` prints. */
export interface CorrectReport {
  /** Changes where a field changes its meaning or goes. */
  readonly schemaVersion: typeof CORRECT_SCHEMA_VERSION;
  /** Of what this is the result. */
  readonly kind: "correct";
  /** Name of the run. */
  readonly run: string;
  /**
   * Preset of the trainer that defines the correction; null, with no settings and no trainer's metrics, for
   * `--correction`.
   */
  readonly preset: string | null;
  /** The trainer's own name; null without a preset. */
  readonly trainer: string | null;
  /** The code whose formulas are followed. */
  readonly source: string | null;
  /** Under the trainer's names, defaults filled in. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** As in `--correction` and the page's address: `weight:token truncate:..2`. */
  readonly correction_text: string;
  /** What the correction does, one clause per effect. */
  readonly does: readonly string[];
  /** Effects that the names of the settings do not show. */
  readonly traps: readonly string[];
  /** Properties of the data, whatever the correction; null if the effect cannot be computed, with the reason below. */
  readonly metrics: SweepMetrics | null;
  /** What the correction does to the data: the row that a sweep has for it. */
  readonly effect: SweepCorrection | null;
  /** Why there is no effect; null where there is one, or no advantages that it needs. */
  readonly effect_absent: string | null;
  /**
   * Effect on the weights of the policy gradient's terms; null without advantages, and if weights are normalized and
   * not written.
   */
  readonly gradient: CorrectedGradient | null;
  /** What the trainer would log for everything as one batch, under its keys. */
  readonly trainer_metrics: Readonly<Record<string, number>>;
  /** The same for each step, empty for a step without tokens; `step` is null for sequences without one. */
  readonly per_step: readonly {
    readonly step: number | null;
    readonly metrics: Readonly<Record<string, number>>;
  }[];
  /** Where the trainer's figures differ from the correct ones, with the reason. */
  readonly discrepancies: readonly ParityDiscrepancy[];
  /** Files with weights and masks. */
  readonly written: readonly string[];
  /** What reading noticed, and what was left out. */
  readonly findings: readonly Finding[];
  /** The files that were read. */
  readonly sources: readonly SourceSummary[];
}
