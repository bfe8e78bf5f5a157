export { type DigitsMarkdownOptions, renderDigitsMarkdown } from "./markdown.ts";
export { renderDigitsTerminal } from "./terminal.ts";
