/**
 * What all corrections share in a batch: sums over the core of each turn, and the tail token by token.
 *
 * @module
 */

/** Sums over the core tokens of each turn, `[turns]`. */
export interface CoreSums {
  readonly count: Int32Array;
  /** Σ Δ and Σ Δ², nats. */
  readonly delta: Float64Array;
  readonly deltaSquare: Float64Array;
  /** +∞ and −∞ if a turn has no core token. */
  readonly deltaMin: Float64Array;
  readonly deltaMax: Float64Array;
  /** Σ ρ and Σ ρ². */
  readonly ratio: Float64Array;
  readonly ratioSquare: Float64Array;
  /** The sums that the region requires, by its keys. */
  readonly extra: ReadonlyMap<string, Float64Array>;
  /** Extremes of Δp; ±∞ unless the region requires a sum of Δp or |Δp|. */
  readonly probDiffMin: Float64Array;
  readonly probDiffMax: Float64Array;
  /** Tokens with a positive and with a negative advantage. */
  readonly positive: Int32Array;
  readonly negative: Int32Array;
}

/** The tokens that some correction treats individually, in the order of the batch. */
export interface TailTokens {
  readonly count: number;
  /** Log-probs, nats. */
  readonly rollout: Float64Array;
  readonly trainer: Float64Array;
  /** NaN if there is none. */
  readonly advantage: Float64Array;
}

/**
 * A batch without details that no correction distinguishes. Omits sequences without a counted token. Sequence i has the
 * turns `[turnStarts[i], turnStarts[i + 1])`; turn j has the tail tokens `[tailStarts[j], tailStarts[j + 1])`.
 */
export interface Prepared {
  readonly sequences: number;
  readonly turnStarts: Int32Array;
  /** Row in the batch, `[sequences]`. */
  readonly rows: Int32Array;
  /** Counted tokens, `[sequences]`. */
  readonly lengths: Int32Array;
  readonly turns: number;
  readonly tailStarts: Int32Array;
  /** Zero-based turn within the sequence, `[turns]`. */
  readonly turnIndex: Int32Array;
  /** Counted tokens, `[turns]`. */
  readonly turnLengths: Int32Array;
  /** 1 if the turn's first token is in the tail. */
  readonly startsInTail: Uint8Array;
  /** Σ advantage over the turn's tokens; NaN if there are none. */
  readonly advantages: Float64Array;
  readonly core: CoreSums;
  readonly tail: TailTokens;
  /** Rows of the batch without a counted token. */
  readonly emptyRows: readonly number[];
  readonly excluded: ExcludedCounts;
}

/** Tokens with mask 1 that cannot be compared: removed from the mask before anything else. */
export interface ExcludedCounts {
  readonly delta_negative_infinite: number;
  readonly delta_positive_infinite: number;
  readonly missing: number;
}
