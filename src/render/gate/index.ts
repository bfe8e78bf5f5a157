/**
 * The result of a gate for terminals, Markdown, HTML, JUnit and GitHub's annotations. Its figures come from
 * `src/analyses/gate`; nothing is computed here.
 *
 * @module
 */
export { renderGitHubAnnotations } from "./annotations.ts";
export { renderGateHtml, renderGateMarkdown, renderGateTerminal } from "./document.ts";
export { renderGateJunit } from "./junit.ts";
