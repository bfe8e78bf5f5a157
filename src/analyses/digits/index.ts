/**
 * Digits and number-token loss: how sure a policy is about digits, and how far off it is.
 *
 * @module
 */
export { formatDecimal } from "./answer.ts";
export { DigitRun } from "./digit-run.ts";
export {
  type DigitLosses,
  type DigitTargets,
  digitLogProbs,
  digitLosses,
  logSumExp,
  type NtlMethod,
  type NtlResult,
  numberTokenLoss,
} from "./distribution.ts";
export { findNumbers, type NumberSpan } from "./numbers.ts";
export { type DigitBatch, type DigitProxy, digitProxy } from "./proxy.ts";
export { bonusReward, confidenceReward, type DigitConfidence, lossReward } from "./rewards.ts";
export {
  type DigitDecoder,
  type DigitIds,
  type DigitVocabulary,
  findDigitTokens,
  type NumberToken,
  takeDigitTokens,
} from "./vocabulary.ts";
