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
 * What a correction does to the weights w · A of the policy gradient's terms: uncorrected w is 1, unbiased is w = ρ. About
 * weights, not about a direction: ∇log π is not known (docs/metrics.md).
 */
export interface CorrectedGradient {
  /** With mask 1, both log-probs and the advantage finite, and ρ that does not overflow. */
  readonly tokens: number;
  /** Share of Σ|A| that lies on tokens with a weight other than 0. */
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
  /** Of the trainer whose correction it is; null, with no settings and no trainer's metrics, for `--correction`. */
  readonly preset: string | null;
  /** The trainer's own name; null without a preset. */
  readonly trainer: string | null;
  /** The code whose formulas are kept. */
  readonly source: string | null;
  /** Under the trainer's names, defaults filled in. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** As `--correction` and the address of the page take it: `weight:token truncate:..2`. */
  readonly correction_text: string;
  /** What the correction does, one clause per effect. */
  readonly does: readonly string[];
  /** What they do that their names do not say. */
  readonly traps: readonly string[];
  /** Of the data, whatever the correction; null where the effect cannot be figured out, and why below. */
  readonly metrics: SweepMetrics | null;
  /** What the correction does to the data: the row that a sweep has for it. */
  readonly effect: SweepCorrection | null;
  /** Why there is no effect; null where there is one, or no advantages that it needs. */
  readonly effect_absent: string | null;
  /** Of the weights of the policy gradient's terms; null without advantages, and where weights are normalized and not written. */
  readonly gradient: CorrectedGradient | null;
  /** What the trainer would log for everything as one batch, under its keys. */
  readonly trainer_metrics: Readonly<Record<string, number>>;
  /** The same for each step, empty for one without a token; `step` is null for sequences without one. */
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
