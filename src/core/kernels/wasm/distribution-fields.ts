/**
 * The fields of the records that the distribution kernel writes per block, as indices of a float64. The kernel is
 * compiled from this file, too, so it holds only what is both TypeScript and AssemblyScript.
 *
 * @module
 */

/** Of a row: its largest logit, a float32. */
export const HIGH = 0;
/** Σ exp(z − high), without the term of the largest where the block has a new maximum. */
export const SUM = HIGH + 1;
/** Σ exp(z − high) (high − z). */
export const WEIGHTED = SUM + 1;
export const ROW_FIELDS = WEIGHTED + 1;

// Of a pair of rows with D = log q − log p, relative to exp of the block's maximum in P.
/** Σ p (exp D − 1 − D). */
export const FORWARD = 0;
/** Σ p (D exp D − exp D + 1). */
export const REVERSE = FORWARD + 1;
/** p and q against their mean. */
export const JENSEN = REVERSE + 1;
/** Σ p (exp D − 1). */
export const EXCESS = JENSEN + 1;
/** Σ p |exp D − 1|. */
export const DISTANCE = EXCESS + 1;
/** Σ p sign D. */
export const SIGNED = DISTANCE + 1;
/** Σ p where |D| is so small that its sign is not certain. */
export const ZERO = SIGNED + 1;
export const PAIR_FIELDS = ZERO + 1;
