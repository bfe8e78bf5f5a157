import type { MaskedTokens } from "../../core/kernels/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import { GroupSums, layoutOf, part, Sums } from "../../core/summaries/index.ts";

/** Edges of the rollout-probability buckets; the last bucket is closed. */
export const PROBABILITY_EDGES = [0, 1e-4, 1e-3, 1e-2, 0.1, 0.5, 0.9, 0.99, 0.999, 1] as const;
const LOG_EDGES = Float64Array.from(PROBABILITY_EDGES.slice(1, -1), Math.log);
/** Edges between the buckets of log-probs in single precision: the smallest float32 that is in the upper one. */
export const BUCKET_EDGES = Float32Array.from(LOG_EDGES, roundUp);

const POSITION_DECILES = 10;

/** Sums by where in the response a token stands, how likely the rollout policy found it, and which token it is. */
export class TokenGroups extends Sums {
  static readonly layout = layoutOf<TokenGroups>({
    deciles: part(GroupSums.layout, (groups) => groups.deciles),
    buckets: part(GroupSums.layout, (groups) => groups.buckets),
    tokenIds: part(GroupSums.layout, (groups) => groups.tokenIds),
  });
  readonly deciles = new GroupSums(POSITION_DECILES);
  readonly buckets = new GroupSums(PROBABILITY_EDGES.length - 1);
  readonly tokenIds = new GroupSums();
  #groups = new Int32Array(0);

  /** Adds tokens `[from, to)` of a kernel pass, all of row `row` of the batch. */
  add(batch: RecordBatch, row: number, tokens: MaskedTokens, from: number, to: number): void {
    const { index, delta, k3 } = tokens;
    const start = batch.offsets[row]!;
    const length = batch.offsets[row + 1]! - start;
    if (this.#groups.length < tokens.count) this.#groups = new Int32Array(tokens.count);
    const groups = this.#groups;

    for (let i = from; i < to; i++) groups[i] = Math.floor(((index[i]! - start) * POSITION_DECILES) / length);
    this.deciles.addMany(groups, delta, k3, from, to);

    const rollout = batch.rolloutLogprobs as ArrayLike<number>;
    for (let i = from; i < to; i++) groups[i] = findBucket(rollout[index[i] as number]!);
    this.buckets.addMany(groups, delta, k3, from, to);

    const ids = batch.responseTokenIds;
    if (ids) {
      for (let i = from; i < to; i++) groups[i] = ids[index[i] as number]!;
      this.tokenIds.addMany(groups, delta, k3, from, to);
    }
  }

  /** Ends a unit: see `GroupSums.settle`. */
  settle(): void {
    this.deciles.settle();
    this.buckets.settle();
    this.tokenIds.settle();
  }
}

function roundUp(value: number): number {
  const rounded = Float32Array.of(value);
  // Logarithms of probabilities are negative: for negative numbers the next larger one has the next smaller bits.
  if (rounded[0]! < value) new Uint32Array(rounded.buffer)[0]!--;
  return rounded[0]!;
}

function findBucket(logprob: number): number {
  let bucket = LOG_EDGES.length;
  while (bucket > 0 && logprob < LOG_EDGES[bucket - 1]!) bucket--;
  return bucket;
}
