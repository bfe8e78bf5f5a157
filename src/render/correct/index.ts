/**
 * The results of `logratio correct` and of its lint, as text.
 * What a correction does is computed in `src/analyses/correct` and `src/trainers`.
 *
 * @module
 */
export {
  buildCorrectDocument,
  renderCorrectTerminal,
} from "./document.ts";
export { buildLintDocument, renderLintMarkdown, renderLintTerminal } from "./lint.ts";
