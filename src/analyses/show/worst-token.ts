import type { RecordBatch } from "../../core/schema/index.ts";

/** A token of a response, and how far apart the policies are there. */
export interface TokenPlace {
  readonly token: number;
  /** |Δ|, or −log p for a single policy; finite. */
  readonly size: number;
}

/**
 * The token of a row with mask 1 and the largest finite |Δ|, or the least likely for a single policy; the first of
 * several.
 */
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
