import type { MismatchSummary } from "../../core/summaries/index.ts";

/** Figures under a trainer's own keys, in the units of that trainer. */
export type Metrics = Readonly<Record<string, number>>;

/** A figure as a trainer logs it, the right one, and why they differ. */
export interface Discrepancy {
  readonly key: string;
  readonly logged: number;
  readonly correct: number;
  readonly reason: string;
}

/** What a trainer sees at one logging step: the sequences, and the packs they were put into. */
export interface ParityBatch {
  readonly summary: MismatchSummary;
  /** Kernel sums of each pack (kernels/layout.ts); one pack per file where the source does not pack. */
  readonly packs: readonly Float64Array[];
}

/** A trainer whose logged metrics are computed beside ours. */
export interface ParityTrainer {
  readonly name: string;
  /** The code whose formulas are kept. */
  readonly source: string;
  readonly unit: "batch" | "pack";
  metrics(batch: ParityBatch): Metrics;
  discrepancies(batch: ParityBatch, logged: Metrics): Discrepancy[];
}

/** Those rows whose logged and right figures differ by more than 1e-6 of the right one. */
export function findDiscrepancies(
  logged: Metrics,
  rows: readonly (readonly [key: string, correct: number, reason: string])[],
): Discrepancy[] {
  return rows.flatMap(([key, correct, reason]) => {
    const value = logged[key];
    if (
      value === undefined ||
      Number.isNaN(correct) ||
      Math.abs(value - correct) <= 1e-6 * Math.abs(correct) + 1e-15
    )
      return [];
    return [{ key, logged: value, correct, reason }];
  });
}
