import type { ComparedRows } from "../../core/kernels/distribution/index.ts";
import type { DistributionRows, LogitBlock } from "../../core/kernels/index.ts";
import type { ErrorData } from "./error-transport.ts";
import type { MovedEvidence } from "./moved-evidence.ts";
import type { SummaryColumns } from "./summary-columns.ts";

/** A question to a thread and its answer: one of each per id. */
export interface Question<Task> {
  readonly id: number;
  readonly task: Task;
}

export type Answer<Reply> =
  | { readonly id: number; readonly reply: Reply }
  | { readonly id: number; readonly error: ErrorData };

/**
 * Rows of one policy to describe, or of two to compare, shared by several threads, each of which takes rows that no
 * other has taken; their logits are in shared memory.
 */
export interface DistributionTask {
  readonly blocks: readonly [p: LogitBlock, q?: LogitBlock];
  readonly tokens: Int32Array;
  readonly k: number;
  /** Rows that a thread takes at a time. */
  readonly step: number;
  /** One number in shared memory: the first row not yet taken. */
  readonly next: Int32Array;
}

/** The rows that a thread took. */
export type DistributionReply = readonly DistributionPart[];

/** Figures of the rows `[from, to)`. */
export interface DistributionPart {
  readonly from: number;
  readonly to: number;
  readonly own: DistributionRows;
  /** Present if two policies were compared. */
  readonly other?: Omit<ComparedRows, "p">;
}

/** A batch to add to the worker's evidence, or the request to return the evidence. */
export type SummaryTask = { readonly batch: SummaryColumns; readonly number: number } | "finish";

/** The evidence; null after a batch. */
export type SummaryReply = MovedEvidence | null;
