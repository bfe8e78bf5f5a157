import type { CheckpointFigures } from "../../results/checkpoints.ts";
import type { Region } from "../../results/names.ts";
import type { PairFigures } from "../../results/report.ts";
import type { TextSummary } from "../summary.ts";
import {
  computeDeviation,
  computeMean,
  computeMedian,
  computeSum,
  findMax,
  findMin,
  finite,
} from "./numbers.ts";
import {
  countSpikes,
  groupProblems,
  listTexts,
  type Problem,
  problemMean,
  problemMeans,
} from "./problems.ts";
import type { Checkpoint, KlStudy, PolicyPair } from "./report-input.ts";

/** One value per region. */
export function byRegion<T>(of: (region: Region) => T): Record<Region, T> {
  return { early: of("early"), mid: of("mid"), late: of("late") };
}

/**
 * A checkpoint against the reference.
 *
 * A text's mean is over its tokens with mask 1, a problem's over its texts' means, `mean_kl` over problems; `std_kl` =
 * √(Σ(x − x̄)² / n) over problems, and likewise for reverse KL, JS and entropies. `spikes_mean` is the number of spikes
 * divided by the number of problems. The interval is over problems.
 */
export function checkpointFigures(study: KlStudy, checkpoint: Checkpoint): CheckpointFigures {
  const { problems, name } = checkpoint;
  const { texts: all, vocabularySize } = study.input;
  const texts = listTexts(problems);
  const kl = problemMeans(problems, (text) => text.meanKl);
  const entropies = problemMeans(problems, (text) => text.meanEntropy);
  const entropy = computeMean(entropies);
  const tokens = computeSum(texts.map((text) => text.tokens));
  const exact = texts.every((text) => text.exact);
  const upper = problemMeans(problems, (text) => text.meanKlUpper);
  const known = computeSum(texts.map((text) => text.argmaxKnown));
  const interval = study.bootstrap.mean(kl);
  const mean = (of: (text: TextSummary) => number): number | null =>
    finite(computeMean(problemMeans(problems, of)));
  noteLeftOut(study, checkpoint, texts);
  noteAbsent(study, name, {
    "mean_kl (no token has a KL)": kl.length > 0,
    "mean_kl_interval (fewer than six problems)": interval !== null || kl.length === 0,
    mean_entropy: Number.isFinite(entropy),
    "mean_reverse_kl and mean_js (only the most probable tokens are known)":
      mean((text) => text.meanReverseKl) !== null,
    "mean_kl_upper (where the reference's known tokens leave out one that the checkpoint may choose, nothing bounds it)":
      exact || upper.every(Number.isFinite),
    "mean_entropy_normalized (the size of the vocabulary is not known)": vocabularySize !== null,
  });
  return {
    role: checkpoint.role,
    step: checkpoint.step,
    stage: checkpoint.stage,
    exact,
    problems: problems.length,
    texts: texts.length,
    tokens,
    texts_missing: Math.max(0, all.length - texts.length),
    mean_kl: finite(computeMean(kl)),
    std_kl: finite(computeDeviation(kl)),
    median_kl: finite(computeMedian(kl)),
    min_kl: finite(findMin(kl)),
    max_kl: finite(findMax(kl)),
    mean_kl_interval: interval,
    mean_reverse_kl: mean((text) => text.meanReverseKl),
    mean_js: mean((text) => text.meanJs),
    mean_total_variation: mean((text) => text.meanTotalVariation),
    mean_kl_lower: exact ? null : mean((text) => text.meanKlLower),
    mean_kl_upper: exact ? null : finite(computeMean(upper)),
    upper_infinite_share: exact ? null : finite(computeSum(texts.map((text) => text.upperInfinite)) / tokens),
    token_mean_kl: finite(computeSum(texts.map((text) => text.meanKl * text.tokens)) / tokens),
    token_max_kl: finite(findMax(texts.map((text) => text.maxKl))),
    argmax_changed: known === 0 ? null : computeSum(texts.map((text) => text.argmaxChanged)) / known,
    mean_delta: mean((text) => text.meanDelta),
    mean_entropy: finite(entropy),
    std_entropy: finite(computeDeviation(entropies)),
    mean_entropy_normalized: vocabularySize === null ? null : finite(entropy / Math.log(vocabularySize)),
    mean_reference_entropy: mean((text) => text.meanReferenceEntropy),
    entropy_by_region: byRegion((region) => mean((text) => text.entropyByRegion[region])),
    ...spikeFigures(problems, texts, tokens),
    rl_probe: rlProbeFigures(problems),
  };
}

/** Reports texts and tokens that are in no figure, or only in some. */
function noteLeftOut(study: KlStudy, { name, texts: all }: Checkpoint, texts: readonly TextSummary[]): void {
  const unusable = all.length - texts.length;
  if (unusable > 0)
    study.absent(
      `${unusable} ${unusable === 1 ? "text has no finite mean KL and is" : "texts have no finite mean KL and are"} in no figure`,
      name,
    );
  const infinite = computeSum(texts.map((text) => text.infiniteKl ?? 0));
  if (infinite > 0)
    study.absent(
      `${infinite} ${infinite === 1 ? "token has an infinite KL and is" : "tokens have an infinite KL and are"} in no mean and no spike`,
      name,
    );
  const reverse = computeSum(texts.map((text) => text.infiniteReverseKl ?? 0));
  if (reverse > 0)
    study.absent(
      `${reverse} ${reverse === 1 ? "token has an infinite reverse KL and is" : "tokens have an infinite reverse KL and are"} in no mean of it`,
      name,
    );
}

function noteAbsent(study: KlStudy, name: string, there: Readonly<Record<string, boolean>>): void {
  for (const [figure, known] of Object.entries(there)) if (!known) study.absent(`no ${figure}`, name);
}

function spikeFigures(problems: readonly Problem[], texts: readonly TextSummary[], tokens: number) {
  const spikes = texts.flatMap((text) => text.spikes);
  const perProblem = problems.map(countSpikes);
  const values = computeSum(spikes.map(({ value }) => value));
  const share = values / computeSum(texts.map((text) => text.meanKl * text.tokens));
  const zscores = spikes.map(({ zscore }) => zscore).filter(Number.isFinite);
  return {
    spikes_total: spikes.length,
    spikes_mean: finite(computeMean(perProblem)) ?? 0,
    spikes_shuffled: finite(computeSum(texts.map(({ spikesShuffled }) => spikesShuffled)) / problems.length),
    spikes_median: finite(computeMedian(perProblem)) ?? 0,
    spikes_per_100_tokens: finite((100 * spikes.length) / tokens) ?? 0,
    spike_mean_value: finite(values / spikes.length),
    spike_mean_zscore: finite(computeMean(zscores)),
    spike_share_of_kl: finite(share),
    spike_regions: byRegion((region) => {
      const densities = texts.map((text) => text.spikeDensity[region]).filter(Number.isFinite);
      const count = spikes.filter((spike) => spike.region === region).length;
      return { spikes: count, density: finite(computeMean(densities)) ?? 0 };
    }),
  };
}

/** Null unless every text has RL-Probe's alignment too. */
function rlProbeFigures(problems: readonly Problem[]): CheckpointFigures["rl_probe"] {
  const texts = listTexts(problems);
  if (texts.length === 0 || texts.some(({ rlProbe }) => rlProbe === null)) return null;
  const kl = problemMeans(problems, ({ rlProbe }) => rlProbe?.meanKl ?? Number.NaN);
  const total = computeSum(texts.map(({ rlProbe }) => rlProbe?.spikes ?? 0));
  const same = texts.map(({ spikes, rlProbe }) => {
    const there = new Set(rlProbe?.spikePositions);
    return spikes.filter(({ position }) => there.has(position)).length;
  });
  const ours = computeSum(texts.map(({ spikes }) => spikes.length));
  if (kl.length === 0) return null;
  return {
    mean_kl: computeMean(kl),
    std_kl: computeDeviation(kl),
    spikes_total: total,
    spikes_mean: total / problems.length,
    same_spikes: ours === 0 ? null : computeSum(same) / ours,
  };
}

/** The figures of two policies other than checkpoint and reference. */
export function pairFigures({ p, q, texts }: PolicyPair): PairFigures {
  const problems = groupProblems(texts);
  const kl = problems.map((problem) => problemMean(problem, (text) => text.meanKl));
  const mean = (of: (text: TextSummary) => number): number | null =>
    finite(computeMean(problemMeans(problems, of)));
  return {
    p,
    q,
    problems: problems.length,
    tokens: computeSum(listTexts(problems).map((text) => text.tokens)),
    mean_kl: finite(computeMean(kl)),
    std_kl: finite(computeDeviation(kl)),
    mean_reverse_kl: mean((text) => text.meanReverseKl),
    mean_js: mean((text) => text.meanJs),
    spikes_mean: finite(computeMean(problems.map(countSpikes))) ?? 0,
  };
}
