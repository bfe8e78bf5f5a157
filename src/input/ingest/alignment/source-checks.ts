import type { ShiftScan } from "./scan-shifts.ts";

/** What was found on the data of one source while it was read; grows until its last batch. */
export interface SourceChecks {
  /** Columns whose masks were combined, the one that says what is response first; undefined where the adapter has no such list. */
  masks: readonly string[] | undefined;
  /** Tokens that the first of several masks alone would count. */
  firstMaskTokens: number;
  /** Tokens with mask 1. */
  maskedTokens: number;
  /** Of those, exactly 0 in the rollout's column alone, in the trainer's alone, and in both. */
  readonly zeros: { rollout: number; trainer: number; both: number };
  /** Masked tokens whose id the source has twice, and where the two differ. */
  readonly ids: { compared: number; differ: number };
  /** Log-probs of masked tokens that were sentinels and are missing now. */
  sentinels: number;
  /** By how many tokens `--align` moved the trainer's column. */
  shift: number;
  /** Undefined with `--align none`, and before the source was read. */
  scan: ShiftScan | undefined;
  /** What the scan summed up, for {@link ShiftScanner.addSums}: files that were read apart are looked at together by it. */
  scanSums: Float64Array | undefined;
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
    scan: undefined,
    scanSums: undefined,
  };
}
