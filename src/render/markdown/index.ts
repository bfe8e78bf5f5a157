/**
 * Markdown primitives: tables, code and escaping, safe for foreign text.
 * Content belongs in the folder of its verb.
 *
 * @module
 */
export { type MarkdownOptions, writeMarkdown } from "./document.ts";
export { pipeTable, tableBlock } from "./table.ts";
export { codeBlock, codeLines, codeSpan, escapeMarkdown } from "./text.ts";
