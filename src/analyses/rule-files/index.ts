/**
 * Files of rules that users write or keep: baselines of gates and rules of alerts, to values and back. What they mean
 * belongs in `analyses/gate` and `analyses/alerts`.
 *
 * @module
 */
export { parseAlertRules } from "./alert-rules.ts";
