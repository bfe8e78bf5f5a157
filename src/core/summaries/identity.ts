/**
 * Identities that hold whatever the trainer's weights are, provided that the recorded rollout log-probs are those of the
 * distribution from which the tokens were sampled. With p and q the two policies' probabilities of a token, drawn from p:
 *
 *     E[ρ] = Σ p · q/p = 1                           unit mean
 *     E[ρ] = E[e^Δ] ≈ 1 + E[Δ] + E[Δ²]/2 = 1         half variance: −2 E[Δ] / E[Δ²] ≈ 1 where Δ is small
 *     E[−log p] = H(p)                               surprisal
 *
 * They follow from the definitions. What breaks each is in docs/statistics.md.
 *
 * @module
 */
import type { FloatArray } from "../base/index.ts";
import { CLUSTER, CLUSTER_WIDTH, type ClusterSums, type SurprisalSums } from "./cluster-sums.ts";

/** A mean that should have a given value, and how many standard errors it is off; NaN where the data do not say. */
export interface IdentityTest {
  readonly value: number;
  /** Σx / √(C/(C − 1) · Σ_c (Σ_{t∈c} (x_t − x̄))²) over C clusters; NaN where C < 2 or the root is 0. */
  readonly z: number;
  readonly tokens: number;
  readonly clusters: number;
}

export interface Identity {
  /** Mean ρ, which should be 1. */
  readonly unitMean: IdentityTest;
  /** −2 · mean Δ / mean Δ², about 1 for small Δ; NaN where every Δ is 0. */
  readonly halfVariance: number;
  /** Mean surprisal − mean entropy of the rollout policy, nats, which should be 0; absent without entropies. */
  readonly surprisal?: IdentityTest;
}

/** The three identities over the tokens of these clusters. */
export function readIdentity(clusters: ClusterSums): Identity {
  const { table } = clusters;
  const unitMean = testMean(table, CLUSTER.excess, CLUSTER.tokens);
  const surprisal = testMean(table, CLUSTER.surprisal, CLUSTER.entropyTokens);
  return {
    unitMean: { ...unitMean, value: 1 + unitMean.value },
    halfVariance: (-2 * sumColumn(table, CLUSTER.delta)) / sumColumn(table, CLUSTER.deltaSquare),
    ...(surprisal.tokens > 0 && { surprisal }),
  };
}

/** Whether the mean of what is summed in `column`, over as many tokens as `per` says, is 0. */
function testMean(table: Float64Array, column: number, per: number): IdentityTest {
  const [sum, tokens] = [sumColumn(table, column), sumColumn(table, per)];
  const mean = sum / tokens;
  let clusters = 0;
  let spread = 0;
  let squares = 0;
  for (let at = 0; at < table.length; at += CLUSTER_WIDTH) {
    if (table[at + per]! === 0) continue;
    clusters++;
    spread += (table[at + column]! - mean * table[at + per]!) ** 2;
    squares += table[at + column]! ** 2;
  }
  // Of equal values the root is 0, and may round to a little more.
  const isSpread = clusters > 1 && spread > ROUNDING * ROUNDING * squares;
  const z = isSpread ? sum / Math.sqrt((clusters / (clusters - 1)) * spread) : Number.NaN;
  return { value: mean, z, tokens, clusters };
}

const ROUNDING = 1e-13;

/** Compensated (Neumaier, ZAMM 54, 1974), so that clusters in any order give the same sum, small as it may be. */
function sumColumn(table: Float64Array, column: number): number {
  let sum = 0;
  let lost = 0;
  for (let at = column; at < table.length; at += CLUSTER_WIDTH) {
    const value = table[at]!;
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return Number.isNaN(lost) ? sum : sum + lost;
}

/** Of the tokens `[from, to)` with mask 1, both log-probs finite and the rollout policy's entropy known. */
export function sumSurprisal(
  { rollout, trainer, mask }: { rollout: FloatArray; trainer: FloatArray; mask: Uint8Array },
  entropy: FloatArray,
  from: number,
  to: number,
): SurprisalSums {
  let tokens = 0;
  let excess = 0;
  for (let t = from; t < to; t++) {
    const value = -rollout[t]! - entropy[t]!;
    if (mask[t] === 0 || !Number.isFinite(value) || !Number.isFinite(trainer[t]!)) continue;
    tokens++;
    excess += value;
  }
  return { tokens, excess };
}
