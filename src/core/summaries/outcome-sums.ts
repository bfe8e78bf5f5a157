import { NUMBER } from "../base/codec.ts";
import { counts } from "./layout/layout.ts";
import { unitKind } from "./units.ts";

/** A sequence's outcomes, added to its step apart from its kernel sums. */
export interface SequenceOutcome {
  readonly responseTokens: number;
  /** Sum over the tokens with mask 1 whose entropy is known, nats. */
  readonly entropySum: number;
  readonly entropyTokens: number;
  /** NaN when unknown. */
  readonly reward: number;
  readonly correct: number;
}

/** Sums of outcomes over sequences, and how many of them have each. They merge by adding. */
export interface OutcomeSums {
  sequences: number;
  responseTokens: number;
  entropy: number;
  entropyTokens: number;
  reward: number;
  rewards: number;
  correct: number;
  judged: number;
}

/** Means of outcomes; NaN when none is known. */
export interface OutcomeMeans {
  readonly entropy: number;
  readonly response_tokens: number;
  readonly reward: number;
  readonly accuracy: number;
}

export function emptyOutcomeSums(): OutcomeSums {
  return {
    sequences: 0,
    responseTokens: 0,
    entropy: 0,
    entropyTokens: 0,
    reward: 0,
    rewards: 0,
    correct: 0,
    judged: 0,
  };
}

export function addOutcome(into: OutcomeSums, outcome: SequenceOutcome): void {
  into.sequences++;
  into.responseTokens += outcome.responseTokens;
  into.entropy += outcome.entropySum;
  into.entropyTokens += outcome.entropyTokens;
  if (!Number.isNaN(outcome.reward)) {
    into.reward += outcome.reward;
    into.rewards++;
  }
  if (!Number.isNaN(outcome.correct)) {
    into.correct += outcome.correct;
    into.judged++;
  }
}

export function outcomeMeans(sums: OutcomeSums): OutcomeMeans {
  return {
    entropy: sums.entropy / sums.entropyTokens,
    response_tokens: sums.responseTokens / sums.sequences,
    reward: sums.reward / sums.rewards,
    accuracy: sums.correct / sums.judged,
  };
}

const OUTCOMES = counts(Object.keys(emptyOutcomeSums()) as (keyof OutcomeSums)[], NUMBER);

export const OUTCOME_UNITS = unitKind(emptyOutcomeSums, OUTCOMES);
