/**
 * Sums over groups of tokens that are no groups of sequences (position deciles, probability buckets, token ids):
 * growable columns indexed by group.
 *
 * @module
 */
const COLUMNS = ["count", "delta", "deltaAbs", "k3", "deltaAbsMax"] as const;
type GroupColumn = (typeof COLUMNS)[number];

export interface GroupRow {
  readonly group: number;
  readonly count: number;
  /** Σ Δ, Σ |Δ|, Σ k3, max |Δ|, nats. */
  readonly delta: number;
  readonly deltaAbs: number;
  readonly k3: number;
  readonly deltaAbsMax: number;
}

/** The groups that occur: one array per column, in ascending order of group. */
export type GroupSumsJson = { readonly groups: readonly number[] } & Readonly<
  Record<GroupColumn, readonly number[]>
>;

export class GroupSums {
  #columns: Record<GroupColumn, Float64Array>;

  constructor(groups = 0) {
    this.#columns = columnsOf(groups);
  }

  /** Adds tokens `[from, to)`; `groups` holds small integers, and a token whose group is negative is left out. */
  addMany(groups: Int32Array, delta: Float32Array, k3: Float32Array, from: number, to: number): void {
    let { count, delta: sums, deltaAbs, k3: k3Sums, deltaAbsMax } = this.#columns;
    for (let i = from; i < to; i++) {
      const group = groups[i] as number;
      if (group < 0) continue;
      if (group >= count.length) {
        this.#grow(group + 1);
        ({ count, delta: sums, deltaAbs, k3: k3Sums, deltaAbsMax } = this.#columns);
      }
      const value = delta[i] as number;
      const magnitude = Math.abs(value);
      count[group] = (count[group] as number) + 1;
      sums[group] = (sums[group] as number) + value;
      deltaAbs[group] = (deltaAbs[group] as number) + magnitude;
      k3Sums[group] = (k3Sums[group] as number) + (k3[i] as number);
      if (magnitude > (deltaAbsMax[group] as number)) deltaAbsMax[group] = magnitude;
    }
  }

  #grow(groups: number): void {
    const next = columnsOf(Math.max(groups, this.#columns.count.length * 2));
    for (const name of COLUMNS) next[name].set(this.#columns[name]);
    this.#columns = next;
  }

  merge(other: GroupSums): void {
    const theirs = other.#columns;
    if (theirs.count.length > this.#columns.count.length) this.#grow(theirs.count.length);
    const ours = this.#columns;
    for (let g = 0; g < theirs.count.length; g++) {
      if (theirs.count[g] === 0) continue;
      for (const name of ["count", "delta", "deltaAbs", "k3"] as const) {
        ours[name][g] = (ours[name][g] as number) + (theirs[name][g] as number);
      }
      ours.deltaAbsMax[g] = Math.max(ours.deltaAbsMax[g] as number, theirs.deltaAbsMax[g] as number);
    }
  }

  /** Groups with at least one token, in ascending order. */
  *rows(): Generator<GroupRow> {
    const { count, delta, deltaAbs, k3, deltaAbsMax } = this.#columns;
    for (let group = 0; group < count.length; group++) {
      if ((count[group] as number) === 0) continue;
      yield {
        group,
        count: count[group] as number,
        delta: delta[group] as number,
        deltaAbs: deltaAbs[group] as number,
        k3: k3[group] as number,
        deltaAbsMax: deltaAbsMax[group] as number,
      };
    }
  }

  toJSON(): GroupSumsJson {
    const rows = [...this.rows()];
    return {
      groups: rows.map((row) => row.group),
      count: rows.map((row) => row.count),
      delta: rows.map((row) => row.delta),
      deltaAbs: rows.map((row) => row.deltaAbs),
      k3: rows.map((row) => row.k3),
      deltaAbsMax: rows.map((row) => row.deltaAbsMax),
    };
  }

  static fromJSON(json: GroupSumsJson): GroupSums {
    const sums = new GroupSums((json.groups.at(-1) ?? -1) + 1);
    json.groups.forEach((group, i) => {
      for (const name of COLUMNS) sums.#columns[name][group] = json[name][i] as number;
    });
    return sums;
  }
}

function columnsOf(groups: number): Record<GroupColumn, Float64Array> {
  return {
    count: new Float64Array(groups),
    delta: new Float64Array(groups),
    deltaAbs: new Float64Array(groups),
    k3: new Float64Array(groups),
    deltaAbsMax: new Float64Array(groups),
  };
}
