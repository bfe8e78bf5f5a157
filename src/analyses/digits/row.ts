import { formatHandle, type RecordBatch } from "../../core/schema/index.ts";
import type { TokenSpan } from "./numbers.ts";

/** One sequence of a batch. */
export interface Row {
  readonly batch: RecordBatch;
  readonly row: number;
  readonly span: TokenSpan;
  readonly rollout: ArrayLike<number>;
  /** All NaN if there is only one policy. */
  readonly trainer: ArrayLike<number>;
}

/** The handle of one of its tokens, counted from the start of the response. */
export function formatRowHandle({ batch, row }: Row, token: number): string {
  return formatHandle({
    step: batch.steps[row]!,
    rank: batch.ranks[row]!,
    sequence: batch.rows[row]!,
    token,
  });
}
