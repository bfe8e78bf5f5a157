/**
 * Parts shared by all HTML pages: escaping, style, script and content security policy.
 * Content belongs in the folder of its verb.
 *
 * @module
 */
export { type ServedPage, writePage } from "./document.ts";
export { escapeHtml } from "./escape.ts";
export { SCRIPT } from "./script.ts";
export { STYLE } from "./style.ts";
export { htmlTable } from "./table.ts";
export { TEXT_STYLE } from "./text-style.ts";
