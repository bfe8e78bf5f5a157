/**
 * Units of numbers in signatures, as plain aliases: they cost callers nothing and tell readers the unit.
 *
 * @module
 */

/** A log-probability, a difference of two (Δ = log p_trainer − log p_rollout), a KL or an entropy: natural logarithms. */
export type Nats = number;

/** ρ = exp Δ = p_trainer / p_rollout, an importance weight; 1 where both policies agree. */
export type Ratio = number;

/** A share or a probability, 0 to 1. */
export type Fraction = number;

/** Zero-based place of a token in its response. */
export type TokenIndex = number;

/** Zero-based row of a sequence in its file or batch. */
export type SequenceIndex = number;
