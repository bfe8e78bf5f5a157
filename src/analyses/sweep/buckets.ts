/**
 * Groups that describe the dropped part: lengths and turns, in counts that add up.
 *
 * @module
 */

/** Lengths are distinguished to a factor of 2^(1/4), about 19 %. */
const PER_OCTAVE = 4;
export const LENGTH_BUCKETS = 31 * PER_OCTAVE;
/** Turns from this one on form one group. */
export const TURN_BUCKETS = 16;

export function lengthBucket(tokens: number): number {
  return Math.min(LENGTH_BUCKETS - 1, Math.floor(Math.log2(tokens) * PER_OCTAVE + 1e-9));
}

/** Lengths of a bucket: inclusive start, exclusive end. */
function lengthEdge(bucket: number): number {
  return Math.ceil(2 ** (bucket / PER_OCTAVE) - 1e-9);
}

export function turnBucket(turn: number): number {
  return Math.min(turn, TURN_BUCKETS - 1);
}

/** A range of length buckets `[first, last]` and the lengths in it, `[from, to]`. */
export interface LengthGroup {
  readonly first: number;
  readonly last: number;
  readonly from: number;
  readonly to: number;
}

/** At most four groups of buckets with roughly equal numbers of sequences; fewer if lengths hardly differ. */
export function lengthQuartiles(sequences: Float64Array): LengthGroup[] {
  const total = sequences.reduce((sum, count) => sum + count, 0);
  const groups: LengthGroup[] = [];
  let first = sequences.findIndex((count) => count > 0);
  if (first < 0) return [];
  const end = sequences.findLastIndex((count) => count > 0);
  let seen = 0;
  for (let bucket = first; bucket <= end; bucket++) {
    const before = seen;
    seen += sequences[bucket]!;
    const quartile = Math.floor((4 * seen) / total);
    const isFull = quartile > Math.floor((4 * before) / total);
    if (bucket !== end && !isFull) continue;
    groups.push({ first, last: bucket, from: lengthEdge(first), to: lengthEdge(bucket + 1) - 1 });
    first = bucket + 1;
  }
  return groups;
}
