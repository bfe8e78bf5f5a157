/**
 * One policy alone: how sure it was of what was sampled, where, and of which sequences least.
 * Comparisons of two policies belong in `report`.
 *
 * @module
 */
export { buildPolicyReport, type PolicyReportInput } from "./build-report.ts";
export { PolicyRun } from "./policy-run.ts";
