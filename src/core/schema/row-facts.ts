import { orNull } from "../base/json.ts";
import type { RecordBatch } from "./record.ts";

/** Facts about a sequence apart from its tokens; null when unknown. */
export interface RowFacts {
  readonly step: number | null;
  readonly rank: number | null;
  /** Row in its file. */
  readonly row: number;
  readonly sample: string | null;
  readonly group: string | null;
  readonly environment: string | null;
  readonly reward: number | null;
  /** 1 right, 0 wrong. */
  readonly correct: number | null;
  readonly file: string;
}

export function rowFacts(batch: RecordBatch, row: number): RowFacts {
  return {
    step: orNull(batch.steps[row]!),
    rank: orNull(batch.ranks[row]!),
    row: batch.rows[row]!,
    sample: batch.sampleIds[row] ?? null,
    group: batch.groupIds[row] ?? null,
    environment: batch.environments[row] ?? null,
    reward: orNull(batch.rewards[row]!),
    correct: orNull(batch.correctness[row]!),
    file: batch.provenance.file,
  };
}
