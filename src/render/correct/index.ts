/**
 * The results of `logratio correct` and of its lint, as text.
 * What a correction does is computed in `src/analyses/correct` and `src/trainers`.
 *
 * @module
 */
export { renderCorrectTerminal } from "./document.ts";
export { renderLintTerminal } from "./lint.ts";
