export { pipeTable, tableBlock } from "./table.ts";
export { codeBlock, codeLines, codeSpan, escapeMarkdown } from "./text.ts";
