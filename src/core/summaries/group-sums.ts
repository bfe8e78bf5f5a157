/**
 * Sums over groups of tokens that are not groups of sequences (position deciles, probability buckets, token ids).
 *
 * @module
 */
import type { ByteReader, ByteWriter } from "../base/index.ts";
import type { CountedGroups } from "../kernels/index.ts";
import { type BinnedArrays, BinnedSums, listPlaces } from "./binned-sums.ts";

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

/** The `most` rows with the largest Σ k3, largest first; of equal ones the smaller group. */
export function largestGroups(columns: GroupColumns, most: number): GroupRow[] {
  return findLargest(columns.k3, most).map((i) => groupRow(columns, i));
}

/** Indices of the `most` largest values, largest first; of equal ones the first. */
function findLargest(values: Float64Array, most: number): number[] {
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

// A group's sums are adjacent, so that a token touches one cache line: the sums of a vocabulary do not fit any cache.
/** The first of a group's sums is its count. */
const DELTA = 1;
const DELTA_ABS = 2;
const K3 = 3;
const DELTA_ABS_MAX = 4;
const WIDTH = 5;

/** Columns whose sums round, and must not depend on the order. */
const ROUNDED = [DELTA, DELTA_ABS, K3] as const;
const K3_PLACE = 2;
/** Token ids are far below this; a damaged file may say otherwise. */
const MOST_GROUPS = 2 ** 24;
/** Groups whose sums, and the values added to them, fit a cache of half a megabyte. */
const BLOCK = 2 ** 11;
/** Limit on waiting groups: 7 MB of them. */
const MOST_WAITING = 2 ** 18;
/** All bits of a float32 except its sign. */
const MAGNITUDE = 0x7fffffff;

const single = new Float32Array(1);
const singleWord = new Uint32Array(single.buffer);

/**
 * Groups from the output of `encode`, ascending. Their token counts, and the sums of plain ones (a single token), are
 * still to be added.
 */
interface WaitingGroups {
  readonly groups: Float64Array;
  readonly tokens: Float64Array;
  /** Those of a single token. */
  readonly plain: Uint32Array;
  /** Bits of Δ and k3 of each of {@link plain}, as float32. */
  readonly words: Uint32Array;
  /** Indices of the next group to add, and of the next plain one. */
  at: number;
  plainAt: number;
}

/** Sums as arrays, each in memory of its own, which can be moved to another thread. */
export interface GroupArrays {
  readonly counts: Float64Array<ArrayBuffer>;
  readonly largest: Float64Array<ArrayBuffer>;
  readonly settled: BinnedArrays;
}

export class GroupSums {
  /** Plain sums of the tokens since {@link settle}, which are in a fixed order. */
  #open: Float64Array;
  /** Groups that have tokens in {@link #open}. */
  #touched: number[] = [];
  /** Settled tokens and max |Δ| by group. */
  #counts = new Float64Array(0);
  #largest = new Float64Array(0);
  /** By group and {@link ROUNDED}. */
  #settled = new BinnedSums();
  /**
   * Groups to add, one block of groups at a time. The sums of a vocabulary do not fit any cache, and each shard has
   * tokens all over the vocabulary: added shard by shard, nearly every group's sums would come from memory.
   */
  #waiting: WaitingGroups[] = [];
  #waitingGroups = 0;

  constructor(groups = 0) {
    this.#open = new Float64Array(groups * WIDTH);
  }

  /** Adds tokens `[from, to)`; `groups` holds small integers, and a token whose group is negative is left out. */
  addMany(groups: Int32Array, delta: Float32Array, k3: Float32Array, from: number, to: number): void {
    let sums = this.#open;
    const touched = this.#touched;
    for (let i = from; i < to; i++) {
      const at = (groups[i] as number) * WIDTH;
      if (at < 0) continue;
      if (at >= sums.length) {
        const next = new Float64Array(Math.max(at + WIDTH, sums.length * 2));
        next.set(sums);
        this.#open = next;
        sums = next;
      }
      const value = delta[i] as number;
      const magnitude = Math.abs(value);
      if (sums[at] === 0) touched.push(groups[i] as number);
      sums[at] = (sums[at] as number) + 1;
      sums[at + DELTA] = (sums[at + DELTA] as number) + value;
      sums[at + DELTA_ABS] = (sums[at + DELTA_ABS] as number) + magnitude;
      sums[at + K3] = (sums[at + K3] as number) + (k3[i] as number);
      if (magnitude > (sums[at + DELTA_ABS_MAX] as number)) sums[at + DELTA_ABS_MAX] = magnitude;
    }
  }

  /** Ends a unit (a batch): its sums are added to those of all units, whose order does not matter. */
  settle(): void {
    this.#addWaiting();
    const open = this.#open;
    for (const group of this.#touched) {
      const at = group * WIDTH;
      this.#makeRoom(group + 1);
      this.#settleGroup(group, open[at]!, open, at + DELTA, open, at + DELTA_ABS_MAX);
      open.fill(0, at, at + WIDTH);
    }
    this.#touched = [];
  }

  /**
   * Adds a kernel's sums of a unit: those of `groups[0, count)`, which ascend.
   *
   * @param first the kernel's first group
   */
  addCounted(
    { sums, tokens, largest }: CountedGroups,
    groups: Int32Array,
    count: number,
    first: number,
  ): void {
    if (count > 0) this.#makeRoom(groups[count - 1]! + 1);
    for (let i = 0; i < count; i++) {
      const group = groups[i]!;
      const at = 4 * (group - first);
      const counted = tokens[2 * at]!;
      if (counted === 0) continue;
      this.#settleGroup(group, counted, sums, at, largest, 2 * at);
    }
  }

  /** Adds Σ Δ, Σ |Δ| and Σ k3 from `sums[at]` on, and max |Δ|: in their arrays, see {@link BinnedSums.addAll}. */
  #settleGroup(
    group: number,
    count: number,
    sums: Float64Array,
    at: number,
    largest: Float32Array | Float64Array,
    largestAt: number,
  ): void {
    this.#counts[group]! += count;
    if (largest[largestAt]! > this.#largest[group]!) this.#largest[group] = largest[largestAt]!;
    this.#settled.addAll(ROUNDED.length * group, sums, at, ROUNDED.length);
  }

  #makeRoom(groups: number): void {
    if (groups <= this.#counts.length) return;
    const room = Math.max(groups, 2 * this.#counts.length);
    for (const name of ["counts", "largest"] as const) {
      const next = new Float64Array(room);
      next.set(name === "counts" ? this.#counts : this.#largest);
      if (name === "counts") this.#counts = next;
      else this.#largest = next;
    }
    this.#settled.grow(room * ROUNDED.length);
  }

  merge(other: GroupSums): void {
    this.settle();
    other.settle();
    this.#makeRoom(other.#counts.length);
    for (const group of other.#groups()) {
      this.#counts[group]! += other.#counts[group]!;
      if (other.#largest[group]! > this.#largest[group]!) this.#largest[group] = other.#largest[group]!;
      for (let i = 0; i < ROUNDED.length; i++) {
        const place = ROUNDED.length * group + i;
        this.#settled.addPlace(place, other.#settled, place);
      }
    }
  }

  /** Hands over all sums, for another thread: {@link encode} looks at each group. None are left here. */
  take(): GroupArrays {
    this.settle();
    const taken = { counts: this.#counts, largest: this.#largest, settled: this.#settled.arrays() };
    [this.#counts, this.#largest] = [new Float64Array(0), new Float64Array(0)];
    this.#settled = new BinnedSums();
    return taken;
  }

  static ofArrays({ counts, largest, settled }: GroupArrays): GroupSums {
    const sums = new GroupSums();
    [sums.#counts, sums.#largest] = [counts, largest];
    sums.#settled = BinnedSums.ofArrays(settled);
    return sums;
  }

  /** In ascending order. */
  #groups(): Int32Array {
    const counts = this.#counts;
    let size = 0;
    for (let group = 0; group < counts.length; group++) if (counts[group]! > 0) size++;
    const groups = new Int32Array(size);
    size = 0;
    for (let group = 0; group < counts.length; group++) if (counts[group]! > 0) groups[size++] = group;
    return groups;
  }

  /** Groups with at least one token, in ascending order. */
  columns(): GroupColumns {
    this.settle();
    const groups = this.#groups();
    const sums = (column: number): Float64Array => this.#sumsOf(groups, column);
    return {
      groups,
      count: Float64Array.from(groups, (group) => this.#counts[group]!),
      delta: sums(0),
      deltaAbs: sums(1),
      k3: sums(K3_PLACE),
      deltaAbsMax: Float64Array.from(groups, (group) => this.#largest[group]!),
    };
  }

  #sumsOf(groups: Int32Array, column: number): Float64Array {
    const sums = new Float64Array(groups.length);
    for (let i = 0; i < groups.length; i++)
      sums[i] = this.#settled.value(ROUNDED.length * groups[i]! + column);
    return sums;
  }

  /** {@link largestGroups}, without the other rows: those of a vocabulary take a while. */
  largest(most: number): GroupRow[] {
    this.settle();
    const groups = this.#groups();
    return findLargest(this.#sumsOf(groups, K3_PLACE), most).map((i) => {
      const group = groups[i]!;
      const [delta, deltaAbs, k3] = ROUNDED.map((_, column) =>
        this.#settled.value(ROUNDED.length * group + column),
      ) as [number, number, number];
      return { group, count: this.#counts[group]!, delta, deltaAbs, k3, deltaAbsMax: this.#largest[group]! };
    });
  }

  /** Like {@link columns}, row by row. */
  *rows(): Generator<GroupRow> {
    const columns = this.columns();
    for (let i = 0; i < columns.groups.length; i++) yield groupRow(columns, i);
  }

  /** Groups of a single token, the majority of a vocabulary, take two float32: Δ determines Σ|Δ| and the maximum. */
  encode(to: ByteWriter): void {
    this.settle();
    const groups = this.#groups();
    to.ascending(groups);
    for (const group of groups) to.whole(this.#counts[group]!);
    const isPlain = Uint8Array.from(groups, (group) => (this.#isPlain(group) ? 1 : 0));
    to.bits(isPlain);
    const others: number[] = [];
    for (const [row, group] of groups.entries()) {
      if (isPlain[row] === 0) others.push(group);
      else
        for (const column of [0, K3_PLACE])
          to.plainFloat32(this.#settled.value(ROUNDED.length * group + column));
    }
    to.measured(others.map((group) => this.#largest[group]!));
    this.#settled.encode(to, listPlaces(others, ROUNDED.length));
  }

  #isPlain(group: number): boolean {
    const [delta, deltaAbs, k3] = [0, 1, K3_PLACE].map((column) =>
      this.#settled.singleValue(ROUNDED.length * group + column),
    );
    if (delta === undefined || k3 === undefined) return false;
    const magnitude = Math.abs(delta);
    return (
      Math.fround(delta) === delta &&
      Math.fround(k3) === k3 &&
      deltaAbs === magnitude &&
      this.#largest[group] === magnitude
    );
  }

  /** Adds the output of `encode`. */
  mergeFrom(from: ByteReader): void {
    const groups = from.ascending();
    const last = groups.at(-1) ?? -1;
    if (last >= MOST_GROUPS) from.fail(`a group is ${last}`);
    from.spend((last + 1) * 8 * 20);
    this.#makeRoom(last + 1);
    const tokens = from.wholes(groups.length);
    const isPlain = from.bits(groups.length);
    const [others, plain] = splitGroups(groups, isPlain);
    const { buffer } = from.plainFloat32s(2 * plain.length);
    this.#wait({ groups, tokens, plain, words: new Uint32Array(buffer), at: 0, plainAt: 0 });
    const largest = from.measured();
    if (largest.length !== others.length) from.fail(`${largest.length} groups have a largest value`);
    for (let i = 0; i < others.length; i++) {
      const group = others[i]!;
      if (largest[i]! > this.#largest[group]!) this.#largest[group] = largest[i]!;
    }
    this.#settled.mergeFrom(from, listPlaces(others, ROUNDED.length));
  }

  #wait(groups: WaitingGroups): void {
    this.#waiting.push(groups);
    this.#waitingGroups += groups.groups.length;
    if (this.#waitingGroups > MOST_WAITING) this.#addWaiting();
  }

  #addWaiting(): void {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingGroups = 0;
    const last = waiting.reduce((most, { groups }) => Math.max(most, groups.at(-1) ?? -1), -1);
    for (let end = BLOCK; end < last + 1 + BLOCK; end += BLOCK)
      for (const groups of waiting) this.#addBlock(groups, end);
  }

  /** Adds the waiting groups below `end`. */
  #addBlock(waiting: WaitingGroups, end: number): void {
    const { groups, tokens, plain, words, plainAt } = waiting;
    const [counts, largest] = [this.#counts, this.#largest];
    let { at } = waiting;
    for (; at < groups.length && groups[at]! < end; at++) {
      const group = groups[at]!;
      counts[group] = counts[group]! + tokens[at]!;
    }
    waiting.at = at;
    let next = plainAt;
    for (; next < plain.length && plain[next]! < end; next++) {
      singleWord[0] = words[2 * next]! & MAGNITUDE;
      if (single[0]! > largest[plain[next]!]!) largest[plain[next]!] = single[0]!;
    }
    this.#settled.addTriples(plain, words, plainAt, next);
    waiting.plainAt = next;
  }

  static decode(from: ByteReader): GroupSums {
    const sums = new GroupSums();
    sums.mergeFrom(from);
    return sums;
  }
}

/** Without branches, which groups at random would make slow. */
function splitGroups(groups: Float64Array, isPlain: Uint8Array): [others: Uint32Array, plain: Uint32Array] {
  // Each has one element more than it needs, for the group that turns out to be of the other kind.
  const [others, plain] = [new Uint32Array(groups.length + 1), new Uint32Array(groups.length + 1)];
  let plains = 0;
  for (let row = 0; row < groups.length; row++) {
    others[row - plains] = groups[row]!;
    plain[plains] = groups[row]!;
    plains += isPlain[row]!;
  }
  return [others.slice(0, groups.length - plains), plain.slice(0, plains)];
}
