import type { RecordBatch } from "../../core/schema/index.ts";

/** A token of a response and how far the policies are apart there. */
export interface TokenPlace {
  readonly token: number;
  /** |Δ|, of one policy −log p; finite. */
  readonly size: number;
}

/** The token with mask 1 and the largest finite |Δ| of a row, of one policy the least likely; the first of several. */
export function worstToken(batch: RecordBatch, row: number): TokenPlace | undefined {
  const { rolloutLogprobs: rollout, trainerLogprobs: trainer, responseMask, offsets } = batch;
  const only = rollout === undefined ? trainer : trainer === undefined ? rollout : undefined;
  if (only === undefined && rollout === undefined) return undefined;
  const sizeAt = (at: number): number =>
    only === undefined ? Math.abs(trainer![at]! - rollout![at]!) : -only[at]!;
  const [start, end] = [offsets[row]!, offsets[row + 1]!];
  let token = -1;
  let size = -1;
  for (let at = start; at < end; at++) {
    if (responseMask[at] === 0) continue;
    const distance = sizeAt(at);
    if (distance > size && distance < Infinity) [token, size] = [at - start, distance];
  }
  return token < 0 ? undefined : { token, size };
}
