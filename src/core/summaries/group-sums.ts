/**
 * Sums over groups of tokens that are no groups of sequences (position deciles, probability buckets, token ids).
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

/** The groups that occur, in ascending order, and their sums: {@link WIDTH} numbers each. */
export interface GroupSumsJson {
  readonly groups: readonly number[];
  readonly sums: readonly number[];
}

// One group's sums lie side by side, so that a token touches one cache line: a vocabulary of sums fits no cache.
const COUNT = 0;
const DELTA = 1;
const DELTA_ABS = 2;
const K3 = 3;
const DELTA_ABS_MAX = 4;
const WIDTH = 5;

export class GroupSums {
  #sums: Float64Array;

  constructor(groups = 0) {
    this.#sums = new Float64Array(groups * WIDTH);
  }

  /** Adds tokens `[from, to)`; `groups` holds small integers, and a token whose group is negative is left out. */
  addMany(groups: Int32Array, delta: Float32Array, k3: Float32Array, from: number, to: number): void {
    let sums = this.#sums;
    for (let i = from; i < to; i++) {
      const at = (groups[i] as number) * WIDTH;
      if (at < 0) continue;
      if (at >= sums.length) {
        this.#grow((groups[i] as number) + 1);
        sums = this.#sums;
      }
      const value = delta[i] as number;
      const magnitude = Math.abs(value);
      sums[at] = (sums[at] as number) + 1;
      sums[at + DELTA] = (sums[at + DELTA] as number) + value;
      sums[at + DELTA_ABS] = (sums[at + DELTA_ABS] as number) + magnitude;
      sums[at + K3] = (sums[at + K3] as number) + (k3[i] as number);
      if (magnitude > (sums[at + DELTA_ABS_MAX] as number)) sums[at + DELTA_ABS_MAX] = magnitude;
    }
  }

  #grow(groups: number): void {
    const next = new Float64Array(Math.max(groups * WIDTH, this.#sums.length * 2));
    next.set(this.#sums);
    this.#sums = next;
  }

  merge(other: GroupSums): void {
    const theirs = other.#sums;
    if (theirs.length > this.#sums.length) this.#grow(theirs.length / WIDTH);
    const ours = this.#sums;
    for (let at = 0; at < theirs.length; at++) {
      const [a, b] = [ours[at] as number, theirs[at] as number];
      ours[at] = at % WIDTH === DELTA_ABS_MAX ? Math.max(a, b) : a + b;
    }
  }

  /** Groups with at least one token, in ascending order. */
  *rows(): Generator<GroupRow> {
    const sums = this.#sums;
    for (let at = 0; at < sums.length; at += WIDTH) {
      if ((sums[at + COUNT] as number) === 0) continue;
      yield {
        group: at / WIDTH,
        count: sums[at + COUNT] as number,
        delta: sums[at + DELTA] as number,
        deltaAbs: sums[at + DELTA_ABS] as number,
        k3: sums[at + K3] as number,
        deltaAbsMax: sums[at + DELTA_ABS_MAX] as number,
      };
    }
  }

  toJSON(): GroupSumsJson {
    const groups: number[] = [];
    const sums: number[] = [];
    for (const { group } of this.rows()) {
      groups.push(group);
      for (let i = group * WIDTH; i < (group + 1) * WIDTH; i++) sums.push(this.#sums[i] as number);
    }
    return { groups, sums };
  }

  static fromJSON(json: GroupSumsJson): GroupSums {
    const sums = new GroupSums((json.groups.at(-1) ?? -1) + 1);
    json.groups.forEach((group, i) => {
      for (let field = 0; field < WIDTH; field++) {
        sums.#sums[group * WIDTH + field] = json.sums[i * WIDTH + field] as number;
      }
    });
    return sums;
  }
}
