/**
 * Text from a sweep's report.
 *
 * @module
 */
export { renderSweepMarkdown, type SweepMarkdownOptions } from "./markdown.ts";
export type { RowChoice } from "./rows.ts";
export { renderSweepTerminal, type SweepTerminalOptions } from "./terminal.ts";
