import type { RecordBatch } from "../../core/schema/index.ts";

/** A token of a response and how far the policies are apart there. */
export interface TokenPlace {
  readonly token: number;
  /** |Δ|, finite. */
  readonly size: number;
}

/** The token with mask 1 and the largest finite |Δ| of a row, the first of several. */
export function worstToken(batch: RecordBatch, row: number): TokenPlace | undefined {
  const { rolloutLogprobs, trainerLogprobs, responseMask, offsets } = batch;
  if (rolloutLogprobs === undefined || trainerLogprobs === undefined) return undefined;
  const [start, end] = [offsets[row]!, offsets[row + 1]!];
  let token = -1;
  let size = -1;
  for (let at = start; at < end; at++) {
    if (responseMask[at] === 0) continue;
    const distance = Math.abs(trainerLogprobs[at]! - rolloutLogprobs[at]!);
    if (distance > size && distance < Infinity) [token, size] = [at - start, distance];
  }
  return token < 0 ? undefined : { token, size };
}
