import type { SequencePairs } from "../../../results/index.ts";
import {
  decodeSequence,
  deltaDifferences,
  sharedTokens,
  type WireSequence,
} from "../../../results/wire/index.ts";
import type { PreparedRun } from "../prepare/index.ts";
import type { SequencePair } from "./match-sequences.ts";
import type { MaskFacts } from "./warnings.ts";

/** How far apart the policies of two runs are in each pair: reads both sequences of each. */
export async function measurePairs(
  a: PreparedRun,
  b: PreparedRun,
  pairs: readonly SequencePair[],
  signal?: AbortSignal,
): Promise<{ pairs: SequencePairs; masks: MaskFacts }> {
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
    masks.of++;
    if (one.mask.some((bit, at) => bit !== other.mask[at])) masks.differ++;
  }
  return { pairs: columns, masks };
}

export interface Gaps {
  readonly mean: number | null;
  readonly max: number | null;
  readonly token: number;
}

export function measureGaps(a: WireSequence, b: WireSequence, shared: number): Gaps {
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
