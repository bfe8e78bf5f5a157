import { EXCESS_MEAN, sumsLayout as F, OVER_COUNT, overExcessSum } from "../../../core/kernels/index.ts";
import {
  type Identity,
  type IdentityTest,
  type MismatchSummary,
  readIdentity,
  type SampledCluster,
  testExcess,
} from "../../../core/summaries/index.ts";
import type { IdentityFigure, IdentityTests } from "../../../results/identity.ts";

/** A part's tests, with what judging needs beyond what is reported. */
export interface MeasuredTests {
  readonly shown: IdentityTests;
  readonly unitMean: IdentityTest;
  /** See {@link Identity}; undefined if not known. */
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
 * The tests of the first `count` turns, undefined for a turn without tokens (a filter may leave one): a turn's mean
 * covers all its tokens; its uncertainty over prompts is known from the sampled ones, which are all of them in runs of
 * up to 32,768 sequences. Entropies are not summed by turn.
 */
export function measureTurns(
  turns: MismatchSummary["turns"],
  count: number,
  sample: readonly SampledCluster[],
): (MeasuredTests | undefined)[] {
  const first = turns.slice(0, count);
  const rows = sumTurns(first.length, sample);
  return first.map(({ sums, sequences }, turn) =>
    sequences === 0 ? undefined : measureTurn(sums, rows[turn]!),
  );
}

/** For each turn, a row of Σ(ρ − 1) and tokens for each prompt. In a single pass: the sample fits in no cache. */
function sumTurns(count: number, sample: readonly SampledCluster[]): Float64Array[] {
  const rows = Array.from({ length: count }, () => new Float64Array(2 * sample.length));
  for (let prompt = 0; prompt < sample.length; prompt++) {
    for (const { turns, excess } of sample[prompt]!.sequences) {
      const known = Math.min(count, turns.length / 2);
      for (let turn = 0; turn < known; turn++) {
        const row = rows[turn]!;
        row[2 * prompt]! += excess[turn] ?? 0;
        row[2 * prompt + 1]! += turns[2 * turn]!;
      }
    }
  }
  return rows;
}

function measureTurn(sums: Float64Array, rows: Float64Array): MeasuredTests {
  const tokens = sums[F.COUNT]!;
  const within = tokens - sums[OVER_COUNT]!;
  const excess = (within * sums[EXCESS_MEAN]! + overExcessSum(sums)) / tokens;
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
