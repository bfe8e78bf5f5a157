import { EXCESS_MEAN, sumsLayout as F, OVER_COUNT, OVER_EXCESS_SUM } from "../../../core/kernels/index.ts";
import {
  type Identity,
  type IdentityTest,
  type MismatchSummary,
  readIdentity,
  type SampledCluster,
  testExcess,
} from "../../../core/summaries/index.ts";
import type { IdentityFigure, IdentityTests } from "../../../results/index.ts";

/** A part's tests, with what judging needs beside what is reported. */
export interface MeasuredTests {
  readonly shown: IdentityTests;
  readonly unitMean: IdentityTest;
  /** See {@link Identity}; undefined where it is not known. */
  readonly liftedMean: IdentityTest | undefined;
  readonly halfVarianceTest: IdentityTest | undefined;
  readonly surprisal: IdentityTest | undefined;
}

export function measureTests({ clusters }: MismatchSummary): MeasuredTests {
  const identity: Identity = readIdentity(clusters ?? { table: new Float64Array(0) });
  const { unitMean, liftedMean, halfVariance, halfVarianceTest, surprisal } = identity;
  return {
    unitMean,
    liftedMean,
    halfVarianceTest,
    surprisal,
    shown: {
      unit_mean: showTest(unitMean),
      half_variance: { value: halfVariance },
      surprisal: surprisal === undefined ? null : showTest(surprisal),
    },
  };
}

/**
 * A turn's tests: its mean is that of all its tokens; how far prompts let it stray is known of the sampled ones, which are
 * all of them in runs of up to 32,768 sequences. Entropies are not summed by turn.
 */
export function measureTurn(
  sums: Float64Array,
  turn: number,
  sample: readonly SampledCluster[],
): MeasuredTests {
  const tokens = sums[F.COUNT]!;
  const within = tokens - sums[OVER_COUNT]!;
  const excess = (within * sums[EXCESS_MEAN]! + sums[OVER_EXCESS_SUM]!) / tokens;
  // A row of Σ(ρ − 1) and tokens for each prompt.
  const rows = new Float64Array(2 * sample.length);
  for (const [prompt, { sequences }] of sample.entries())
    for (const { turns, excess } of sequences) {
      rows[2 * prompt]! += excess[turn] ?? 0;
      rows[2 * prompt + 1]! += turns[2 * turn] ?? 0;
    }
  const unitMean = { ...testExcess(rows, 2, 0, 1), tokens, value: 1 + excess };
  const square = sums[F.DELTA_M2]! + tokens * sums[F.DELTA_MEAN]! ** 2;
  return {
    unitMean,
    liftedMean: undefined,
    halfVarianceTest: undefined,
    surprisal: undefined,
    shown: {
      unit_mean: showTest(unitMean),
      half_variance: { value: (-2 * tokens * sums[F.DELTA_MEAN]!) / square },
      surprisal: null,
    },
  };
}

function showTest({ value, z, tokens, clusters }: IdentityTest): IdentityFigure {
  return { value, z, tokens, clusters };
}
