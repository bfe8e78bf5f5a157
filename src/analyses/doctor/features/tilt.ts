/**
 * Whose tokens these are, from bounded sums: with t = tanh(Δ/2) = (q − p) / (q + p), tokens drawn from the rollout's policy
 * have mean t = −mean t², and tokens drawn from the trainer's have mean t = mean t², up to third order in t. Mean ρ = 1
 * says the same exactly, but its error is that of the few largest ratios.
 *
 * To see it, write M for the average of both policies: E_p[f] = E_M[(1 − t) f] and E_M[t] = 0, so E_p[t + t²] = −E_M[t³].
 *
 * @module
 */
import type { View } from "../sample/view.ts";
import { addToCluster, type ClusterSums, clusterZ } from "./cluster-z.ts";

export interface Tilt {
  /** −Σ t / Σ t²: 1 if the tokens fit the rollout's column, −1 if they fit the trainer's; NaN if every Δ is 0. */
  readonly ratio: number;
  /** z, clustered by group, of what the rollout's column predicts: Σ (t + t²) = 0. */
  readonly rolloutZ: number;
  /** z, clustered by group, of what the trainer's column predicts: Σ (t − t²) = 0. */
  readonly trainerZ: number;
}

export function measureTilt(view: View): Tilt {
  let [sum, squares] = [0, 0];
  const [rollout, trainer]: [ClusterSums, ClusterSums] = [new Map(), new Map()];
  for (let i = 0; i < view.tokens; i++) {
    if (!view.isOwn(i)) continue;
    const t = Math.tanh(view.d[i]! / 2);
    const { group } = view.row(i);
    sum += t;
    squares += t * t;
    addToCluster(rollout, group, t + t * t);
    addToCluster(trainer, group, t - t * t);
  }
  return {
    ratio: squares === 0 ? Number.NaN : -sum / squares,
    rolloutZ: clusterZ(rollout),
    trainerZ: clusterZ(trainer),
  };
}
