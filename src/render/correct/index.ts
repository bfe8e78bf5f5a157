export { renderLintMarkdown, renderLintTerminal } from "./lint.ts";
export { renderCorrectTerminal } from "./terminal.ts";
