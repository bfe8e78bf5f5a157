import { holm } from "../../../core/statistics/multiple-testing.ts";
import type { AttentionFigures, HiddenFigures } from "../../results/wrong-texts.ts";
import { strongestHead } from "../attention/head-sums.ts";
import type { TextAttention } from "../attention/text-attention.ts";
import type { TextSummary } from "../summary.ts";
import { computeMean, finite } from "./numbers.ts";
import { correctOver, pairedDifference, pairedOrNull, rankCorrelation } from "./paired.ts";
import { groupProblems, listTexts, type Problem, problemMean, problemMeans } from "./problems.ts";
import type { Checkpoint, KlStudy } from "./report-input.ts";

/**
 * How much checkpoints attend to the first error of wrong texts, next to the reference on the same texts.
 *
 * A text's share is the mean over its own tokens after the error, a problem's over its texts', a figure's over problems.
 * Differences are paired by problem: bootstrap interval of their mean, Wilcoxon's signed-rank test (from six problems that
 * differ), Holm's correction over checkpoints for each question apart.
 */
export function attentionFigures(study: KlStudy): AttentionFigures[] {
  const raw = study.checkpoints.flatMap((checkpoint) => ofCheckpoint(study, checkpoint) ?? []);
  if (raw.length === 0) {
    if (study.checkpoints.some(({ texts }) => texts.some(({ error }) => error !== undefined)))
      study.absent("no attention to first errors: the scores contain none (--attention, with local models)");
    return [];
  }
  const looking = correctOver(study, raw, ({ difference }) => difference);
  const control = correctOver(study, raw, ({ control_difference }) => control_difference);
  const hiding = correctOver(study, raw, ({ hidden }) => hidden?.difference);
  const against = correctOver(study, raw, ({ hidden }) => hidden?.against_control);
  const correlated = holm(raw.map(({ with_kl }) => with_kl?.p_value ?? Number.NaN));
  return raw.map((one, place) => ({
    ...one,
    difference: looking(one.difference, place),
    control_difference: control(one.control_difference, place),
    with_kl: one.with_kl && { ...one.with_kl, adjusted_p_value: correlated[place]! },
    hidden: one.hidden && {
      ...one.hidden,
      difference: hiding(one.hidden.difference, place),
      against_control: against(one.hidden.against_control, place),
    },
  }));
}

/** Figures over the texts whose attention is known. */
function ofCheckpoint(study: KlStudy, checkpoint: Checkpoint): AttentionFigures | undefined {
  const problems = groupProblems(
    listTexts(checkpoint.problems).filter((text) => text.attention !== undefined),
  );
  if (problems.length === 0) return undefined;
  const mean = (of: Pick): number => computeMean(averageProblems(problems, of));
  const head = checkpoint.heads && strongestHead(checkpoint.heads);
  return {
    checkpoint: checkpoint.name,
    texts: listTexts(problems).length,
    problems: problems.length,
    to_error: mean(({ toError }) => toError),
    reference_to_error: mean(({ referenceToError }) => referenceToError),
    to_control: finite(mean(({ toControl }) => toControl)),
    reference_to_control: finite(mean(({ referenceToControl }) => referenceToControl)),
    difference: pairedDifference(study, averageProblems(problems, lookingMore)),
    control_difference: pairedOrNull(
      study,
      averageProblems(problems, ({ toControl, referenceToControl }) => toControl - referenceToControl),
    ),
    with_kl: withKl(problems),
    strongest_head:
      head === undefined
        ? null
        : {
            layer: head.layer,
            head: head.head,
            share: head.share,
            reference_share: head.referenceShare,
          },
    hidden: hiddenFigures(study, problems),
  };
}

type Pick = (attention: TextAttention) => number;

const lookingMore: Pick = ({ toError, referenceToError }) => toError - referenceToError;

function reading(of: Pick): (text: TextSummary) => number {
  return ({ attention }) => (attention === undefined ? Number.NaN : of(attention));
}

/** The value of every problem for which it is known. */
function averageProblems(problems: readonly Problem[], of: Pick): number[] {
  return problemMeans(problems, reading(of));
}

/** Do problems whose attention to the error grew more than others' have a higher KL after it? */
function withKl(problems: readonly Problem[]): AttentionFigures["with_kl"] {
  const means = (of: Pick): number[] => problems.map((problem) => problemMean(problem, reading(of)));
  return rankCorrelation(
    means(lookingMore),
    means(({ kl }) => kl),
  );
}

/** KL after the error, and with the error or as many tokens before it hidden. Null if nothing was hidden. */
function hiddenFigures(study: KlStudy, all: readonly Problem[]): HiddenFigures | null {
  const problems = groupProblems(
    listTexts(all).filter(({ attention }) => Number.isFinite(attention?.klWithoutError)),
  );
  if (problems.length === 0) return null;
  const mean = (of: Pick): number => computeMean(averageProblems(problems, of));
  return {
    problems: problems.length,
    kl: mean(({ kl }) => kl),
    kl_without_error: mean(({ klWithoutError }) => klWithoutError),
    kl_without_control: finite(mean(({ klWithoutControl }) => klWithoutControl)),
    difference: pairedDifference(
      study,
      averageProblems(problems, ({ kl, klWithoutError }) => klWithoutError - kl),
    ),
    against_control: pairedOrNull(
      study,
      averageProblems(problems, ({ klWithoutError, klWithoutControl }) => klWithoutError - klWithoutControl),
    ),
  };
}
