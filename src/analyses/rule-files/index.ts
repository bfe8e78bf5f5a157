/**
 * Parses and writes rule files that users write or keep: gate baselines and alert rules. Their meaning belongs in
 * `analyses/gate` and `analyses/alerts`.
 *
 * @module
 */
export { parseAlertRules } from "./alert-rules.ts";
