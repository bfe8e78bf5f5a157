/**
 * Identities that hold for any trainer weights, if the recorded rollout log-probs are those of the distribution from
 * which the tokens were sampled. With p and q the two policies' probabilities of a token, drawn from p:
 *
 *     E[ρ] = Σ p · q/p = 1                           unit mean
 *     E[ρ] = E[e^Δ] ≈ 1 + E[Δ] + E[Δ²]/2 = 1         half variance: −2 E[Δ] / E[Δ²] ≈ 1 where Δ is small
 *     E[−log p] = H(p)                               surprisal
 *
 * They follow from the definitions. docs/statistics.md lists what breaks each.
 *
 * @module
 */
import type { FloatArray } from "../base/arrays.ts";
import { CLUSTER, CLUSTER_WIDTH, type ClusterSums, type SurprisalSums } from "./cluster-sums.ts";

/** A mean with an expected value, and how many standard errors it is off; NaN when the data do not say. */
export interface IdentityTest {
  readonly value: number;
  /** Σx / √(C/(C − 1) · Σ_c (Σ_{t∈c} (x_t − x̄))²) over C clusters; NaN if C < 2 or the root is 0. */
  readonly z: number;
  /**
   * Degrees of freedom of Student's t for z: 2C/(κ − 1), at most C − 1, where κ is the kurtosis of the clusters' sums. A
   * variance dominated by few large sums is as uncertain as one of few sums (Satterthwaite 1946).
   */
  readonly freedom: number;
  readonly tokens: number;
  readonly clusters: number;
}

/** The three identities over some tokens. */
export interface Identity {
  /** Mean ρ, which should be 1. */
  readonly unitMean: IdentityTest;
  /**
   * Mean ρ with ρ < ½ counted as 1, which should be 1 or more. Where the trainer gives its probability to tokens that
   * are hardly ever sampled, the others have a small ρ and mean ρ stays below 1 until such a token is drawn; that
   * explains a small mean ρ, but not a small mean without such tokens.
   */
  readonly liftedMean: IdentityTest;
  /** −2 · mean Δ / mean Δ², about 1 for small Δ; NaN if every Δ is 0. */
  readonly halfVariance: number;
  /** The same as a test: whether mean(−2Δ − Δ²) is 0. */
  readonly halfVarianceTest: IdentityTest;
  /** Mean surprisal − mean entropy of the rollout policy, nats, which should be 0; absent without entropies. */
  readonly surprisal?: IdentityTest;
}

/** The three identities over the tokens of these clusters. */
export function readIdentity({ table }: Pick<ClusterSums, "table">): Identity {
  const unitMean = testExcess(table, CLUSTER_WIDTH, CLUSTER.excess, CLUSTER.tokens);
  const further = testFurther(table);
  const surprisal = testExcess(table, CLUSTER_WIDTH, CLUSTER.surprisal, CLUSTER.entropyTokens);
  const delta = sumColumn(table, CLUSTER_WIDTH, CLUSTER.delta);
  const square = sumColumn(table, CLUSTER_WIDTH, CLUSTER.deltaSquare);
  return {
    unitMean: { ...unitMean, value: 1 + unitMean.value },
    ...further,
    halfVariance: (-2 * delta) / square,
    ...(surprisal.tokens > 0 && { surprisal }),
  };
}

/** Tests of combinations of columns, not of single ones. */
function testFurther(table: Float64Array): Pick<Identity, "liftedMean" | "halfVarianceTest"> {
  const rows = table.length / CLUSTER_WIDTH;
  const made = new Float64Array(3 * rows);
  for (let row = 0; row < rows; row++) {
    const at = row * CLUSTER_WIDTH;
    made[3 * row] = table[at + CLUSTER.tokens]!;
    made[3 * row + 1] = table[at + CLUSTER.excess]! + table[at + CLUSTER.starved]!;
    made[3 * row + 2] = -2 * table[at + CLUSTER.delta]! - table[at + CLUSTER.deltaSquare]!;
  }
  const lifted = testExcess(made, 3, 1, 0);
  return { liftedMean: { ...lifted, value: 1 + lifted.value }, halfVarianceTest: testExcess(made, 3, 2, 0) };
}

/**
 * Whether the mean of x is 0, from its sums by cluster.
 *
 * @param table rows of `width` numbers: Σx of each cluster in `column`, its tokens in `per`; rows without tokens do not
 * count
 */
export function testExcess(table: Float64Array, width: number, column: number, per: number): IdentityTest {
  const [sum, tokens] = [sumColumn(table, width, column), sumColumn(table, width, per)];
  const mean = sum / tokens;
  let [clusters, spread, fourth, squares] = [0, 0, 0, 0];
  for (let at = 0; at < table.length; at += width) {
    if (table[at + per]! === 0) continue;
    const square = (table[at + column]! - mean * table[at + per]!) ** 2;
    clusters++;
    spread += square;
    fourth += square * square;
    squares += table[at + column]! ** 2;
  }
  // For equal values the root is 0, but may round to a little more.
  const isSpread = clusters > 1 && spread > ROUNDING * ROUNDING * squares;
  const z = isSpread ? sum / Math.sqrt((clusters / (clusters - 1)) * spread) : Number.NaN;
  const kurtosis = (clusters * fourth) / (spread * spread);
  const freedom = Math.max(1, Math.min(clusters - 1, (2 * clusters) / Math.max(0, kurtosis - 1)));
  return { value: mean, z, freedom, tokens, clusters };
}

const ROUNDING = 1e-13;

/** A compensated sum (Neumaier, ZAMM 54, 1974), so that clusters in any order give the same, even if it is tiny. */
function sumColumn(table: Float64Array, width: number, column: number): number {
  let sum = 0;
  let lost = 0;
  for (let at = column; at < table.length; at += width) {
    const value = table[at]!;
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return Number.isNaN(lost) ? sum : sum + lost;
}

/** Sums of the tokens `[from, to)` with mask 1, both log-probs finite and the rollout policy's entropy known. */
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
