import type { ByteReader } from "../base/byte-reader.ts";
import type { ByteWriter } from "../base/byte-writer.ts";
import type { CountedGroups } from "../kernels/wasm/tokens-kernel.ts";
import { BinnedSums, listPlaces } from "./binned-sums.ts";
import {
  findLargest,
  type GroupColumns,
  type GroupRow,
  joinColumns,
  largestGroups,
} from "./group-columns.ts";
import { type GroupArrays, SettledGroups, SUMS } from "./settled-groups.ts";
import { BLOCK, WaitingGroups } from "./waiting-groups.ts";

// A group's sums are adjacent, so that a token touches one cache line: the sums of a vocabulary do not fit any cache.
/** The first of a group's sums is its count. */
const DELTA = 1;
const DELTA_ABS = 2;
const K3 = 3;
const DELTA_ABS_MAX = 4;
const WIDTH = 5;

/** k3 is the third of the settled {@link SUMS}. */
const K3_PLACE = 2;
/** Bytes that are allocated for each group below the largest one. */
const GROUP_BYTES = 160;
/** A unit with this many groups has most of a vocabulary: it uses each cache line so often that it need not wait. */
const DENSE = 2 ** 16;

/** Sums of groups in tables as long as the largest group. */
export class DenseGroupSums {
  /** Plain sums of the tokens since {@link settle}, which are in a fixed order. */
  #open: Float64Array;
  /** Groups that have tokens in {@link #open}. */
  #touched: number[] = [];
  /** The first units of a run wait until they are too many: a short run never needs the sums of a vocabulary. */
  readonly #waiting = new WaitingGroups();
  #settled = new SettledGroups();

  constructor(groups = 0) {
    this.#open = new Float64Array(groups * WIDTH);
  }

  /**
   * Adds tokens `[from, to)`. A token whose group is negative is left out, and one whose group is not below `limit` is
   * counted in the result.
   */
  addMany(
    groups: Int32Array,
    delta: Float32Array,
    k3: Float32Array,
    from: number,
    to: number,
    limit: number,
  ): number {
    let sums = this.#open;
    const touched = this.#touched;
    let beyond = 0;
    for (let i = from; i < to; i++) {
      const group = groups[i]!;
      if (group < 0) continue;
      if (group >= limit) {
        beyond++;
        continue;
      }
      const at = group * WIDTH;
      if (at >= sums.length) {
        const next = new Float64Array(Math.max(at + WIDTH, sums.length * 2));
        next.set(sums);
        this.#open = next;
        sums = next;
      }
      const value = delta[i]!;
      const magnitude = Math.abs(value);
      if (sums[at] === 0) touched.push(group);
      sums[at] = sums[at]! + 1;
      sums[at + DELTA] = sums[at + DELTA]! + value;
      sums[at + DELTA_ABS] = sums[at + DELTA_ABS]! + magnitude;
      sums[at + K3] = sums[at + K3]! + k3[i]!;
      if (magnitude > sums[at + DELTA_ABS_MAX]!) sums[at + DELTA_ABS_MAX] = magnitude;
    }
    return beyond;
  }

  /** Ends a unit (a batch): its sums are added to those of all units, whose order does not matter. */
  settle(): void {
    const touched = Int32Array.from(this.#touched).sort();
    if (touched.length === 0) return;
    const open = this.#open;
    const waiting = this.#waiting;
    let row = this.#openUnit(touched.length);
    for (let i = 0; i < touched.length; i++, row++) {
      const at = touched[i]! * WIDTH;
      waiting.groups[row] = touched[i]!;
      waiting.tokens[row] = open[at]!;
      for (let column = 0; column < SUMS; column++)
        waiting.sums[row * SUMS + column] = open[at + DELTA + column]!;
      waiting.largest[row] = open[at + DELTA_ABS_MAX]!;
      open.fill(0, at, at + WIDTH);
    }
    this.#closeUnit(row);
    this.#touched = [];
  }

  /**
   * Adds a kernel's sums of a unit.
   *
   * @param count number of groups
   * @param take returns the sums of some of these groups, from the given one on
   */
  addCounted(count: number, take: (from: number) => CountedGroups): void {
    if (count >= DENSE && !this.#isUnsettled) {
      for (let from = 0; from < count; ) {
        const counted = take(from);
        this.#settled.grow(counted.groups.at(-1)! + 1);
        this.#settled.addRows(counted, 0, counted.groups.length);
        from += counted.groups.length;
      }
      return;
    }
    const waiting = this.#waiting;
    const first = this.#openUnit(count);
    for (let from = 0; from < count; ) {
      const { groups, tokens, sums, largest } = take(from);
      waiting.groups.set(groups, first + from);
      waiting.tokens.set(tokens, first + from);
      waiting.sums.set(sums, (first + from) * SUMS);
      waiting.largest.set(largest, first + from);
      from += groups.length;
    }
    this.#closeUnit(first + count);
  }

  get #isUnsettled(): boolean {
    return this.#settled.counts.length === 0;
  }

  /** Makes room for a unit; returns the first of its waiting rows. */
  #openUnit(groups: number): number {
    if (!this.#waiting.hasRoom(groups)) this.#addWaiting();
    return this.#waiting.open(groups);
  }

  #closeUnit(end: number): void {
    const waiting = this.#waiting;
    waiting.close(end);
    // Groups that fit a cache need not wait.
    if (waiting.limit <= BLOCK && this.#settled.counts.length <= BLOCK) this.#addWaiting();
  }

  #addWaiting(): void {
    const [waiting, settled] = [this.#waiting, this.#settled];
    settled.grow(waiting.limit);
    waiting.eachBlock((from, to) => settled.addRows(waiting, from, to));
    waiting.clear();
  }

  /** Adds everything to what is settled. */
  #complete(): SettledGroups {
    this.settle();
    this.#addWaiting();
    return this.#settled;
  }

  /** Groups with at least one token, in ascending order. */
  groups(): Int32Array {
    return this.#complete().groups();
  }

  merge(other: DenseGroupSums): void {
    const groups = other.groups();
    this.mergeGroups(other, groups, groups);
  }

  /** Adds group `from[i]` of other sums to group `to[i]` of these. */
  mergeGroups(other: DenseGroupSums, from: ArrayLike<number>, to: ArrayLike<number>): void {
    const [ours, theirs] = [this.#complete(), other.#complete()];
    let end = 0;
    for (let i = 0; i < to.length; i++) end = Math.max(end, to[i]! + 1);
    ours.grow(end);
    for (let i = 0; i < from.length; i++) {
      const [group, into] = [from[i]!, to[i]!];
      ours.counts[into]! += theirs.counts[group]!;
      if (theirs.largest[group]! > ours.largest[into]!) ours.largest[into] = theirs.largest[group]!;
      for (let column = 0; column < SUMS; column++)
        ours.sums.addPlace(into * SUMS + column, theirs.sums, group * SUMS + column);
    }
  }

  /** Hands over all sums to another thread, and keeps none: {@link encode} would look at each group. */
  take(): GroupArrays {
    const { counts, largest, sums } = this.#complete();
    this.#settled = new SettledGroups();
    return { counts, largest, sums: sums.arrays() };
  }

  static ofArrays({ counts, largest, sums }: GroupArrays): DenseGroupSums {
    const groups = new DenseGroupSums();
    groups.#settled.counts = counts;
    groups.#settled.largest = largest;
    groups.#settled.sums = BinnedSums.ofArrays(sums);
    return groups;
  }

  /** Groups with at least one token, in ascending order. */
  columns(): GroupColumns {
    return this.#onlyUnit() ?? joinColumns(this.#readBlocks((block) => readColumns(block)));
  }

  /** {@link largestGroups} of {@link columns}, without making the other rows: those of a vocabulary take a while. */
  largest(most: number): GroupRow[] {
    const largest = (block: SettledGroups): GroupColumns => {
      const groups = block.groups();
      const found = findLargest(sumsOf(block, groups, K3_PLACE), most).map((i) => groups[i]!);
      return readColumns(block, Int32Array.from(found).sort());
    };
    return largestGroups(this.#onlyUnit() ?? joinColumns(this.#readBlocks(largest)), most);
  }

  /** The columns of a run that has a single unit, with nothing to add up; undefined for other runs. */
  #onlyUnit(): GroupColumns | undefined {
    this.settle();
    return this.#isUnsettled && this.#waiting.units === 1 ? copyColumns(this.#waiting) : undefined;
  }

  /** The results of `read` for all sums: for the settled ones, or block by block for those that still wait. */
  #readBlocks<T>(read: (block: SettledGroups) => T): T[] {
    this.settle();
    if (!this.#isUnsettled) return [read(this.#complete())];
    const [waiting, block, blocks] = [this.#waiting, new SettledGroups(), [] as T[]];
    block.grow(BLOCK);
    waiting.eachBlock((from, to, first) => {
      if (first !== block.first) {
        blocks.push(read(block));
        block.moveTo(first);
      }
      block.addRows(waiting, from, to);
    });
    blocks.push(read(block));
    return blocks;
  }

  /**
   * Groups of a single token, the majority of a vocabulary, take two float32: Δ determines Σ|Δ| and the maximum.
   *
   * @param names ascending numbers to write for the groups that have tokens, in place of their own
   */
  encode(to: ByteWriter, names?: Int32Array): void {
    const { counts, largest, sums } = this.#complete();
    const groups = this.#settled.groups();
    to.ascending(names ?? groups);
    for (const group of groups) to.whole(counts[group]!);
    const isPlain = Uint8Array.from(groups, (group) => (this.#isPlain(group) ? 1 : 0));
    to.bits(isPlain);
    const others: number[] = [];
    for (const [row, group] of groups.entries()) {
      if (isPlain[row] === 0) others.push(group);
      else for (const column of [0, K3_PLACE]) to.plainFloat32(sums.value(group * SUMS + column));
    }
    to.measured(others.map((group) => largest[group]!));
    sums.encode(to, listPlaces(others, SUMS));
  }

  #isPlain(group: number): boolean {
    const { sums, largest } = this.#settled;
    const [delta, deltaAbs, k3] = [0, 1, K3_PLACE].map((column) => sums.singleValue(group * SUMS + column));
    if (delta === undefined || k3 === undefined) return false;
    const magnitude = Math.abs(delta);
    return (
      Math.fround(delta) === delta &&
      Math.fround(k3) === k3 &&
      deltaAbs === magnitude &&
      largest[group] === magnitude
    );
  }

  /** Adds what follows the groups in the output of `encode`. */
  mergeFrom(from: ByteReader, groups: Float64Array | Uint32Array): void {
    const last = groups.at(-1) ?? -1;
    from.spend((last + 1) * GROUP_BYTES);
    const settled = this.#settled;
    settled.grow(last + 1);
    const tokens = from.wholes(groups.length);
    const others = this.#waitPlain(groups, tokens, from.bits(groups.length), from);
    const largest = from.measured();
    if (largest.length !== others.length) from.fail(`${largest.length} groups have a largest value`);
    for (let i = 0; i < others.length; i++) {
      const group = others[i]!;
      if (largest[i]! > settled.largest[group]!) settled.largest[group] = largest[i]!;
    }
    settled.sums.mergeFrom(from, listPlaces(others, SUMS));
  }

  /** Makes the plain groups wait, with their Δ and k3; counts the tokens of the others, and returns these groups. */
  #waitPlain(
    groups: Float64Array | Uint32Array,
    tokens: Float64Array,
    isPlain: Uint8Array,
    from: ByteReader,
  ): Uint32Array {
    const waiting = this.#waiting;
    // One row more than needed: each group is written to both lists, and kept in one.
    const first = this.#openUnit(groups.length + 1);
    const others = new Uint32Array(groups.length + 1);
    const otherTokens = new Float64Array(groups.length + 1);
    let end = first;
    // Without branches: the kinds follow in random order, so branches would be slow.
    for (let i = 0; i < groups.length; i++) {
      const other = i - (end - first);
      waiting.groups[end] = others[other] = groups[i]!;
      waiting.tokens[end] = otherTokens[other] = tokens[i]!;
      end += isPlain[i]!;
    }
    const values = from.plainFloat32s(2 * (end - first));
    for (let row = first; row < end; row++) {
      const delta = values[2 * (row - first)]!;
      const magnitude = Math.abs(delta);
      waiting.sums[row * SUMS] = delta;
      waiting.sums[row * SUMS + 1] = magnitude;
      waiting.sums[row * SUMS + K3_PLACE] = values[2 * (row - first) + 1]!;
      waiting.largest[row] = magnitude;
    }
    this.#closeUnit(end);
    const count = groups.length - (end - first);
    for (let i = 0; i < count; i++) this.#settled.counts[others[i]!]! += otherTokens[i]!;
    return others.subarray(0, count);
  }
}

function copyColumns({ groups, tokens, sums, largest, rows }: WaitingGroups): GroupColumns {
  const column = (place: number): Float64Array => {
    const values = new Float64Array(rows);
    for (let row = 0; row < rows; row++) values[row] = sums[row * SUMS + place]!;
    return values;
  };
  return {
    groups: groups.slice(0, rows),
    count: tokens.slice(0, rows),
    delta: column(0),
    deltaAbs: column(1),
    k3: column(K3_PLACE),
    deltaAbsMax: Float64Array.from(largest.subarray(0, rows)),
  };
}

function sumsOf({ sums, first }: SettledGroups, groups: Int32Array, column: number): Float64Array {
  const values = new Float64Array(groups.length);
  for (let i = 0; i < groups.length; i++) values[i] = sums.value((groups[i]! - first) * SUMS + column);
  return values;
}

function readColumns(settled: SettledGroups, groups = settled.groups()): GroupColumns {
  const { counts, largest, first } = settled;
  return {
    groups,
    count: Float64Array.from(groups, (group) => counts[group - first]!),
    delta: sumsOf(settled, groups, 0),
    deltaAbs: sumsOf(settled, groups, 1),
    k3: sumsOf(settled, groups, K3_PLACE),
    deltaAbsMax: Float64Array.from(groups, (group) => largest[group - first]!),
  };
}
