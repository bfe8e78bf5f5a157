/**
 * Attention to the error, in words.
 *
 * @module
 */
import { formatCoefficient, formatNumber, formatShare, plural } from "../../../core/text/index.ts";
import type { KlAnswer } from "../../results/report.ts";
import type { AttentionFigures, HiddenFigures } from "../../results/wrong-texts.ts";
import { type AnsweredFigures, points, probability, tested, unknown } from "./answer-text.ts";

export function onAttention({ metrics, attention, reference }: AnsweredFigures): KlAnswer[] {
  const last = attention.find(({ checkpoint }) => checkpoint === metrics.last_checkpoint);
  if (last === undefined) return [];
  return [lookingAtErrors(last, reference), ...(last.hidden === null ? [] : [hidingErrors(last.hidden)])];
}

function lookingAtErrors(figures: AttentionFigures, reference: string): KlAnswer {
  const question = "Does it look at the error more than the reference does?";
  const { checkpoint, difference, control_difference: control, with_kl, problems: count } = figures;
  const beside =
    control === null
      ? ""
      : ` To as many tokens right before the error: ${points(control.mean)}${tested(control)}.`;
  const related =
    with_kl === null
      ? ""
      : ` Rank correlation of that difference with mean KL after the error ${formatCoefficient(with_kl.coefficient)} (${probability(with_kl.adjusted_p_value)}).`;
  const text = `After the error, ${formatShare(figures.to_error)} of ${checkpoint}'s attention goes to it, ${formatShare(figures.reference_to_error)} of ${reference}'s: ${points(difference.mean)} over ${plural(count, "problem")}${tested(difference)}.${beside}${related}`;
  if (difference.adjusted_p_value === null) return unknown(question, text);
  return { question, answer: text, support: difference.significant && difference.mean > 0 ? "yes" : "no" };
}

function hidingErrors({
  kl,
  kl_without_error,
  kl_without_control,
  difference,
  against_control,
}: HiddenFigures): KlAnswer {
  const question = "Is the KL after the error caused by seeing the error?";
  const control =
    kl_without_control === null
      ? ""
      : `, with as many tokens before it hidden instead ${formatNumber(kl_without_control)}`;
  const text = `Mean KL after the error is ${formatNumber(kl)} nats; with the error hidden from the tokens after it ${formatNumber(kl_without_error)}${tested(difference)}${control}.`;
  if (difference.adjusted_p_value === null) return unknown(question, text);
  const falls = difference.significant && difference.mean < 0;
  const moreThanControl =
    against_control === null || (against_control.significant && against_control.mean < 0);
  const reading = !falls
    ? ` ${difference.mean < 0 ? "It falls no further than chance allows" : "It does not fall"}: these data do not show that it comes from seeing the error.`
    : moreThanControl
      ? ` ${formatShare(-difference.mean / kl)} of it disappears when the error is hidden.`
      : against_control.mean < 0
        ? " Chance allows as large a fall with the other tokens hidden."
        : " Hiding the other tokens removes as much of it.";
  return { question, answer: text + reading, support: falls && moreThanControl ? "yes" : "no" };
}
