/**
 * Reads trainers' configs in their own formats and reports what they really do.
 *
 * @module
 */
export type { FoundVersion } from "./judge.ts";
export { LINT_TRAINERS, type LintOptions, lintConfig } from "./lint.ts";
export { findVersions } from "./versions/nearby.ts";
