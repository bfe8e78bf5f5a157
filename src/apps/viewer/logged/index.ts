/**
 * What a run's own logger wrote, for the page: metrics over steps, read again whenever they are asked for.
 *
 * @module
 */
export { NO_LOGGED_METRICS, readLoggedMetrics } from "./read-logged-metrics.ts";
