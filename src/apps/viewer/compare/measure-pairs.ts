import { computeK3 } from "../../../core/kernels/index.ts";
import type { DifferenceFigure, SequencePairs } from "../../../results/view.ts";
import { decodeSequence, type WireSequence } from "../../../results/wire/sequence.ts";
import { deltaDifferences, sharedTokens } from "../../../results/wire/shared-tokens.ts";
import type { PreparedRun } from "../prepare/cache/prepared-run.ts";
import type { SequencePair } from "./match-sequences.ts";
import type { MaskFacts } from "./warnings.ts";

/** Over the tokens of a pair of equal texts that both runs count: sums of each run's own figures. */
export interface PairSums extends SequencePair {
  readonly tokens: number;
  readonly first: FigureSums;
  readonly other: FigureSums;
}

export type FigureSums = Record<DifferenceFigure, number>;

/** How far apart the policies of two runs are in each pair: reads both sequences of each. */
export async function measurePairs(
  a: PreparedRun,
  b: PreparedRun,
  pairs: readonly SequencePair[],
  signal?: AbortSignal,
): Promise<{ pairs: SequencePairs; masks: MaskFacts; sums: PairSums[] }> {
  const columns = {
    a: [] as number[],
    b: [] as number[],
    how: [] as SequencePair["how"][],
    shared: [] as number[],
    gap_mean: [] as (number | null)[],
    gap_max: [] as (number | null)[],
    gap_token: [] as number[],
  };
  const masks = { differ: 0, of: 0 };
  const sums: PairSums[] = [];
  for (const pair of pairs) {
    signal?.throwIfAborted();
    const [one, other] = [
      decodeSequence((await a.sequence(pair.a))!),
      decodeSequence((await b.sequence(pair.b))!),
    ];
    const shared = sharedTokens(one, other);
    const gaps = measureGaps(one, other, shared);
    columns.a.push(pair.a);
    columns.b.push(pair.b);
    columns.how.push(pair.how);
    columns.shared.push(shared);
    columns.gap_mean.push(gaps.mean);
    columns.gap_max.push(gaps.max);
    columns.gap_token.push(gaps.token);
    if (pair.how !== "ids") continue;
    sums.push({ ...pair, ...sumPair(one, other, shared) });
    masks.of++;
    if (one.mask.some((bit, at) => bit !== other.mask[at])) masks.differ++;
  }
  return { pairs: columns, masks, sums };
}

function sumPair(
  a: WireSequence,
  b: WireSequence,
  shared: number,
): Pick<PairSums, "tokens" | "first" | "other"> {
  const [first, other] = [emptySums(), emptySums()];
  let tokens = 0;
  for (const [at, difference] of deltaDifferences(a, b, shared).entries()) {
    if (Number.isNaN(difference)) continue;
    tokens++;
    addDelta(first, a.trainer[at]! - a.rollout[at]!);
    addDelta(other, b.trainer[at]! - b.rollout[at]!);
  }
  return { tokens, first, other };
}

function emptySums(): FigureSums {
  return { delta_abs_mean: 0, delta_mean: 0, k3: 0 };
}

function addDelta(sums: FigureSums, delta: number): void {
  sums.delta_abs_mean += Math.abs(delta);
  sums.delta_mean += delta;
  sums.k3 += computeK3(delta);
}

export interface Gaps {
  readonly mean: number | null;
  readonly max: number | null;
  readonly token: number;
}

function measureGaps(a: WireSequence, b: WireSequence, shared: number): Gaps {
  let [sum, count, max, token] = [0, 0, -1, -1];
  for (const [at, difference] of deltaDifferences(a, b, shared).entries()) {
    if (Number.isNaN(difference)) continue;
    const size = Math.abs(difference);
    sum += size;
    count++;
    if (size > max) [max, token] = [size, at];
  }
  return count === 0 ? { mean: null, max: null, token } : { mean: sum / count, max, token };
}
