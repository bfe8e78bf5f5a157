import type { FloatArray } from "../base/arrays.ts";
import { LengthMismatchError, UsageError } from "../base/errors.ts";

/** Packed sequences: row i holds tokens `[offsets[i], offsets[i + 1])` of the three columns. */
export interface TokenBlock {
  /** Log-prob of each sampled token under the rollout policy, nats. */
  readonly rollout: FloatArray;
  /** Log-prob of the same token under the trainer policy, nats. */
  readonly trainer: FloatArray;
  /** Non-zero for the policy's own tokens. */
  readonly mask: Uint8Array;
  /**
   * Non-zero in turns, if the mask has only some of their tokens: turns are then runs of this mask, and turns without a
   * token keep their number and do not count. If absent, turns are runs of the mask.
   */
  readonly turnMask?: Uint8Array;
  /** `[rows + 1]`, non-decreasing. */
  readonly offsets: Int32Array;
}

/**
 * Results of single tokens with mask 1 and finite log-probs. The arrays are reused: copy values that must outlive the
 * call.
 */
export interface MaskedTokens {
  /** Only the first `count` entries of each array are valid. */
  readonly count: number;
  /** Δ = trainer − rollout, nats. */
  readonly delta: Float32Array;
  /** Δp = exp(trainer) − exp(rollout). */
  readonly probDiff: Float32Array;
  /** exp Δ − Δ − 1. */
  readonly k3: Float32Array;
  /** Position of the token in the block. */
  readonly index: Int32Array;
  /** Zero-based turn of the token's row; always 0 if turns are not requested. */
  readonly turn: Int32Array;
}

/** Which rows to sum, and what else to compute. */
export interface MismatchOptions {
  /** Rows `[rowStart, rowEnd)` only; tables stay indexed from rowStart. */
  readonly rowStart?: number;
  /** Exclusive; default the number of rows. */
  readonly rowEnd?: number;
  /** Also sum by turn, a contiguous run of mask 1 (or of `turnMask`) within a row; default true. */
  readonly turns?: boolean;
  /**
   * Called with every token that counts, once, in chunks. Tokens ascend within a chunk, except that those with extreme
   * values come last. Must not call the kernel itself.
   */
  readonly sink?: (tokens: MaskedTokens) => void;
  /**
   * `scalar` forces the reference implementation. It is always used for Float64Array input, because single precision
   * would lose Δ, and for a block with a `turnMask`.
   */
  readonly engine?: "wasm" | "scalar";
}

/** Sums of rows, as described in `layout.ts`. */
export interface RowSums {
  /** `[rows × FIELDS]`. */
  readonly rows: Float64Array;
  /** `[rows]`: number of turns in each row; 0 if turns are not requested. */
  readonly rowTurns: Int32Array;
}

/** Sums of rows and of turns. */
export interface MismatchTable extends RowSums {
  /** `[most turns of a row × FIELDS]`, merged over rows by turn index; empty if turns are not requested. */
  readonly turns: Float64Array;
  /** Number of rows that have this turn. */
  readonly turnRows: Int32Array;
}

/**
 * Resolves the rows to sum, and checks that part of the block.
 *
 * @throws LengthMismatchError if the three columns differ in length or the offsets reach beyond them.
 * @throws UsageError if offsets decrease, if a token of the mask is in no turn of `turnMask`, or if the row range is
 * not within the block.
 */
export function checkedRows(
  block: TokenBlock,
  options: MismatchOptions,
): { rowStart: number; rowEnd: number } {
  const { rollout, trainer, mask, turnMask, offsets } = block;
  if (rollout.length !== trainer.length || mask.length !== rollout.length) {
    throw new LengthMismatchError(
      `cannot align the columns: ${rollout.length} rollout log-probs, ${trainer.length} trainer log-probs, ${mask.length} mask entries`,
      { found: trainer.length === rollout.length ? mask.length : trainer.length, expected: rollout.length },
    );
  }
  const rows = offsets.length - 1;
  if (rows < 0) throw new UsageError("row offsets are empty: they need one entry more than there are rows");
  const { rowStart = 0, rowEnd = rows } = options;
  if (!(rowStart >= 0 && rowStart <= rowEnd && rowEnd <= rows)) {
    throw new UsageError(`rows [${rowStart}, ${rowEnd}) are not within the block's ${rows} rows`);
  }
  // Only the requested rows: a block of many steps is requested step by step.
  const first = offsets[rowStart]!;
  const last = offsets[rowEnd]!;
  if (first < 0) throw new UsageError(`row offsets start at ${first}, before the first token`);
  for (let row = rowStart; row < rowEnd; row++) {
    if (offsets[row + 1]! < offsets[row]!) {
      throw new UsageError(`row offsets decrease from ${offsets[row]} to ${offsets[row + 1]}`, {
        at: { row },
      });
    }
  }
  if (last > rollout.length) {
    throw new LengthMismatchError(`row offsets end at ${last}, but there are ${rollout.length} tokens`, {
      found: rollout.length,
      expected: last,
    });
  }
  if (turnMask !== undefined) checkTurnMask(turnMask, mask, first, last);
  return { rowStart, rowEnd };
}

function checkTurnMask(turnMask: Uint8Array, mask: Uint8Array, first: number, last: number): void {
  if (turnMask.length !== mask.length)
    throw new LengthMismatchError(
      `cannot align the columns: ${turnMask.length} entries of the turn mask, ${mask.length} of the mask`,
      { found: turnMask.length, expected: mask.length },
    );
  for (let at = first; at < last; at++) {
    if (mask[at] !== 0 && turnMask[at] === 0)
      throw new UsageError(`token ${at} has mask 1 but belongs to no turn of the turn mask`);
  }
}
