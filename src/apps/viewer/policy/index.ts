/**
 * The viewer of a run with one policy's log-probs only: its pages are written here and need no script. The built page
 * compares two policies throughout and would show less of one.
 *
 * @module
 */

export { policyPages } from "./pages.ts";
export { type PolicyView, type PolicyViewOptions, preparePolicy } from "./prepare-policy.ts";
