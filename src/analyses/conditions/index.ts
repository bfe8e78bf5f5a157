/**
 * Conditions on the figures of a report: the grammar shared by limits of a gate and rules of alerts. Pure. When a gate
 * fails or an alert is raised belongs in `analyses/gate` and `analyses/alerts`.
 *
 * @module
 */
export type { Results } from "./read-figure.ts";
