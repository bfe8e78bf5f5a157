/**
 * What the KL depends on, and how forced texts continue, in words.
 *
 * @module
 */
import { formatPlainShare, formatShare, formatSigned, plural } from "../../../core/text/index.ts";
import type { KlAnswer } from "../../results/report.ts";
import type { ContinuationFigures } from "../../results/wrong-texts.ts";
import { type AnsweredFigures, points, tested, unknown } from "./answer-text.ts";

export function onGradients({ metrics, gradients }: AnsweredFigures): KlAnswer[] {
  const question = "Does the KL after the error depend on the error?";
  const last = gradients.find(({ checkpoint }) => checkpoint === metrics.last_checkpoint);
  if (last === undefined) return [];
  const { to_error, to_control, even, at_error, against_control, spikes, problems } = last;
  const control =
    to_control === null || against_control === null
      ? ""
      : `, ${formatShare(to_control)} on as many tokens right before it: ${points(against_control.mean)}${tested(against_control)}`;
  const sign =
    at_error > 0
      ? "the KL would fall if the error had less weight"
      : "the KL would not fall if the error had less weight";
  const answer = `Of gradient × input at ${plural(spikes, "spike")} after the error (${plural(problems, "problem")}), ${formatShare(to_error)} is on the error${control}. An even spread would put ${formatShare(even)} there. Its sum at the error is ${formatSigned(at_error)} nats: ${sign}.`;
  if (against_control === null || against_control.adjusted_p_value === null)
    return [unknown(question, answer)];
  // More than the tokens before it, but no more than any token: that is not dependence on the error.
  const isMore = against_control.significant && against_control.mean > 0 && to_error > even;
  return [{ question, answer, support: isMore ? "yes" : "no" }];
}

export function onContinuations({ metrics, continuations, reference }: AnsweredFigures): KlAnswer[] {
  const question = "Does the last checkpoint find the right answer from within a wrong text?";
  const rows = continuations.filter(({ checkpoint }) => checkpoint === metrics.last_checkpoint);
  // The place with the most forced tokens is the hardest to recover from.
  const hardest = rows.at(-1);
  if (hardest === undefined) return [];
  const answer = `${rows.map((row) => tellRow(row, reference)).join(". ")}.`;
  const { difference } = hardest;
  if (difference === null || difference.adjusted_p_value === null) return [unknown(question, answer)];
  return [{ question, answer, support: difference.significant && difference.mean > 0 ? "yes" : "no" }];
}

function tellRow(row: ContinuationFigures, reference: string): string {
  const { checkpoint, place, right, reference_right, difference, unanswered, problems } = row;
  const beside =
    reference_right === null || difference === null
      ? ""
      : `, ${formatShare(reference_right)} of ${reference}'s: ${points(difference.mean)}${tested(difference)}`;
  const none = unanswered === 0 ? "" : `; ${formatShare(unanswered)} state no answer`;
  return `${PLACES[place] ?? `From ${formatPlainShare(Number(place))} of the text`}, ${formatShare(right)} of ${checkpoint}'s continuations are right${beside} (${plural(problems, "problem")}${none})`;
}

const PLACES: Readonly<Record<string, string>> = {
  start: "From the prompt",
  before_error: "From before the first error",
  after_error: "From after the first error",
};
