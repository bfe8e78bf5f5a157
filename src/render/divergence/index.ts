/**
 * Text from the log of high-divergence tokens.
 *
 * @module
 */
export { renderDivergentTokens } from "./console.ts";
export { renderDivergenceSummary, renderStepTitle } from "./summary.ts";
