/**
 * The certificate of a comparison for terminals, Markdown and HTML. Its figures come from `src/analyses/compare`; nothing
 * is computed here.
 *
 * @module
 */
export { renderCompareHtml, renderCompareMarkdown, renderCompareTerminal } from "./document.ts";
