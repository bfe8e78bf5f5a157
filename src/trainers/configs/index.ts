/**
 * Reads trainers' configs in their own formats and reports what they really do.
 *
 * @module
 */
export { type LintOptions, lintConfig } from "./lint.ts";
