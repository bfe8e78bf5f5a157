/**
 * The sequences of one side, held until their partners are found: only what is compared, without texts and
 * alternatives.
 *
 * @module
 */
import { type FloatArray, LimitError, memoryLimit } from "../../core/base/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import { KeyHash } from "../../core/summaries/index.ts";
import { formatCount } from "../../core/text/index.ts";

/** Log-probs by column name: `rollout`, `trainer`, and further policies by their own names. */
export type Columns = Readonly<Record<string, FloatArray>>;

export interface HeldRow {
  /** Arrays of all rows of the batch it was read with. */
  readonly mask: Uint8Array;
  readonly ids: Int32Array | undefined;
  readonly columns: Columns;
  readonly start: number;
  readonly end: number;
  readonly step: number;
  /** Rank, pack and row: its place within its step. */
  readonly place: string;
  readonly sampleId: string | undefined;
  readonly groupId: string | undefined;
  /** Digests; undefined if unknown. */
  readonly response: number | undefined;
  readonly promptIds: number | undefined;
  readonly promptText: number | undefined;
}

export function listColumns({ rolloutLogprobs, trainerLogprobs, policyLogprobs }: RecordBatch): Columns {
  return {
    ...(rolloutLogprobs && { rollout: rolloutLogprobs }),
    ...(trainerLogprobs && { trainer: trainerLogprobs }),
    ...policyLogprobs,
  };
}

function digestIds(
  ids: Int32Array | undefined,
  offsets: Int32Array | undefined,
  row: number,
): number | undefined {
  if (ids === undefined || offsets === undefined) return undefined;
  const [start, end] = [offsets[row]!, offsets[row + 1]!];
  // An unknown id does not equal another unknown id.
  const isUnknown = start === end || ids.subarray(start, end).includes(-1);
  if (isUnknown) return undefined;
  return new KeyHash().addWords(ids, start, end).key();
}

/** Describes a row of a batch; its arrays are the batch's own. */
export function describeRow(batch: RecordBatch, columns: Columns, row: number): HeldRow {
  const text = batch.promptTexts[row];
  return {
    mask: batch.responseMask,
    ids: batch.responseTokenIds,
    columns,
    start: batch.offsets[row]!,
    end: batch.offsets[row + 1]!,
    step: batch.steps[row]!,
    place: `${batch.ranks[row]} ${batch.packs[row]} ${batch.rows[row]}`,
    sampleId: batch.sampleIds[row],
    groupId: batch.groupIds[row],
    response: digestIds(batch.responseTokenIds, batch.offsets, row),
    promptIds: digestIds(batch.promptTokenIds, batch.promptOffsets, row),
    promptText: text === undefined ? undefined : new KeyHash().addText(text).key(),
  };
}

/** Approximate size of the objects of one row, in bytes. */
const ROW_BYTES = 256;

/** Counts held bytes against the process's memory limit. */
export class HeldMemory {
  #bytes = 0;

  /** @throws LimitError if everything held exceeds the memory limit */
  hold({ responseMask, responseTokenIds, length, provenance }: RecordBatch, columns: Columns): void {
    this.#bytes += responseMask.byteLength + (responseTokenIds?.byteLength ?? 0) + ROW_BYTES * length;
    for (const values of Object.values(columns)) this.#bytes += values.byteLength;
    const limit = memoryLimit();
    if (this.#bytes <= limit) return;
    const mebibytes = formatCount(Math.ceil(limit / 2 ** 20));
    throw new LimitError(
      `the side that is held in memory takes more than the limit of ${mebibytes} MiB decoded`,
      {
        limit,
        at: { file: provenance.file },
        likely: "both sources are large, and one stays in memory while the other is read",
        hint: `compare fewer steps at a time (--steps 0..99), or allow more memory: --memory ${Math.ceil((4 * limit) / 2 ** 20)} (MiB)`,
      },
    );
  }
}
