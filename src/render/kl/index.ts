/**
 * A study of checkpoints under teacher forcing for terminals, Markdown and HTML.
 *
 * @module
 */
export { renderKlHtml } from "./html.ts";
export { type KlMarkdownOptions, renderKlMarkdown } from "./markdown.ts";
export { renderKlTerminal } from "./terminal.ts";
