/**
 * Metrics over steps from the run's own logger, read again for every request.
 *
 * @module
 */
export { NO_LOGGED_METRICS, readLoggedMetrics } from "./read-logged-metrics.ts";
