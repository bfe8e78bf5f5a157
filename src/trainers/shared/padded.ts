import { compactFloats, LengthMismatchError, SchemaError } from "../../core/base/index.ts";
import type { TokenBlock } from "../../core/kernels/index.ts";

/** A padded batch as nested arrays `[B][T]`, under verl's names. */
export interface PaddedBatch {
  /** Trainer log-probs, nats. */
  readonly old_log_probs: readonly ArrayLike<number>[];
  /** `[B][T]` log-probs under the rollout policy, nats. */
  readonly rollout_log_probs: readonly ArrayLike<number>[];
  /** Non-zero = the policy's own token. */
  readonly response_mask?: readonly ArrayLike<number>[];
  /** `[B][P + T]`; its last T columns are used if there is no response mask. */
  readonly attention_mask?: readonly ArrayLike<number>[];
}

/**
 * The packed block of a padded batch, mask chosen as verl's `calculate_debug_metrics` chooses it: `response_mask`,
 * else the last T columns of `attention_mask`, else every token.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { packPadded } from "logratio";
 *
 * const { rollout, mask, offsets } = packPadded({
 *   rollout_log_probs: [[-0.5, -1], [-2, 0]],
 *   old_log_probs: [[-0.5, -1.5], [-1.75, 0]],
 *   response_mask: [[1, 1], [1, 0]],
 * });
 * assert.deepEqual([...rollout], [-0.5, -1, -2, 0]); // nats
 * assert.deepEqual([[...mask], [...offsets]], [[1, 1, 1, 0], [0, 2, 4]]);
 * ```
 *
 * @param batch `[B][T]` log-probs in nats, and masks
 * @returns `[B × T]` columns with offsets `[B + 1]`, for `MismatchSummary.of`, `mismatchSums` and `applyCorrection`
 * @throws LengthMismatchError when a row of one column is not as long as the same row of another
 * @throws SchemaError when a side is missing
 */
export function packPadded(batch: PaddedBatch): TokenBlock {
  const { old_log_probs: trainer, rollout_log_probs: rollout } = batch;
  if (!trainer || !rollout)
    throw new SchemaError(
      `cannot pack the batch: ${trainer ? "rollout_log_probs" : "old_log_probs"} is missing`,
    );
  if (trainer.length !== rollout.length) {
    throw new LengthMismatchError(
      `cannot compare log-probs: old_log_probs has ${trainer.length} rows, rollout_log_probs ${rollout.length}`,
      { found: trainer.length, expected: rollout.length },
    );
  }
  const offsets = new Int32Array(trainer.length + 1);
  trainer.forEach((row, b) => {
    const other = rollout[b]!.length;
    if (other !== row.length) {
      throw new LengthMismatchError(
        `cannot compare log-probs: old_log_probs has ${row.length} tokens, rollout_log_probs ${other}`,
        { found: row.length, expected: other, at: { row: b } },
      );
    }
    offsets[b + 1] = offsets[b]! + row.length;
  });
  const mask = new Uint8Array(offsets[trainer.length]!).fill(1);
  const source = batch.response_mask ?? batch.attention_mask;
  source?.forEach((row, b) => {
    const start = offsets[b]!;
    const length = offsets[b + 1]! - start;
    const skipped = row.length - length;
    if (skipped < 0 || (batch.response_mask && skipped !== 0)) {
      throw new LengthMismatchError(
        `cannot mask the log-probs: they have ${length} tokens, the mask has ${row.length}`,
        { found: row.length, expected: length, at: { row: b } },
      );
    }
    for (let t = 0; t < length; t++) mask[start + t] = row[skipped + t] ? 1 : 0;
  });
  return {
    rollout: compactFloats(flatten(rollout, offsets)),
    trainer: compactFloats(flatten(trainer, offsets)),
    mask,
    offsets,
  };
}

function flatten(rows: readonly ArrayLike<number>[], offsets: Int32Array): Float64Array {
  const flat = new Float64Array(offsets[rows.length]!);
  rows.forEach((row, b) => {
    flat.set(row, offsets[b]);
  });
  return flat;
}
