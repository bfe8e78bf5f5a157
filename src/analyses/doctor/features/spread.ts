/**
 * How large Δ is, how it is distributed, and whether the recorded numbers can belong to the distribution that was
 * sampled (identities I1 and I2 of the report).
 *
 * @module
 */
import type { View } from "../sample/view.ts";
import { addToCluster, type ClusterSums, clusterZ } from "./cluster-z.ts";
import { type LogitNoise, measureLogitNoise } from "./logit-noise.ts";
import { selectRanks } from "./select-ranks.ts";
import { median, NumberList, quantiles } from "./stats.ts";

export interface Spread extends LogitNoise {
  readonly tokens: number;
  readonly rows: number;
  /** Nats. */
  readonly meanAbs: number;
  readonly mean: number;
  /** −mean Δ / mean |Δ|: near 1 if only the trainer is surprised, near 0 if two policies differ slightly. */
  readonly asymmetry: number;
  /** −2·mean Δ / mean Δ²: 1 for two close policies, one of which was sampled. */
  readonly halfVariance: number;
  /** Mean ρ − 1 with its z, clustered by group; ρ capped at e^20. */
  readonly unitMean: number;
  readonly unitMeanZ: number;
  /** z of mean 1/ρ − 1, which is 0 if the samples were drawn from what the trainer's column says. */
  readonly inverseMeanZ: number;
  readonly equalShare: number;
  readonly kurtosis: number;
  /** Share of Σ|Δ| in the 1 % of tokens that differ most. */
  readonly topShare: number;
  /** Mean of 1 − p for the rollout: how unsure the policy is. */
  readonly unsure: number;
  /**
   * The third form of {@link LogitNoise}, equal to the others for normal noise: 1.4826 · median of |Δ| / (1 − p) over
   * tokens with p from 0.05 to 0.95. Blind to faults in less than half of them.
   */
  readonly logitNoiseMedian: number;
  /** Quantiles of |logit p_trainer − logit p_rollout| over all tokens: 50 %, 90 %, 99 %. */
  readonly logitGap: readonly [number, number, number];
  /** Share of tokens that the rollout is sure of (p > 0.95) and the trainer gives less than e^−½; and the reverse. */
  readonly trainerSurprised: number;
  readonly rolloutSurprised: number;
}

/** Below this a float32 log-softmax has lost the digits of 1 − p. */
export const SUREST = -2e-5;
/** Nats; e^20 replaces all larger ratios. */
const LARGEST_DELTA = 20;

export function measureSpread(view: View): Spread {
  const sums = noSums();
  const sure = { rollout: 0, trainer: 0, trainerOff: 0, rolloutOff: 0 };
  const { logits } = view;
  const sizes = new NumberList(view.tokens);
  const noise = new NumberList(view.tokens);
  const gaps = new NumberList(view.tokens);
  const [ratios, inverses]: [ClusterSums, ClusterSums] = [new Map(), new Map()];
  for (let i = 0; i < view.tokens; i++) {
    if (!view.isOwn(i)) continue;
    const a = view.a[i]!;
    const c = view.c[i]!;
    const delta = view.d[i]!;
    const excess = Math.expm1(Math.min(delta, LARGEST_DELTA));
    addToken(sums, a, delta, excess);
    const { group } = view.row(i);
    addToCluster(ratios, group, excess);
    addToCluster(inverses, group, Math.expm1(Math.min(-delta, LARGEST_DELTA)));
    sizes.push(Math.abs(delta));
    const p = Math.exp(a);
    if (p > 0.05 && p < 0.95) noise.push(Math.abs(delta) / (1 - p));
    if (a < SUREST && c < SUREST) gaps.push(Math.abs(logits.trainer[i]! - logits.rollout[i]!));
    if (a > -0.05) sure.rollout++;
    if (a > -0.05 && c < -0.5) sure.trainerOff++;
    if (c > -0.05) sure.trainer++;
    if (c > -0.05 && a < -0.5) sure.rolloutOff++;
  }
  const { n } = sums;
  const per = (sum: number): number => (n === 0 ? 0 : sum / n);
  return {
    tokens: n,
    rows: view.rows.length,
    meanAbs: per(sums.abs),
    mean: per(sums.delta),
    asymmetry: sums.abs === 0 ? 0 : -sums.delta / sums.abs,
    halfVariance: sums.square === 0 ? Number.NaN : (-2 * sums.delta) / sums.square,
    unitMean: per(sums.ratio),
    unitMeanZ: clusterZ(ratios),
    inverseMeanZ: clusterZ(inverses),
    equalShare: per(sums.equal),
    kurtosis: sums.square === 0 ? Number.NaN : (n * sums.fourth) / sums.square ** 2,
    topShare: shareOfTop(sizes.values, sums.abs),
    unsure: per(sums.unsure),
    ...measureLogitNoise(sums),
    logitNoiseMedian: noise.values.length === 0 ? 0 : 1.4826 * median(noise.values),
    logitGap: quantiles(gaps.values, [0.5, 0.9, 0.99]) as [number, number, number],
    trainerSurprised: sure.rollout === 0 ? 0 : sure.trainerOff / sure.rollout,
    rolloutSurprised: sure.trainer === 0 ? 0 : sure.rolloutOff / sure.trainer,
  };
}

const noSums = () => ({
  n: 0,
  abs: 0,
  delta: 0,
  square: 0,
  fourth: 0,
  equal: 0,
  unsure: 0,
  unsureSquare: 0,
  ratio: 0,
});

function addToken(sums: ReturnType<typeof noSums>, a: number, delta: number, excess: number): void {
  sums.n++;
  sums.abs += Math.abs(delta);
  sums.delta += delta;
  const square = delta * delta;
  sums.square += square;
  // The power operator takes several times as long.
  sums.fourth += square * square;
  if (delta === 0) sums.equal++;
  const unsure = -Math.expm1(Math.min(0, a));
  sums.unsure += unsure;
  sums.unsureSquare += unsure * unsure;
  sums.ratio += excess;
}

function shareOfTop(sizes: Float64Array, total: number): number {
  if (total === 0) return 0;
  const top = Math.max(1, Math.round(sizes.length / 100));
  selectRanks(sizes, [sizes.length - top]);
  return (
    sizes
      .subarray(-top)
      .sort()
      .reduceRight((sum, size) => sum + size, 0) / total
  );
}
