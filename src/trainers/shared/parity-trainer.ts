import type { MismatchSummary } from "../../core/summaries/index.ts";

/** Figures under a trainer's own keys, in the units of that trainer. */
export type Metrics = Readonly<Record<string, number>>;

/** A figure as a trainer logs it, the correct one, and why they differ. */
export interface Discrepancy {
  /** The trainer's key, as it logs it. */
  readonly key: string;
  /** The value that the trainer logs, in the key's own unit. */
  readonly logged: number;
  /** The correct value, in the same unit. */
  readonly correct: number;
  /** Why the two differ, in one clause. */
  readonly reason: string;
}

/** What a trainer sees at one logging step: the sequences, and their packs. */
export interface ParityBatch {
  /** Sums over all tokens of the batch. */
  readonly summary: MismatchSummary;
  /** Kernel sums of each pack (kernels/layout.ts); one pack per file if the source does not pack. */
  readonly packs: readonly Float64Array[];
}

/** A trainer whose logged metrics are recomputed next to ours. */
export interface ParityTrainer {
  /** Its value of `--parity`: `verl`, `xtuner`. */
  readonly name: string;
  /** The code that the formulas follow. */
  readonly source: string;
  /** The unit over which the trainer logs: a batch, or each of its packs. */
  readonly unit: "batch" | "pack";
  /** Figures under the trainer's own keys, as it would log them. */
  metrics(batch: ParityBatch): Metrics;
  /** Those of `logged` that differ from what the data give. */
  discrepancies(batch: ParityBatch, logged: Metrics): Discrepancy[];
}

/** The rows whose logged and correct figures differ by more than 1e-6 of the correct one. */
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
