/**
 * All claims, for the short run of the tests and the long one of `npm run bench -- calibration`.
 *
 * @module
 */
import { ANALYZE_CLAIMS } from "./analyze-claims.ts";
import type { Claim } from "./claim.ts";
import { COMPARE_CLAIMS } from "./compare-claims.ts";
import { FACT_CLAIMS } from "./fact-claims.ts";
import { INTERVAL_CLAIMS } from "./interval-claims.ts";
import { KL_CLAIMS } from "./kl-claims.ts";
import { WATCH_CLAIMS } from "./watch-claims.ts";
import { WHEN_CLAIMS } from "./when-claims.ts";

export { type Claim, measureRate } from "./claim.ts";
export { COMPARE_CLAIMS } from "./compare-claims.ts";
export { METRICS, measureCoverage } from "./interval-claims.ts";
export { labProcesses } from "./lab.ts";
export { PROCESSES } from "./processes.ts";

/** Claims about `logratio report`. */
export const REPORT_CLAIMS: readonly Claim[] = [
  ...INTERVAL_CLAIMS,
  ...FACT_CLAIMS,
  ...WHEN_CLAIMS,
  ...WATCH_CLAIMS,
];

export const CLAIMS: readonly Claim[] = [
  ...REPORT_CLAIMS,
  ...COMPARE_CLAIMS,
  ...ANALYZE_CLAIMS,
  ...KL_CLAIMS,
];
