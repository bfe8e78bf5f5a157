/**
 * The mismatch weighed by the advantage: what of it reaches the policy gradient, and which tokens it weighs most wrongly
 * there. Batches without advantages pass by; sums are `core/summaries`' business.
 *
 * @module
 */
export { GradientSummary } from "./gradient-summary.ts";
export { readGradient } from "./read-gradient.ts";
