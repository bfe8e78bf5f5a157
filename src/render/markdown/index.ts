export { type MarkdownOptions, writeMarkdown } from "./document.ts";
export { pipeTable, tableBlock } from "./table.ts";
export { codeBlock, codeLines, codeSpan, escapeMarkdown } from "./text.ts";
