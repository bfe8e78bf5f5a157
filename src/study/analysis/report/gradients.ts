import type { GradientFigures } from "../../results/wrong-texts.ts";
import type { TextGradients } from "../gradients/text-gradients.ts";
import { computeMean, finite } from "./numbers.ts";
import { correctOver, pairedOrNull } from "./paired.ts";
import { groupProblems, listTexts, problemMeans } from "./problems.ts";
import type { Checkpoint, KlStudy } from "./report-input.ts";

/**
 * Whether the KL at spikes after the first error of wrong texts depends on the error.
 *
 * A text's figure is the mean over its spikes, a problem's over its texts', a checkpoint's over problems. Error against
 * control is paired by problem: Wilcoxon's signed-rank test (from six problems that differ), Holm over checkpoints.
 */
export function gradientFigures(study: KlStudy): GradientFigures[] {
  const rows = study.checkpoints.flatMap((checkpoint) => describeCheckpoint(study, checkpoint) ?? []);
  const correct = correctOver(study, rows, ({ against_control }) => against_control);
  return rows.map((row, place) => ({ ...row, against_control: correct(row.against_control, place) }));
}

function describeCheckpoint(study: KlStudy, checkpoint: Checkpoint): GradientFigures | undefined {
  const texts = listTexts(checkpoint.problems).filter(({ gradients }) => gradients !== undefined);
  const problems = groupProblems(texts);
  if (problems.length === 0) return undefined;
  const means = (of: (gradients: TextGradients) => number): number[] =>
    problemMeans(problems, ({ gradients }) => (gradients === undefined ? Number.NaN : of(gradients)));
  return {
    checkpoint: checkpoint.name,
    texts: texts.length,
    problems: problems.length,
    spikes: texts.reduce((sum, { gradients }) => sum + (gradients?.spikes ?? 0), 0),
    to_error: computeMean(means(({ toError }) => toError)),
    to_control: finite(computeMean(means(({ toControl }) => toControl))),
    even: computeMean(means(({ even }) => even)),
    at_error: computeMean(means(({ atError }) => atError)),
    against_control: pairedOrNull(
      study,
      means(({ toError, toControl }) => toError - toControl),
    ),
  };
}
