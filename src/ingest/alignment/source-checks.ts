import type { Recording } from "../recorders.ts";
import type { RowKeys } from "../repeated-rows.ts";

/** What was found in the data of one source while it was read; grows until its last batch. */
export interface SourceChecks {
  /** Columns whose masks were combined, the response mask first; undefined when the adapter has no such list. */
  masks: readonly string[] | undefined;
  /** Tokens that the first of several masks alone would count. */
  firstMaskTokens: number;
  /** Tokens with mask 1. */
  maskedTokens: number;
  /** Those that are exactly 0 only in the rollout's column, only in the trainer's, and in both. */
  readonly zeros: { rollout: number; trainer: number; both: number };
  /** Masked tokens whose id the source has twice, and those whose two ids differ. */
  readonly ids: { compared: number; differ: number };
  /** Log-probs of masked tokens that were sentinels and are now missing. */
  sentinels: number;
  /** Number of tokens by which `--align` moved the trainer's column. */
  shift: number;
  /**
   * Sums of the scan for shifts, of this file or of all together. Kept as sums, since what `readScan` makes of them
   * takes several times their memory, and a run may have ten thousand files. Undefined with `--align none`, and before
   * the source is read.
   */
  scanSums: Float64Array | undefined;
  /** Which recorders wrote which steps; absent where no sequence names its recorder. */
  recordings?: readonly Recording[];
  /** Which sequences it holds; absent if none can be told from others. */
  rowKeys?: RowKeys;
}

export function emptyChecks(): SourceChecks {
  return {
    masks: undefined,
    firstMaskTokens: 0,
    maskedTokens: 0,
    zeros: { rollout: 0, trainer: 0, both: 0 },
    ids: { compared: 0, differ: 0 },
    sentinels: 0,
    shift: 0,
    scanSums: undefined,
  };
}
