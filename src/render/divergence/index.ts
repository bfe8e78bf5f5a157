/**
 * Text from the log of high-divergence tokens.
 *
 * @module
 */
export { type ConsoleOptions, renderDivergentTokens } from "./console.ts";
export { buildDivergenceDocument, renderDivergenceSummary, renderStepTitle } from "./summary.ts";
