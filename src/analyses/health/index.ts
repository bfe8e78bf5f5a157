/**
 * The health of a run beside its mismatch, from the table of sequences: groups without spread in reward, truncated
 * responses, staleness, reward that follows length. Each check has a limit, and what it needs to judge at all.
 *
 * @module
 */

export { checkHealth } from "./check-health.ts";
