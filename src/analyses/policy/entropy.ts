import type { RecordBatch, TopK } from "../../core/schema/index.ts";

/**
 * A list whose probabilities sum to within this of 1 is the whole distribution: float32 sums over a vocabulary are more
 * exact.
 */
const WHOLE = 1e-4;

/**
 * The entropy at a place of the batch, nats: the policy's column, else from its alternatives if these are complete. NaN
 * if neither gives it: a truncated list does not determine the entropy.
 */
export function openEntropy(batch: RecordBatch, policy: string): (at: number) => number {
  const column = batch.entropies[policy];
  if (column !== undefined) return (at) => column[at]!;
  const top = batch.topK[policy];
  if (top === undefined || !coversAll(top, batch.responseMask)) return () => Number.NaN;
  return (at) => sumList(top, at).entropy;
}

/** If lists are complete only at confident tokens, the mean would be that of confident tokens. */
function coversAll(top: TopK, mask: Uint8Array): boolean {
  for (let at = 0; at < mask.length; at++)
    if (mask[at] !== 0 && !(Math.abs(sumList(top, at).mass - 1) <= WHOLE)) return false;
  return true;
}

function sumList({ k, ids, logprobs }: TopK, at: number): { mass: number; entropy: number } {
  let [mass, entropy] = [0, 0];
  for (let j = at * k; j < (at + 1) * k; j++) {
    const logprob = logprobs[j]!;
    if (ids[j]! < 0 || !Number.isFinite(logprob)) continue;
    const p = Math.exp(logprob);
    mass += p;
    entropy -= p * logprob;
  }
  return { mass, entropy };
}
