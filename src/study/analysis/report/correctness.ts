import { mannWhitneyU } from "../../../core/statistics/mann-whitney.ts";
import { holm } from "../../../core/statistics/multiple-testing.ts";
import { exactSignedRank } from "../../../core/statistics/wilcoxon.ts";
import type { CorrectnessFigures, GroupKl } from "../../results/wrong-texts.ts";
import { FEWEST_PAIRS } from "./comparisons.ts";
import { computeDeviation, computeMean, computeSum, finite } from "./numbers.ts";
import {
  countSpikes,
  groupProblems,
  listTexts,
  type Problem,
  problemMean,
  problemMeans,
} from "./problems.ts";
import type { Checkpoint, KlStudy } from "./report-input.ts";

/** With fewer problems in either group, no order of the two groups is significant at 5 %. */
const FEWEST_PER_GROUP = 4;

/**
 * KL by whether texts are right. Wrong and right texts are compared by problem means: paired (Wilcoxon) over the
 * problems that have both if there are at least six, else as two groups (Mann-Whitney), with Holm's correction over
 * checkpoints. `good_kl` and `bad_kl` are the sums of KL at tokens where the checkpoint moves the desired way or the
 * other way, divided by all tokens of texts for which that is known.
 */
export function correctnessFigures(study: KlStudy): CorrectnessFigures[] {
  const known = study.input.texts.some(({ correct }) => correct !== undefined);
  const outcomes = study.checkpoints.some((checkpoint) => checkpoint.outcomes.size > 0);
  if (!known && !outcomes) {
    study.absent(
      "no figures by correctness: it is unknown for all texts and for the checkpoint's own answers",
    );
    return [];
  }
  const raw = study.checkpoints.map((checkpoint) => ofCheckpoint(study, checkpoint));
  const adjusted = holm(raw.map(({ test }) => test?.p_value ?? Number.NaN));
  return raw.map((one, place) => ({
    ...one,
    test: one.test && { ...one.test, adjusted_p_value: adjusted[place]! },
  }));
}

function ofCheckpoint(study: KlStudy, checkpoint: Checkpoint): CorrectnessFigures {
  const { problems, name, outcomes } = checkpoint;
  const texts = listTexts(problems);
  const being = (correct: boolean): Problem[] =>
    groupProblems(texts.filter(({ index }) => study.input.texts[index]?.correct === correct));
  const [wrong, right] = [being(false), being(true)];
  const judged = texts.filter(({ goodKl, badKl }) => Number.isFinite(goodKl) && Number.isFinite(badKl));
  const [good, bad] = [
    computeSum(judged.map((text) => text.goodKl)),
    computeSum(judged.map((text) => text.badKl)),
  ];
  const tokens = computeSum(judged.map((text) => text.tokens));
  const solving = (solved: boolean): Problem[] =>
    problems.filter((problem) => outcomes.get(problem.name) === solved);
  if (judged.length === 0) study.absent("no good and bad KL, as no text is known to be right or wrong", name);
  if (outcomes.size === 0)
    study.absent("no solved and unsolved problems, as the checkpoint's own answers are not known", name);
  return {
    checkpoint: name,
    wrong_texts: summarizeGroup(wrong),
    right_texts: summarizeGroup(right),
    test: testDifference(study, name, wrong, right),
    good_kl: finite(good / tokens),
    bad_kl: finite(bad / tokens),
    good_share: finite(good / (good + bad)),
    solved: summarizeGroup(solving(true)),
    unsolved: summarizeGroup(solving(false)),
  };
}

function summarizeGroup(problems: readonly Problem[]): GroupKl | null {
  if (problems.length === 0) return null;
  const kl = problemMeans(problems, ({ meanKl }) => meanKl);
  return {
    problems: problems.length,
    texts: listTexts(problems).length,
    mean_kl: computeMean(kl),
    std_kl: computeDeviation(kl),
    spikes_mean: computeMean(problems.map(countSpikes)),
    mean_delta: finite(computeMean(problemMeans(problems, ({ meanDelta }) => meanDelta))),
  };
}

function testDifference(
  study: KlStudy,
  name: string,
  wrong: readonly Problem[],
  right: readonly Problem[],
): CorrectnessFigures["test"] {
  const meanKl = (problem: Problem): number => problemMean(problem, (text) => text.meanKl);
  const ofRight = new Map(right.map((problem) => [problem.name, meanKl(problem)]));
  const differences = wrong.flatMap((problem) => {
    const other = ofRight.get(problem.name);
    return other === undefined ? [] : [meanKl(problem) - other];
  });
  const paired = exactSignedRank(differences);
  if (paired.pairs >= FEWEST_PAIRS) {
    const { pValue, rankBiserial } = paired;
    return {
      method: "wilcoxon",
      p_value: pValue,
      adjusted_p_value: pValue,
      rank_biserial: rankBiserial,
      n: differences.length,
    };
  }
  if (Math.min(wrong.length, right.length) < FEWEST_PER_GROUP) {
    study.absent(
      `no test of wrong against right texts: ${wrong.length} and ${right.length} problems, ${FEWEST_PER_GROUP} of each are needed`,
      name,
    );
    return null;
  }
  const test = mannWhitneyU(wrong.map(meanKl), right.map(meanKl));
  return {
    method: "mann-whitney",
    p_value: test.pValue,
    adjusted_p_value: test.pValue,
    rank_biserial: test.rankBiserial,
    n: wrong.length + right.length,
  };
}
