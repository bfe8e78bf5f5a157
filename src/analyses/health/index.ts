/**
 * The health of a run apart from its mismatch, from the table of sequences: groups without spread in reward, truncated
 * responses, staleness, reward that follows length. Each check has a limit, and a minimum of data.
 *
 * @module
 */

export { checkHealth } from "./check-health.ts";
