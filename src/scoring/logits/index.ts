/**
 * Saved logits as a policy.
 *
 * @module
 */
export {
  type LogitsOptions,
  type LogitsText,
  logitsPolicyNames,
  openLogitsPolicy,
  readLogitsTexts,
} from "./open-logits-policy.ts";
