import type { MismatchSummary } from "../../core/summaries/index.ts";

/** Figures under a trainer's own keys, in the units of that trainer. */
export type Metrics = Readonly<Record<string, number>>;

/** A figure as a trainer logs it, the right one, and why they differ. */
export interface Discrepancy {
  /** The trainer's key, as it logs it. */
  readonly key: string;
  /** What the trainer logs under it, in the key's own unit. */
  readonly logged: number;
  /** The right value, in the same unit. */
  readonly correct: number;
  /** Why the two differ, in one clause. */
  readonly reason: string;
}

/** What a trainer sees at one logging step: the sequences, and the packs they were put into. */
export interface ParityBatch {
  /** Sums over all tokens of the batch. */
  readonly summary: MismatchSummary;
  /** Kernel sums of each pack (kernels/layout.ts); one pack per file where the source does not pack. */
  readonly packs: readonly Float64Array[];
}

/** A trainer whose logged metrics are computed beside ours. */
export interface ParityTrainer {
  /** As `--parity` takes it: `verl`, `xtuner`. */
  readonly name: string;
  /** The code whose formulas are kept. */
  readonly source: string;
  /** What the trainer logs its figures over: a batch, or each pack of it. */
  readonly unit: "batch" | "pack";
  /** Figures under the trainer's own keys, as it would log them. */
  metrics(batch: ParityBatch): Metrics;
  /** Those of `logged` that are not what the data give. */
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
