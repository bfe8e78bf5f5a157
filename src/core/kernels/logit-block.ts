/**
 * Input and output of the distribution kernels: rows of logits, figures per row.
 *
 * @module
 */

/** Rows of logits, row-major `[rows, vocabulary]`, from a model or a file. Log-probs are also logits. */
export interface LogitBlock {
  /** The number format of `values`. */
  readonly format: "float32" | "float16" | "bfloat16";
  /** Float32Array for `float32`; the raw bits in a Uint16Array for the other two. */
  readonly values: Float32Array | Uint16Array;
  /** Token positions of the block. */
  readonly rows: number;
  /** Columns of a row. */
  readonly vocabulary: number;
}

/** Figures of one policy's distributions, `[rows]` each. Natural logarithms; NaN if a row contains a NaN or +inf. */
export interface DistributionRows {
  /** log Σ exp(logit). */
  readonly logSumExp: Float64Array;
  /** Log-prob of the row's actual token; NaN if its id is negative or not a column. */
  readonly logprobs: Float64Array;
  /** −Σ p log p, nats. */
  readonly entropies: Float64Array;
  /**
   * 1 + the number of columns with a larger logit than the actual token's, so 1 is the most probable; -1 without a
   * token.
   */
  readonly ranks: Int32Array;
  /** Number of most probable columns kept per row. */
  readonly k: number;
  /** `[rows, k]`, most probable first, the smaller id first among equals; -1 if there are fewer columns. */
  readonly topIds: Int32Array;
  /** `[rows, k]`, nats; NaN where the id is -1. */
  readonly topLogprobs: Float64Array;
}

/** Divergences between two policies' distributions P and Q, `[rows]` each, nats. */
export interface DivergenceRows {
  /** D(P‖Q) = Σ p (log p − log q); +inf if q is 0 and p is not. */
  readonly forwardKl: Float64Array;
  /** D(Q‖P). */
  readonly reverseKl: Float64Array;
  /** Jensen-Shannon: ½ D(P‖M) + ½ D(Q‖M), M = (P + Q) / 2; at most log 2. */
  readonly jsDivergence: Float64Array;
  /** ½ Σ |p − q|, a fraction. */
  readonly totalVariation: Float64Array;
  /**
   * Probability of P in the columns that only P has; 0 if the vocabularies are equal. Divergences are between the
   * distributions renormalized over the columns that both have.
   */
  readonly excludedP: Float64Array;
  /** Probability of Q in the columns that only Q has. */
  readonly excludedQ: Float64Array;
}
