/**
 * Identity tests of a run and its parts, which of them fail and what that means, and how far ratios may be trusted.
 *
 * @module
 */
export { reportIdentity, type StepTests } from "./report-identity.ts";
export { measureTests } from "./tests.ts";
export { cautionEss, reportTrust } from "./trust.ts";
