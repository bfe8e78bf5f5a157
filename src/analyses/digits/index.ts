/**
 * Digits and number-token loss: how sure a policy is about digits, and how far off it is.
 *
 * @module
 */
export {
  compareNumbers,
  type Decimal,
  findAnswer,
  formatDecimal,
  type NumberComparison,
  parseTruth,
} from "./answer.ts";
export {
  type Alternatives,
  type Interval,
  type PartialDistribution,
  partialDistribution,
  ratioBounds,
  sumBounds,
} from "./bounds.ts";
export { DigitRun, type DigitRunOptions, type DigitRunResult } from "./digit-run.ts";
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
export { positionFigures } from "./loss-tally.ts";
export { findNumbers, type NumberPart, type NumberSpan, type TokenSpan } from "./numbers.ts";
export { type DigitBatch, type DigitProxy, digitProxy, PROXY_METHOD } from "./proxy.ts";
export { bonusReward, confidenceReward, type DigitConfidence, lossReward } from "./rewards.ts";
export { hasTokenTexts, TextVocabulary } from "./token-texts.ts";
export {
  type DigitDecoder,
  type DigitIds,
  type DigitVocabulary,
  findDigitTokens,
  type NumberToken,
  parseNumberToken,
  takeDigitTokens,
} from "./vocabulary.ts";
