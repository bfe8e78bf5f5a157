/**
 * All claims, for the short run of the tests and the long one of `npm run bench -- calibration`.
 *
 * @module
 */
import type { Claim } from "./claim.ts";
import { INTERVAL_CLAIMS } from "./interval-claims.ts";

export { type Claim, rateOf } from "./claim.ts";
export { coverageOf, METRICS } from "./interval-claims.ts";
export { labProcesses } from "./lab.ts";
export { PROCESSES } from "./processes.ts";

export const CLAIMS: readonly Claim[] = [...INTERVAL_CLAIMS];
