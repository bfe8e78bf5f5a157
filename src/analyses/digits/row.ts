import { formatHandle, type RecordBatch } from "../../core/schema/index.ts";
import type { TokenSpan } from "./numbers.ts";

/** A sequence at hand. */
export interface Row {
  readonly batch: RecordBatch;
  readonly row: number;
  readonly span: TokenSpan;
  readonly rollout: ArrayLike<number>;
  /** NaN throughout where there is one policy only. */
  readonly trainer: ArrayLike<number>;
}

/** The handle of a token of it, counted from the first of the response. */
export function formatRowHandle({ batch, row }: Row, token: number): string {
  return formatHandle({
    step: batch.steps[row]!,
    rank: batch.ranks[row]!,
    sequence: batch.rows[row]!,
    token,
  });
}
