/**
 * One sequence, or one token of it, as a document. Finding it and its values belong in `src/analyses/show`.
 *
 * @module
 */
export { renderShowMarkdown, renderShowTerminal } from "./document.ts";
