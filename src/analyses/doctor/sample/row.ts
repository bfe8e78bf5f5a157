import type { FloatArray } from "../../../core/base/index.ts";
import { formatHandle, type RecordBatch, type TopK } from "../../../core/schema/index.ts";

/** A sequence with all of its columns, copied from its batch; per-token arrays are `[tokens]` long. */
export interface SampledRow {
  readonly file: string;
  /** NaN where unknown. */
  readonly step: number;
  readonly rank: number;
  readonly pack: number;
  /** Index of the row in its file. */
  readonly row: number;
  readonly environment: string | undefined;
  /** Hash of the prompt at its step; of the sequence itself if the prompt is not known. */
  readonly group: number;
  readonly hasPrompt: boolean;
  readonly reward: number;
  /** 1 for the policy's own tokens. */
  readonly mask: Uint8Array;
  readonly rollout: FloatArray;
  readonly trainer: FloatArray;
  readonly ids: Int32Array | undefined;
  readonly prompt: Int32Array | undefined;
  readonly reference: FloatArray | undefined;
  readonly rescore: FloatArray | undefined;
  readonly rolloutEntropy: FloatArray | undefined;
  readonly trainerEntropy: FloatArray | undefined;
  readonly rolloutTop: TopK | undefined;
  readonly trainerTop: TopK | undefined;
  /** Mean over the tokens with mask 1; NaN if there are none. */
  readonly advantage: number;
  readonly positions: Int32Array | undefined;
  readonly versions: Int32Array | undefined;
}

/** Assumes that the batch has both sides. */
export function takeRow(batch: RecordBatch, i: number, group: number, hasPrompt: boolean): SampledRow {
  const [from, to] = [batch.offsets[i]!, batch.offsets[i + 1]!];
  const cut = <T extends FloatArray | Int32Array | Uint8Array>(values: T | undefined): T | undefined =>
    values?.slice(from, to) as T | undefined;
  const { promptOffsets, promptTokenIds } = batch;
  const prompt =
    promptOffsets && promptTokenIds
      ? promptTokenIds.slice(promptOffsets[i], promptOffsets[i + 1])
      : undefined;
  return {
    file: batch.provenance.file,
    step: batch.steps[i]!,
    rank: batch.ranks[i]!,
    pack: batch.packs[i]!,
    row: batch.rows[i]!,
    environment: batch.environments[i],
    group,
    hasPrompt,
    reward: batch.rewards[i]!,
    mask: batch.responseMask.slice(from, to),
    // As written, because placeholders are a fault to name.
    rollout: cut(batch.asWritten?.rollout ?? batch.rolloutLogprobs) as FloatArray,
    trainer: cut(batch.asWritten?.trainer ?? batch.trainerLogprobs) as FloatArray,
    ids: cut(batch.responseTokenIds),
    prompt,
    reference: cut(batch.policyLogprobs.reference),
    rescore: cut(batch.policyLogprobs.rescore),
    rolloutEntropy: cut(batch.entropies.rollout),
    trainerEntropy: cut(batch.entropies.trainer),
    rolloutTop: cutTop(batch.topK.rollout, from, to),
    trainerTop: cutTop(batch.topK.trainer, from, to),
    advantage: meanAdvantage(batch, from, to),
    positions: cut(batch.positionIds),
    versions: cut(batch.weightVersions),
  };
}

function cutTop(top: TopK | undefined, from: number, to: number): TopK | undefined {
  if (top === undefined) return undefined;
  const { k, ids, logprobs } = top;
  return { k, ids: ids.slice(from * k, to * k), logprobs: logprobs.slice(from * k, to * k) };
}

function meanAdvantage({ advantages, responseMask }: RecordBatch, from: number, to: number): number {
  if (advantages === undefined) return Number.NaN;
  let [sum, count] = [0, 0];
  for (let t = from; t < to; t++) {
    if (responseMask[t] === 0) continue;
    sum += advantages[t]!;
    count++;
  }
  return count === 0 ? Number.NaN : sum / count;
}

/** `s12.r3.q41`, with `.t880` if a token is given. */
export function rowHandle(row: SampledRow, token?: number): string {
  return formatHandle({
    step: row.step,
    rank: row.rank,
    sequence: row.row,
    ...(token !== undefined && { token }),
  });
}
