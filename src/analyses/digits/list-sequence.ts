import type { DigitSequence } from "../../results/digits.ts";
import type { NumberSpan, TokenSpan } from "./numbers.ts";
import { bonusReward, confidenceReward } from "./rewards.ts";

/** What is known about a sequence besides its digits. */
export interface SequenceFacts {
  readonly handle: string;
  readonly file: string;
  readonly span: TokenSpan;
  readonly rollout: ArrayLike<number>;
  /** NaN if there is only one policy. */
  readonly trainer: ArrayLike<number>;
  /** NaN if not known. */
  readonly reward: number;
  readonly truth: string | undefined;
  readonly answer: string | undefined;
  readonly isRight: boolean | undefined;
}

/** One sequence's digits in the form of number-token loss (`ntl_info`), with the rewards they shape. */
export function listSequence(numbers: readonly NumberSpan[], facts: SequenceFacts): DigitSequence {
  const { span, rollout, trainer, reward } = facts;
  const found = numbers
    .flatMap(({ parts }) => parts)
    .filter(({ at, digits }) => digits.length === 1 && Number.isFinite(rollout[at]!));
  const selected = found.map(({ at }) => rollout[at]!);
  const others = found.map(({ at }) => trainer[at]!);
  const average =
    selected.length === 0 ? null : selected.reduce((sum, value) => sum + value, 0) / selected.length;
  const confidence = { avg_digit_log_prob: average, total_digits: selected.length };
  const base = Number.isNaN(reward) ? 1 : reward;
  return {
    handle: facts.handle,
    file: facts.file,
    digit_positions: found.map(({ at }) => at - span.start),
    digit_ground_truth: found.map(({ digits }) => Number(digits)),
    digit_log_probs_selected: selected,
    trainer_log_probs_selected: others.every(Number.isFinite) ? others : null,
    total_digits: selected.length,
    avg_digit_log_prob: average,
    ntl_loss: average === null ? null : -average,
    truth: facts.truth ?? null,
    answer: facts.answer ?? null,
    answer_right: facts.isRight ?? null,
    reward: Number.isNaN(reward) ? null : reward,
    confidence_reward: confidenceReward(base, confidence),
    bonus_reward: bonusReward(base, confidence),
  };
}
