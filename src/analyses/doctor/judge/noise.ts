/**
 * Whether Δ looks like noise on logits: as many outliers as noise has, both signs, no token that differs the same way
 * each time it occurs, and the identities of two log-prob columns hold. An engine's precision is such noise, whatever
 * its size. The size depends on the model and on the temperature that divides the logits; the kind does not.
 *
 * @module
 */
import { formatNumber, formatShare } from "../../../core/text/index.ts";
import type { Shape } from "../features/shape.ts";
import type { Spread } from "../features/spread.ts";

/**
 * The 99th percentile of logit gaps over the median: 3.8 for normal noise, 3.3 to 5.1 for healthy engines of the lab, up to
 * 7 for those of SmolLM2, at least 8 if some tokens or positions are wrong.
 */
const LIGHT_TAILS = 7.5;
/** |mean Δ| / mean |Δ|: up to 0.19 in healthy runs with a few hundred tokens. */
const EVEN_SIGNS = 0.2;
/** z of an identity: mean ρ = 1, or mean surprisal = mean entropy. */
const IDENTITY_Z = 4;
/**
 * Share of tokens above p = 0.95 on one side that the other gives less than e^−½: 0 in healthy runs, since noise would
 * have to move a logit by ten.
 */
const SURPRISED = 5e-4;
/** Share of tokens that are exactly zero on one side only. */
const ZEROS = 0.02;
/**
 * Share of the difference that the token's id explains: up to 0.13 in healthy runs whose weights are the same numbers on
 * both sides, up to 0.3 where one side rounds them to bfloat16 (SmolLM2), 0.2 to 0.7 if they are other weights. Then the
 * token before explains as much again; rounding moves a token alike after any other.
 */
const BY_TOKEN = 0.18;
const BY_TOKEN_BEFORE = 0.3;
const MOSTLY_BY_TOKEN = 0.5;
/**
 * Correlation of the gap with the rollout's confidence: within 0.1 in healthy runs, 0.4 to 0.9 if logits are scaled.
 */
const BY_SURENESS = 0.25;

/**
 * The trainer's difference from itself in equal contexts over |Δ|, and over the rollout's, log₁₀. An engine's kernels
 * may give a token two values; a trainer that does so has dropout enabled.
 */
const OWN_NOISE = Math.log10(0.25);
const MORE_THAN_ROLLOUT = Math.log10(2.5);

/** The parts of a shape that show whether Δ is noise. */
export type Structure = Pick<
  Shape,
  "zeros" | "surplus" | "byToken" | "byPair" | "sureness" | "prefixTrainer" | "prefixRollout"
>;

/**
 * What in Δ does not look like noise, in words; empty if everything does. Structure that was not measured is NaN or
 * missing.
 */
export function listUnlikeNoise(spread: Spread, structure?: Structure): string[] {
  const [middle, , far] = spread.logitGap;
  const reasons: string[] = [];
  if (middle === 0 && far > 0) reasons.push("half of the tokens agree exactly and others do not");
  else if (far > LIGHT_TAILS * middle)
    reasons.push(`the worst 1 % are ${formatNumber(far / middle)} times the median`);
  if (Math.abs(spread.asymmetry) > EVEN_SIGNS)
    reasons.push(`mean Δ is ${formatNumber(-spread.asymmetry)} times mean |Δ|`);
  if (Math.abs(spread.unitMeanZ) > IDENTITY_Z)
    reasons.push(`mean ρ is not 1 (z ${formatNumber(spread.unitMeanZ)})`);
  if (Math.max(spread.trainerSurprised, spread.rolloutSurprised) > SURPRISED)
    reasons.push("tokens that one side is sure of surprise the other");
  if (structure === undefined) return reasons;
  const { zeros, surplus, byToken, byPair, sureness, prefixTrainer, prefixRollout } = structure;
  if (zeros > ZEROS) reasons.push(`${formatShare(zeros)} of the log-probs are exactly 0 on one side alone`);
  if (Math.abs(surplus) > IDENTITY_Z)
    reasons.push(`mean surprisal is not mean entropy (z ${formatNumber(surplus)})`);
  if (byToken > MOSTLY_BY_TOKEN || (byToken > BY_TOKEN && byPair - byToken > BY_TOKEN_BEFORE))
    reasons.push(`the token's id explains ${formatShare(byToken)} of the difference`);
  if (Math.abs(sureness) > BY_SURENESS) reasons.push("the difference depends on how sure the policy is");
  if (prefixTrainer > OWN_NOISE && prefixTrainer - prefixRollout > MORE_THAN_ROLLOUT)
    reasons.push("the trainer differs from itself in equal contexts");
  return reasons;
}
