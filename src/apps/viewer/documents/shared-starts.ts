/**
 * Finds where samples of one prompt diverge.
 *
 * @module
 */

/**
 * The number of tokens that all samples start with; 0 for a single sample, or if ids are unknown (an empty list).
 */
export function sharedStart(samples: readonly Int32Array[]): number {
  if (samples.length < 2) return 0;
  return samples
    .slice(1)
    .reduce((least, ids) => Math.min(least, countShared(samples[0]!, ids)), samples[0]!.length);
}

/**
 * For each sample, the first token that no other sample has after the same beginning, or its length if another sample
 * begins with all of it. In the order of their ids, each sample shares most with one of its two neighbors.
 */
export function branchPoints(samples: readonly Int32Array[]): number[] {
  const order = samples.map((_, at) => at).sort((a, b) => compareIds(samples[a]!, samples[b]!));
  const points = samples.map(() => 0);
  for (let place = 1; place < order.length; place++) {
    const [one, other] = [order[place - 1]!, order[place]!];
    const shared = countShared(samples[one]!, samples[other]!);
    points[one] = Math.max(points[one]!, shared);
    points[other] = Math.max(points[other]!, shared);
  }
  return points;
}

function compareIds(a: Int32Array, b: Int32Array): number {
  const shared = countShared(a, b);
  return (a[shared] ?? -1) - (b[shared] ?? -1);
}

function countShared(a: Int32Array, b: Int32Array): number {
  const most = Math.min(a.length, b.length);
  let shared = 0;
  while (shared < most && a[shared] === b[shared]) shared++;
  return shared;
}
