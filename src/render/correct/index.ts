export { buildCorrectDocument, renderCorrectTerminal } from "./document.ts";
export { buildLintDocument, renderLintMarkdown, renderLintTerminal } from "./lint.ts";
