/**
 * The report of one policy for terminals, Markdown and HTML. Its figures come from `src/analyses/policy`; nothing is
 * computed here.
 *
 * @module
 */
export { describeInput, renderPolicyHtml, renderPolicyMarkdown, renderPolicyTerminal } from "./document.ts";
