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

export interface CorrectReport {
  readonly schemaVersion: typeof CORRECT_SCHEMA_VERSION;
  readonly kind: "correct";
  readonly run: string;
  /** Of the trainer whose correction it is; null, with no settings and no trainer's metrics, for `--correction`. */
  readonly preset: string | null;
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
  readonly effect_absent: string | null;
  /** What the trainer would log for everything as one batch, under its keys. */
  readonly trainer_metrics: Readonly<Record<string, number>>;
  /** The same for each step, empty for one without a token; `step` is null for sequences without one. */
  readonly per_step: readonly {
    readonly step: number | null;
    readonly metrics: Readonly<Record<string, number>>;
  }[];
  readonly discrepancies: readonly ParityDiscrepancy[];
  /** Files with weights and masks. */
  readonly written: readonly string[];
  readonly findings: readonly Finding[];
  readonly sources: readonly SourceSummary[];
}
