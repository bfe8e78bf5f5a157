/**
 * The sentences of a digits report.
 *
 * @module
 */

import { formatCount, formatNumber, formatShare, isFigure, plural } from "../../core/text/index.ts";
import type { DigitsReport, DigitTruth } from "../../results/digits.ts";

/** `3,264 sequences · 230,420 tokens · 75,001 digits …`, in parts. */
export function inputParts({ metrics, vocabulary }: DigitsReport): string[] {
  return [
    plural(metrics.sequences, "sequence"),
    plural(metrics.tokens, "token"),
    `${plural(metrics.total_digits, "digit")} (${formatShare(metrics.total_digits / metrics.tokens)})`,
    plural(metrics.numbers, "number"),
    ...(metrics.multi_digit_tokens > 0 ? [plural(metrics.multi_digit_tokens, "multi-digit token")] : []),
    describeVocabulary(vocabulary),
  ];
}

function describeVocabulary({ tokenizer, token_texts: byText }: DigitsReport["vocabulary"]): string {
  if (tokenizer !== null) return `tokenizer ${tokenizer}`;
  return byText ? "digits by the texts of tokens" : "digits by the ids given";
}

/** The findings, most important first. */
export function headlines(report: DigitsReport): string[] {
  const { metrics, right_sequences: right, wrong_sequences: wrong, rewards, comparison } = report;
  const lines: string[] = [];
  if (metrics.ntl_loss !== null) {
    lines.push(
      `Proxy NTL ${formatNumber(metrics.ntl_loss)} nats: the ${report.policy} policy gave its digits a probability of ` +
        `${probability(metrics.avg_digit_log_prob)} (geometric mean)${trainerClause(report)}.`,
    );
  }
  if (metrics.multi_digit_tokens > 0) {
    lines.push(
      `${plural(metrics.multi_digit_tokens, "multi-digit token")} (such as "123"; average log-prob ` +
        `${formatNumber(metrics.multi_digit_avg_log_prob)}) ${metrics.multi_digit_tokens === 1 ? "is" : "are"} part of numbers, not of the digit figures.`,
    );
  }
  if (right && wrong) {
    lines.push(
      `Digits of correct and incorrect sequences: ${probability(right.avg_digit_log_prob)} and ${probability(wrong.avg_digit_log_prob)}.`,
    );
  }
  if (comparison?.digits.delta_abs_mean != null && comparison.others.delta_abs_mean != null) {
    lines.push(
      `Between the policies: |Δ| ${formatNumber(comparison.digits.delta_abs_mean)} on digits, ` +
        `${formatNumber(comparison.others.delta_abs_mean)} on other tokens; at most ${formatNumber(comparison.digits.delta_abs_max)} on a digit.`,
    );
  }
  if (report.truth) lines.push(...truthSentences(report.truth));
  if (rewards) {
    lines.push(
      `As rewards: the confidence factor would be ${formatNumber(rewards.confidence_mean)} on average, and ` +
        `${formatShare(rewards.bonus_share)} of the sequences with digits would get the bonus.`,
    );
  }
  if (metrics.digits_without_log_prob > 0)
    lines.push(`${plural(metrics.digits_without_log_prob, "digit token")} without a log-prob left out.`);
  return lines;
}

function truthSentences(truth: DigitTruth): string[] {
  const missing = [
    ...(truth.truth_not_a_number > 0
      ? [`${formatCount(truth.truth_not_a_number)} without a single number as truth`]
      : []),
    ...(truth.without_answer > 0
      ? [`${formatCount(truth.without_answer)} without a number in the response`]
      : []),
  ];
  const compared =
    `Against ${truth.source}: ${formatCount(truth.numbers_right)} of ${plural(truth.numbers, "answer")} right` +
    ` (${formatShare(truth.number_accuracy)}), ${formatShare(truth.digit_accuracy)} of their digits` +
    (isFigure(truth.distance_wrong_median)
      ? `; wrong ones are off by ${formatNumber(truth.distance_wrong_median)} (median)`
      : "") +
    (missing.length > 0 ? `; not compared: ${missing.join(", ")}` : "");
  const disagree =
    truth.disagrees_with_correctness > 0
      ? [
          `${plural(truth.disagrees_with_correctness, "answer")} contradicting the correctness in the data: the reward may depend on more than the number, or read the answer elsewhere.`,
        ]
      : [];
  const confidence =
    isFigure(truth.right_digits.confidence) && isFigure(truth.wrong_digits.confidence)
      ? [
          `Answer digits: mean probability ${formatNumber(truth.right_digits.confidence)} where right, ` +
            `${formatNumber(truth.wrong_digits.confidence)} where wrong; calibration error ${formatShare(truth.calibration_error)}.`,
        ]
      : [];
  return [`${compared}.`, ...confidence, ...disagree];
}

function trainerClause({ metrics }: DigitsReport): string {
  if (metrics.trainer_ntl_loss === null) return "";
  return `, the trainer policy ${probability(metrics.trainer_avg_digit_log_prob)} (${formatNumber(metrics.trainer_ntl_loss)} nats)`;
}

function probability(logprob: number | null): string {
  return formatNumber(logprob === null ? null : Math.exp(logprob));
}

/** `units`, `tens`, …, `10^-1`. */
export function placeName(place: number): string {
  return ["units", "tens", "hundreds", "thousands"][place] ?? `10^${place}`;
}
