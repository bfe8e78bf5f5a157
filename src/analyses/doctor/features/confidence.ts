/**
 * How Δ depends on the policy's confidence: temperatures, soft-caps, truncation and padding of the softmax make Δ a
 * smooth function of it; noise does not.
 *
 * @module
 */
import type { View } from "../sample/view.ts";
import { SUREST } from "./spread.ts";
import { median, NumberList, PairSums, quantiles } from "./stats.ts";

export interface Confidence {
  /** Slope of logit p_trainer on logit p_rollout; a trainer at temperature T against 1 gives nearly 1 / T. */
  readonly slope: number;
  readonly correlation: number;
  readonly tokens: number;
  /** Median of logit p_trainer / logit p_rollout by p of the rollout: 0.7 to 0.97, to 0.999, to 0.9999, beyond. */
  readonly ratioBySureness: readonly number[];
  /** Share with Δ > 0 among the tokens that differ by more than rounding. */
  readonly positiveShare: number;
  readonly decided: number;
  /**
   * Of the tokens where one side is clearly below 0, the share where the other is exactly 0. Where both are nearly sure, a
   * temperature or a float32 softmax gives an exact 0 too.
   */
  readonly rolloutZero: number;
  readonly trainerZero: number;
  /** The positive share among tokens with p above 0.7, which scaled logits all move one way, and their number. */
  readonly likelyPositive: number;
  readonly likely: number;
  /**
   * Tokens clearly less likely than the average alternative: their number, their mean Δ, and by how much their
   * surprisal exceeds the entropy on average. Scaling all logits by β moves log p by about (β − 1)(log p + entropy), so
   * these move in the opposite direction from likely ones.
   */
  readonly unlikely: number;
  readonly unlikelyDelta: number;
  readonly unlikelyExcess: number;
  /** Slope of log |Δ| on log(1 − p) of the surer side, over tokens with the majority's sign and p above 0.9. */
  readonly lossSlope: number;
  /** Quantiles of Δ: 1 %, 10 %, 50 %, 90 %, 99 %. */
  readonly quantiles: readonly number[];
  /** From top-k lists: slope of the trainer's gaps between alternatives on the rollout's, and the spread of the ratio. */
  readonly listSlope: number;
  readonly listSpread: number;
  readonly listPairs: number;
  /** Share of tokens whose rollout (trainer) list has fewer alternatives than places. */
  readonly shortRollout: number;
  readonly shortTrainer: number;
  /** Median of the trainer's entropy / the rollout's entropy; NaN without entropies. */
  readonly entropyRatio: number;
  /** Mean surprisal less mean entropy, nats, with its z; NaN without entropies. */
  readonly rolloutSurplus: Surplus;
  readonly trainerSurplus: Surplus;
}

export interface Surplus {
  readonly value: number;
  readonly z: number;
  readonly tokens: number;
  readonly entropy: number;
}

/** Upper ends of p for the bins of {@link Confidence.ratioBySureness}. */
export const SURENESS_EDGES = [0.7, 0.97, 0.999, 0.9999, 1] as const;
const LIKELY = Math.log(0.7);
/**
 * Nats: the assumed entropy at an unlikely token if no column gives it, and by how much its surprisal must exceed it.
 */
const USUAL_ENTROPY = 1;
const LEAST_EXCESS = 0.25;
/** Nats: a side below this is not sure of the token, however its log-probs were rounded. */
const NOT_SURE = -6e-3;
/** Nats: the error of a float32 log-softmax is about this large. */
const ROUNDING = 2e-6;

const emptyCounts = () => ({
  positive: 0,
  decided: 0,
  rolloutZero: 0,
  trainerZero: 0,
  notRollout: 0,
  notTrainer: 0,
  unlikely: 0,
  unlikelyDelta: 0,
  unlikelyExcess: 0,
  likely: 0,
  likelyPositive: 0,
});

function readShares(counts: ReturnType<typeof emptyCounts>) {
  const share = (count: number, of: number): number => (of === 0 ? 0 : count / of);
  return {
    positiveShare: share(counts.positive, counts.decided),
    decided: counts.decided,
    rolloutZero: share(counts.rolloutZero, counts.notTrainer),
    trainerZero: share(counts.trainerZero, counts.notRollout),
    likely: counts.likely,
    likelyPositive: share(counts.likelyPositive, counts.likely),
    unlikely: counts.unlikely,
    unlikelyDelta: share(counts.unlikelyDelta, counts.unlikely),
    unlikelyExcess: share(counts.unlikelyExcess, counts.unlikely),
  };
}

export function measureConfidence(view: View): Confidence {
  const { logits } = view;
  const pairs = new PairSums();
  const bins = Array.from({ length: SURENESS_EDGES.length - 1 }, () => new NumberList(view.tokens));
  const deltas = new NumberList(view.tokens);
  const losses = { below: new PairSums(), above: new PairSums() };
  const counts = emptyCounts();
  for (let i = 0; i < view.tokens; i++) {
    if (!view.isOwn(i)) continue;
    const a = view.a[i]!;
    const c = view.c[i]!;
    const delta = view.d[i]!;
    deltas.push(delta);
    if (Math.abs(delta) > ROUNDING + 0.02 * Math.min(-a, -c)) {
      counts.decided++;
      if (delta > 0) counts.positive++;
      if (a > LIKELY) counts.likely++;
      if (a > LIKELY && delta > 0) counts.likelyPositive++;
    }
    const surer = Math.max(a, c);
    if (Math.abs(delta) > ROUNDING && surer > -0.1 && surer < SUREST)
      losses[delta < 0 ? "below" : "above"].add(Math.log(-Math.expm1(surer)), Math.log(Math.abs(delta)));
    const excess = exceedEntropy(view, i);
    if (excess > LEAST_EXCESS) {
      counts.unlikely++;
      counts.unlikelyDelta += delta;
      counts.unlikelyExcess += excess;
    }
    if (c < NOT_SURE) counts.notTrainer++;
    if (c < NOT_SURE && a === 0) counts.rolloutZero++;
    if (a < NOT_SURE) counts.notRollout++;
    if (a < NOT_SURE && c === 0) counts.trainerZero++;
    if (!(a < SUREST && c < SUREST && a > -5 && c > -5)) continue;
    const x = logits.rollout[i]!;
    const y = logits.trainer[i]!;
    pairs.add(x, y);
    const p = Math.exp(a);
    let edge = 0;
    while (edge < SURENESS_EDGES.length && p >= SURENESS_EDGES[edge]!) edge++;
    // Values below the first edge are in no bin.
    if (edge > 0 && edge < SURENESS_EDGES.length) bins[edge - 1]!.push(y / x);
  }
  return {
    slope: pairs.slope,
    correlation: pairs.correlation,
    tokens: pairs.n,
    ratioBySureness: bins.map(({ values }) => median(values)),
    ...readShares(counts),
    lossSlope: losses[counts.positive < counts.decided / 2 ? "below" : "above"].slope,
    quantiles: quantiles(deltas.values, [0.01, 0.1, 0.5, 0.9, 0.99]),
    ...measureLists(view),
    entropyRatio: compareEntropies(view),
    rolloutSurplus: measureSurplus(view, view.a, "rolloutEntropy"),
    trainerSurplus: measureSurplus(view, view.c, "trainerEntropy"),
  };
}

/**
 * Rollout surprisal minus the larger entropy of the two sides, nats; assumes a usual entropy if a side's is unknown.
 */
function exceedEntropy(view: View, i: number): number {
  const { rolloutEntropy, trainerEntropy } = view.row(i);
  const t = view.index(i);
  const entropy = Math.max(rolloutEntropy?.[t] ?? Number.NaN, trainerEntropy?.[t] ?? Number.NaN);
  return -view.a[i]! - (Number.isNaN(entropy) ? USUAL_ENTROPY : entropy);
}

type Lists = Pick<Confidence, "listSlope" | "listSpread" | "listPairs" | "shortRollout" | "shortTrainer">;

function measureLists(view: View): Lists {
  const ratios: number[] = [];
  const counts = { lists: 0, shortRollout: 0, shortTrainer: 0 };
  for (let i = 0; i < view.tokens; i++) {
    const { rolloutTop, trainerTop } = view.row(i);
    if (!view.isOwn(i) || !rolloutTop || !trainerTop) continue;
    const t = view.index(i);
    const ours = readList(rolloutTop, t);
    const theirs = readList(trainerTop, t);
    counts.lists++;
    if (ours.size < rolloutTop.k) counts.shortRollout++;
    if (theirs.size < trainerTop.k) counts.shortTrainer++;
    const ratio = compareLists(ours, theirs);
    if (ratio !== undefined) ratios.push(ratio);
  }
  const [lower, middle, upper] = quantiles(ratios, [0.1, 0.5, 0.9]) as [number, number, number];
  return {
    listSlope: middle,
    listSpread: (upper - lower) / 2,
    listPairs: ratios.length,
    shortRollout: counts.lists === 0 ? 0 : counts.shortRollout / counts.lists,
    shortTrainer: counts.lists === 0 ? 0 : counts.shortTrainer / counts.lists,
  };
}

function readList(
  top: { k: number; ids: Int32Array; logprobs: Float32Array },
  t: number,
): Map<number, number> {
  const list = new Map<number, number>();
  for (let k = t * top.k; k < (t + 1) * top.k; k++) {
    const id = top.ids[k]!;
    const logprob = top.logprobs[k]!;
    // Engines write -inf, or a large negative number, for what a filter removed.
    if (id >= 0 && logprob > -1000) list.set(id, logprob);
  }
  return list;
}

/** Gap between the rollout's two best alternatives, for the trainer and for the rollout. */
function compareLists(
  ours: ReadonlyMap<number, number>,
  theirs: ReadonlyMap<number, number>,
): number | undefined {
  const common = [...ours].filter(([id]) => theirs.has(id));
  const [best, next] = common;
  // A second one implies a first.
  if (next === undefined) return undefined;
  const gap = best![1] - next[1];
  return gap > 0.5 ? (theirs.get(best![0])! - theirs.get(next[0])!) / gap : undefined;
}

function compareEntropies(view: View): number {
  const ratios: number[] = [];
  for (let i = 0; i < view.tokens; i++) {
    if (!view.isOwn(i)) continue;
    const { rolloutEntropy, trainerEntropy } = view.row(i);
    if (!rolloutEntropy || !trainerEntropy) continue;
    const [ours, theirs] = [rolloutEntropy[view.index(i)]!, trainerEntropy[view.index(i)]!];
    if (ours > 0.05 && theirs > 0.001) ratios.push(theirs / ours);
  }
  return median(ratios);
}

function measureSurplus(
  view: View,
  logprobs: Float64Array,
  entropies: "rolloutEntropy" | "trainerEntropy",
): Surplus {
  let [sum, tokens, total] = [0, 0, 0];
  // Given the preceding tokens, surprisal minus entropy has mean 0, and so do its products: tokens need no clusters,
  // however many rows share a prompt.
  let squares = 0;
  let expected = 0;
  const range = { least: Number.POSITIVE_INFINITY, most: Number.NEGATIVE_INFINITY };
  for (let i = 0; i < view.tokens; i++) {
    const row = view.row(i);
    const entropy = row[entropies]?.[view.index(i)];
    if (!view.isOwn(i) || entropy === undefined || Number.isNaN(entropy)) continue;
    const surplus = -logprobs[i]! - entropy;
    squares += surplus ** 2;
    expected += expectSquare(entropy) ?? surplus ** 2;
    sum += surplus;
    total += entropy;
    range.least = Math.min(range.least, entropy);
    range.most = Math.max(range.most, entropy);
    tokens++;
  }
  // One number for all tokens is no entropy of theirs.
  if (!(range.most > range.least)) return { value: Number.NaN, z: 0, tokens: 0, entropy: Number.NaN };
  // A sure policy seldom samples an unlikely token, and without one the sum and the squares are both too small. What
  // two alternatives would have is not, but says nothing of these tokens: halfway, on a logarithmic scale, one of 25
  // sound runs of the laboratory is no longer beyond 4 (−4.5 to −3.4), and filtered ones still are (−10 to −5.6).
  const variance = Math.sqrt(squares * Math.max(squares, expected));
  return {
    value: sum / tokens,
    z: variance === 0 ? 0 : sum / Math.sqrt(variance),
    tokens,
    entropy: total / tokens,
  };
}

/** Entropy in nats and variance of the surprisal of two alternatives, by the probability of the rarer one. */
const TWO_ALTERNATIVES: readonly (readonly [entropy: number, variance: number])[] = Array.from(
  { length: 97 },
  (_, k) => {
    const q = 0.5 * 10 ** (-k / 16);
    const [log, other] = [Math.log(q), Math.log1p(-q)];
    return [-q * log - (1 - q) * other, q * (1 - q) * (log - other) ** 2];
  },
);

/**
 * The variance of the surprisal of a token with this entropy, if it has two alternatives; undefined if there must be
 * more. As many alternatives of the same entropy vary less where they are alike, more where one is rare.
 */
function expectSquare(entropy: number): number | undefined {
  if (entropy > Math.LN2) return undefined;
  let [low, high] = [0, TWO_ALTERNATIVES.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (TWO_ALTERNATIVES[middle]![0] <= entropy) high = middle;
    else low = middle + 1;
  }
  return TWO_ALTERNATIVES[low]![1];
}
