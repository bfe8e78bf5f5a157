/**
 * Digits and number-token loss: how sure a policy is about digits, and how far off it is. Runs in Node and in browsers.
 *
 * @module
 */
export {
  bonusReward,
  confidenceReward,
  type DigitBatch,
  type DigitConfidence,
  type DigitDecoder,
  type DigitIds,
  type DigitLosses,
  type DigitProxy,
  type DigitTargets,
  type DigitVocabulary,
  digitLogProbs,
  digitLosses,
  digitProxy,
  findDigitTokens,
  lossReward,
  type NtlMethod,
  type NtlResult,
  type NumberToken,
  numberTokenLoss,
} from "./analyses/digits/index.ts";
