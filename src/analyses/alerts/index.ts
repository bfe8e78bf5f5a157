/**
 * When an alert is raised: rules over results, each event once. Pure; who gets notified belongs in `apps/alerts`.
 *
 * @module
 */
export { type AlertChange, type AlertState, evaluateAlerts, NO_ALERTS } from "./evaluate-alerts.ts";
export { listRaised } from "./list-raised.ts";
export type { AlertChannel, AlertRule, AlertRules } from "./rules.ts";
