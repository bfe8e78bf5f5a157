/**
 * What `analyze` says about a log in which divergence is unrelated to answers: responses to one prompt are alike in
 * whether they are right and in how far their tokens diverge.
 *
 * @module
 */
import { readScenarios } from "../../../src/analyses/analyze/scenarios.ts";
import {
  clusteredDifference,
  clusteredShare,
  FEWEST_TO_COMPARE,
} from "../../../src/core/statistics/clusters.ts";
import type {
  Comparison,
  DivergenceFigures,
  LoggedDigitFigures,
  ShareFigures,
} from "../../../src/results/analyze.ts";
import { type Claim, normal } from "./claim.ts";

interface Made {
  readonly prompts: number;
  readonly accuracy: number;
  /** Share of the prompts whose responses are all right or all wrong. */
  readonly alike: number;
  /** Standard deviation of a prompt's own divergence, and of a response's, in units of a token's. */
  readonly promptEffect: number;
  /** Deviation of the logarithm of a response's divergence; without one it is normal. */
  readonly skew?: number;
}

const RESPONSES = 8;

interface Log {
  readonly values: number[];
  readonly correct: boolean[];
  readonly clusters: number[];
  /** How many tokens each response has; those to one prompt have similar numbers. */
  readonly tokens: number[];
}

function drawLog({ prompts, accuracy, alike, promptEffect, skew }: Made, random: () => number): Log {
  const log: Log = { values: [], correct: [], clusters: [], tokens: [] };
  for (let prompt = 0; prompt < prompts; prompt++) {
    const effect = promptEffect * normal(random);
    const all = random() < alike ? random() < accuracy : undefined;
    const often = 4 * random();
    for (let i = 0; i < RESPONSES; i++) {
      const value = effect + normal(random);
      log.values.push(skew === undefined ? value : Math.exp((skew * value) / Math.hypot(promptEffect, 1)));
      log.correct.push(all ?? random() < accuracy);
      log.clusters.push(prompt);
      log.tokens.push(Math.floor(often * 2 * random()));
    }
  }
  return log;
}

/** The share of correct answers among the logged tokens, and what chance would give. */
function measureShare(log: Log, baseline: number): ShareFigures {
  const hits: boolean[] = [];
  const clusters: number[] = [];
  log.tokens.forEach((tokens, i) => {
    for (let token = 0; token < tokens; token++) {
      hits.push(log.correct[i]!);
      clusters.push(log.clusters[i]!);
    }
  });
  const { share, interval, clusters: count } = clusteredShare(hits, clusters);
  return {
    count: hits.length,
    share,
    interval,
    by: "prompt",
    clusters: count,
    baseline,
    baseline_from: "given",
    against_baseline: null,
  };
}

function holds(id: "mostly_correct" | "mostly_incorrect", correct: ShareFigures): boolean {
  const absent = { absent: "not drawn", a: { count: 0 }, b: { count: 0 } } as unknown as Comparison;
  const comparisons = (["correctness_sequences", "not_digits"] as const).map((each) => ({
    ...absent,
    id: each,
  }));
  const scenarios = readScenarios({
    correct: { count: 0 } as DivergenceFigures,
    digits: { count: 1, texts_unknown: 0 } as LoggedDigitFigures,
    shares: { correct, digits_correct: correct, correct_digits: correct },
    comparisons,
  });
  return scenarios.find((scenario) => scenario.id === id)!.status === "yes";
}

const LOGS: readonly (Made & { readonly name: string })[] = [
  {
    name: "48 prompts × 8, accuracy 0.5, ICC about 0.5",
    prompts: 48,
    accuracy: 0.5,
    alike: 0.5,
    promptEffect: 1,
  },
  {
    name: "24 prompts × 8, accuracy 0.7, ICC about 0.5",
    prompts: 24,
    accuracy: 0.7,
    alike: 0.5,
    promptEffect: 1,
  },
  {
    name: "96 prompts × 8, accuracy 0.1, ICC about 0.3",
    prompts: 96,
    accuracy: 0.1,
    alike: 0.3,
    promptEffect: 0.6,
  },
];

/** One side is small: runs of verifiable rewards end at an accuracy of 0.9. */
const MOSTLY_RIGHT: readonly (Made & { readonly name: string })[] = [
  ...[12, 24, 48].map((prompts) => ({
    name: `${prompts} prompts × 8, accuracy 0.9, ICC about 0.5`,
    prompts,
    accuracy: 0.9,
    alike: 0.5,
    promptEffect: 1,
  })),
  ...[12, 24, 96].map((prompts) => ({
    name: `${prompts} prompts × 8, accuracy 0.9, ICC about 0.5, lognormal 1`,
    prompts,
    accuracy: 0.9,
    alike: 0.5,
    promptEffect: 1,
    skew: 1,
  })),
  {
    name: "96 prompts × 8, accuracy 0.9, responses to a prompt all right or all wrong, lognormal 1",
    prompts: 96,
    accuracy: 0.9,
    alike: 1,
    promptEffect: 1,
    skew: 1,
  },
];

export const ANALYZE_CLAIMS: readonly Claim[] = [
  ...[...LOGS, ...MOSTLY_RIGHT].map(
    ({ name, ...made }): Claim => ({
      method: "analyze: test by response, clustered by prompt",
      process: name,
      rate: "false alarms",
      nominal: 0.05,
      limits: [0, 0.1],
      once: (random) => {
        const { values, correct, clusters } = drawLog(made, random);
        const { pValue, clustersA, clustersB } = clusteredDifference(values, correct, clusters);
        return Math.min(clustersA, clustersB) < FEWEST_TO_COMPARE ? undefined : pValue < 0.05;
      },
    }),
  ),
  ...LOGS.flatMap(({ name, ...made }): Claim[] => [
    {
      method: "analyze: interval of a share",
      process: name,
      rate: "coverage",
      nominal: 0.95,
      limits: [0.9, 0.99],
      once: (random) => {
        const { low, high } = measureShare(drawLog(made, random), made.accuracy).interval;
        return low! <= made.accuracy && made.accuracy <= high!;
      },
    },
    ...(["mostly_correct", "mostly_incorrect"] as const).map(
      (id): Claim => ({
        method: `analyze: scenario ${id}`,
        process: name,
        rate: "false alarms",
        nominal: 0.025,
        limits: [0, 0.06],
        once: (random) => holds(id, measureShare(drawLog(made, random), made.accuracy)),
      }),
    ),
  ]),
];
