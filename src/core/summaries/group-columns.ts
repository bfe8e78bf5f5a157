/**
 * The form in which sums of groups are read.
 *
 * @module
 */
export interface GroupRow {
  readonly group: number;
  readonly count: number;
  /** Σ Δ, Σ |Δ|, Σ k3, max |Δ|, nats. */
  readonly delta: number;
  readonly deltaAbs: number;
  readonly k3: number;
  readonly deltaAbsMax: number;
}

/** The rows of {@link GroupSums} as columns, by ascending group: an object per group would cost more than the sums. */
export interface GroupColumns {
  readonly groups: Int32Array;
  readonly count: Float64Array;
  readonly delta: Float64Array;
  readonly deltaAbs: Float64Array;
  readonly k3: Float64Array;
  readonly deltaAbsMax: Float64Array;
}

/** Row `i` of the columns. */
export function groupRow(columns: GroupColumns, i: number): GroupRow {
  return {
    group: columns.groups[i]!,
    count: columns.count[i]!,
    delta: columns.delta[i]!,
    deltaAbs: columns.deltaAbs[i]!,
    k3: columns.k3[i]!,
    deltaAbsMax: columns.deltaAbsMax[i]!,
  };
}

/** The `most` rows with the largest Σ k3, largest first; ties go to the smaller group. */
export function largestGroups(columns: GroupColumns, most: number): GroupRow[] {
  return findLargest(columns.k3, most).map((i) => groupRow(columns, i));
}

/** Indices of the `most` largest values, largest first; ties go to the smaller index. */
export function findLargest(values: Float64Array, most: number): number[] {
  const found: number[] = [];
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (found.length === most && !(value > values[found[most - 1]!]!)) continue;
    let at = found.length;
    while (at > 0 && value > values[found[at - 1]!]!) at--;
    found.splice(at, 0, i);
    if (found.length > most) found.pop();
  }
  return found;
}

/** Rows `order` of the columns, renamed to `groups`. */
export function pickColumns(
  columns: GroupColumns,
  order: ArrayLike<number>,
  groups: Int32Array,
): GroupColumns {
  const pick = (values: Float64Array): Float64Array => Float64Array.from(order, (row) => values[row]!);
  const { count, delta, deltaAbs, k3, deltaAbsMax } = columns;
  return {
    groups,
    count: pick(count),
    delta: pick(delta),
    deltaAbs: pick(deltaAbs),
    k3: pick(k3),
    deltaAbsMax: pick(deltaAbsMax),
  };
}

/** Columns one after the other. */
export function joinColumns(parts: readonly GroupColumns[]): GroupColumns {
  const rows = parts.reduce((sum, { groups }) => sum + groups.length, 0);
  const joined = {
    groups: new Int32Array(rows),
    count: new Float64Array(rows),
    delta: new Float64Array(rows),
    deltaAbs: new Float64Array(rows),
    k3: new Float64Array(rows),
    deltaAbsMax: new Float64Array(rows),
  };
  let at = 0;
  for (const part of parts) {
    for (const name of Object.keys(joined) as (keyof GroupColumns)[]) joined[name].set(part[name], at);
    at += part.groups.length;
  }
  return joined;
}
