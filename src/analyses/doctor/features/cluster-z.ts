/** z of sums over tokens that come in clusters. @module */
import { studentAsNormal } from "../../../core/statistics/distributions.ts";

/** By cluster: the sum over its tokens, and how many they are. */
export type ClusterSums = Map<number, [sum: number, tokens: number]>;

export function addToCluster(clusters: ClusterSums, cluster: number, value: number): void {
  const sums = clusters.get(cluster);
  if (sums === undefined) {
    clusters.set(cluster, [value, 1]);
    return;
  }
  sums[0] += value;
  sums[1]++;
}

/**
 * z of the mean over all tokens, for the hypothesis that it is 0: Σ over the root of Σ (a cluster's sum − mean · its
 * tokens)², a Student's t with one degree of freedom less than clusters, as the normal z of the same tail.
 */
export function clusterZ(clusters: ClusterSums): number {
  let [total, tokens] = [0, 0];
  for (const [sum, count] of clusters.values()) {
    total += sum;
    tokens += count;
  }
  const mean = total / tokens;
  let squares = 0;
  for (const [sum, count] of clusters.values()) squares += (sum - mean * count) ** 2;
  return squares === 0 || clusters.size < 2
    ? 0
    : studentAsNormal(total / Math.sqrt(squares), clusters.size - 1);
}
