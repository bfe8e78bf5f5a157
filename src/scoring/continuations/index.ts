/**
 * Outcomes under the forced rollout: from where texts are continued, the sampling, the file. Not here: the analysis of
 * outcomes (src/analyses/kl/report/continuations.ts).
 *
 * @module
 */

export { type Continuation, readContinuations } from "./continuations-file.ts";
export { type ContinueTextsOptions, continueTexts } from "./continue-texts.ts";
export { checkPlace } from "./places.ts";
