import type { ComparedRows, DistributionRows, LogitBlock } from "../../core/kernels/index.ts";
import type { ErrorData } from "./error-transport.ts";
import type { MovedEvidence } from "./moved-evidence.ts";
import type { SummaryColumns } from "./summary-columns.ts";

/** What a thread is asked, and what it answers: once for each id. */
export interface Question<Task> {
  readonly id: number;
  readonly task: Task;
}

export type Answer<Reply> =
  | { readonly id: number; readonly reply: Reply }
  | { readonly id: number; readonly error: ErrorData };

/**
 * Rows of one policy to describe, or of two to compare, for several threads, of which each takes rows that no other has;
 * their logits are in shared memory.
 */
export interface DistributionTask {
  readonly blocks: readonly [p: LogitBlock, q?: LogitBlock];
  readonly tokens: Int32Array;
  readonly k: number;
  /** Rows that a thread takes at a time. */
  readonly step: number;
  /** One number in shared memory: the first row that nobody has taken. */
  readonly next: Int32Array;
}

/** What a thread took. */
export type DistributionReply = readonly DistributionPart[];

/** Figures of the rows `[from, to)`. */
export interface DistributionPart {
  readonly from: number;
  readonly to: number;
  readonly own: DistributionRows;
  /** Where two were compared. */
  readonly other?: Omit<ComparedRows, "p">;
}

/** A batch to add to the worker's evidence, or the request to hand the evidence over. */
export type SummaryTask = { readonly batch: SummaryColumns; readonly number: number } | "finish";

/** The evidence; null after a batch. */
export type SummaryReply = MovedEvidence | null;
