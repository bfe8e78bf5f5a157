import type { ContinuationFigures } from "../../results/wrong-texts.ts";
import type { TextContinuation, TextSummary } from "../summary.ts";
import { computeMean } from "./numbers.ts";
import { correctOver, pairedOrNull, rankCorrelation } from "./paired.ts";
import { groupProblems, listTexts, type Problem, problemMean, problemMeans } from "./problems.ts";
import type { Checkpoint, KlStudy } from "./report-input.ts";

/**
 * How often checkpoints give the right answer when they continue freely from within a wrong text.
 *
 * A text's share is over its samples, a problem's over its texts, a checkpoint's over problems. The difference to the
 * reference is paired by problem: Wilcoxon's signed-rank test (from six problems that differ), Holm over all rows.
 */
export function continuationFigures(study: KlStudy): ContinuationFigures[] {
  const rows = study.checkpoints.flatMap((checkpoint) =>
    listPlaces(checkpoint).map((place) => describePlace(study, checkpoint, place)),
  );
  const correct = correctOver(study, rows, ({ difference }) => difference);
  return rows.map((row, at) => ({ ...row, difference: correct(row.difference, at) }));
}

/** Places in the order of the text. */
function listPlaces({ problems }: Checkpoint): string[] {
  const sums = new Map<string, number[]>();
  for (const { continuations = [] } of listTexts(problems))
    for (const { place, share } of continuations) sums.set(place, [...(sums.get(place) ?? []), share]);
  return [...sums]
    .sort(([a, xs], [b, ys]) => computeMean(xs) - computeMean(ys) || (a < b ? -1 : 1))
    .map(([place]) => place);
}

function describePlace(
  study: KlStudy,
  { name, problems: all }: Checkpoint,
  place: string,
): ContinuationFigures {
  const find = ({ continuations }: TextSummary): TextContinuation | undefined =>
    continuations?.find((one) => one.place === place);
  const texts = listTexts(all).filter((text) => find(text) !== undefined);
  const problems: readonly Problem[] = groupProblems(texts);
  const of = (pick: (one: TextContinuation) => number) => (text: TextSummary) => {
    const found = find(text);
    return found === undefined ? Number.NaN : pick(found);
  };
  const right = of(({ samples, right }) => right / samples);
  const reference = of(({ reference: own }) => (own === undefined ? Number.NaN : own.right / own.samples));
  const gain = (text: TextSummary): number => right(text) - reference(text);
  const shares = problemMeans(problems, reference);
  return {
    checkpoint: name,
    place,
    texts: texts.length,
    problems: problems.length,
    samples: texts.reduce((sum, text) => sum + (find(text)?.samples ?? 0), 0),
    forced_share: computeMean(
      problemMeans(
        problems,
        of(({ share }) => share),
      ),
    ),
    right: computeMean(problemMeans(problems, right)),
    reference_right: shares.length === 0 ? null : computeMean(shares),
    unanswered: computeMean(
      problemMeans(
        problems,
        of(({ samples, unanswered }) => unanswered / samples),
      ),
    ),
    difference: pairedOrNull(study, problemMeans(problems, gain)),
    with_kl: rankCorrelation(
      problems.map((problem) => problemMean(problem, gain)),
      problems.map((problem) => problemMean(problem, ({ meanKl }) => meanKl)),
    ),
  };
}
