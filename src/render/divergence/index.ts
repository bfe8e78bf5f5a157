/**
 * Text from the log of high-divergence tokens.
 *
 * @module
 */
export { type ConsoleOptions, renderDivergentTokens } from "./console.ts";
export { renderDivergenceSummary, renderStepTitle } from "./summary.ts";
