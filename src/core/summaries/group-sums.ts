/**
 * Sums over groups of tokens that are not groups of sequences (position deciles, probability buckets, token ids).
 *
 *     groups below 2^19 ──────────► tables as long as the largest of them
 *     groups up to 2^24 ─► slots ─► tables with a row for each such group
 *
 * @module
 */
import type { ByteReader } from "../base/byte-reader.ts";
import type { ByteWriter } from "../base/byte-writer.ts";
import { LARGEST_TOKEN_ID } from "../base/token-ids.ts";
import type { CountedGroups } from "../kernels/wasm/tokens-kernel.ts";
import { countPlaces } from "./binned-sums.ts";
import { DenseGroupSums } from "./dense-group-sums.ts";
import {
  type GroupColumns,
  type GroupRow,
  groupRow,
  joinColumns,
  largestGroups,
  pickColumns,
} from "./group-columns.ts";
import { DENSE_GROUPS, GroupSlots } from "./group-slots.ts";
import { ownWay } from "./layout/sums.ts";
import type { GroupArrays } from "./settled-groups.ts";

/** Sums as arrays, each in memory of its own, which can be moved to another thread. */
export interface MovedGroups {
  readonly small: GroupArrays;
  /** Sums of large groups by slot, and the groups in the order of the slots. */
  readonly large: { readonly groups: Int32Array<ArrayBuffer>; readonly sums: GroupArrays } | undefined;
}

/** Groups that are too large for tables as long as the largest. */
class LargeGroups {
  readonly slots = new GroupSlots();
  readonly sums = new DenseGroupSums();

  /** Adds the tokens of `[from, to)` that belong to large groups. */
  addMany(groups: Int32Array, delta: Float32Array, k3: Float32Array, from: number, to: number): void {
    const places: number[] = [];
    for (let i = from; i < to; i++) if (isLarge(groups[i]!)) places.push(i);
    const own = Int32Array.from(places, (i) => this.slots.open(groups[i]!));
    const pick = (values: Float32Array): Float32Array => Float32Array.from(places, (i) => values[i]!);
    this.sums.addMany(own, pick(delta), pick(k3), 0, places.length, this.slots.groups.length);
  }

  /** Adds group `from[i]` of other sums to the group `groups[i]`. */
  merge(other: DenseGroupSums, from: ArrayLike<number>, groups: ArrayLike<number>): void {
    this.sums.mergeGroups(
      other,
      from,
      Array.from(groups, (group) => this.slots.open(group)),
    );
  }

  /** Slots in the ascending order of their groups. */
  order(): Uint32Array {
    const { groups } = this.slots;
    return countPlaces(groups.length).sort((a, b) => groups[a]! - groups[b]!);
  }

  columns(): GroupColumns {
    const order = this.order();
    const groups = Int32Array.from(order, (slot) => this.slots.groups[slot]!);
    return pickColumns(this.sums.columns(), order, groups);
  }
}

function isLarge(group: number): boolean {
  return group >= DENSE_GROUPS && group <= LARGEST_TOKEN_ID;
}

export class GroupSums {
  /** Most tokens of a vocabulary occur once, so these have their own columns, two float32 each. */
  static readonly layout = ownWay<GroupSums>("groups");
  #small: DenseGroupSums;
  #large: LargeGroups | undefined;

  constructor(groups = 0) {
    this.#small = new DenseGroupSums(groups);
  }

  /**
   * Adds tokens `[from, to)`; a token whose group is negative or beyond {@link LARGEST_TOKEN_ID} is left out. Memory grows
   * with the number of groups, once they are beyond the usual vocabularies.
   */
  addMany(groups: Int32Array, delta: Float32Array, k3: Float32Array, from: number, to: number): void {
    const beyond = this.#small.addMany(groups, delta, k3, from, to, DENSE_GROUPS);
    if (beyond > 0) this.#openLarge().addMany(groups, delta, k3, from, to);
  }

  /** Ends a unit (a batch): its sums are added to those of all units, whose order does not matter. */
  settle(): void {
    this.#small.settle();
    this.#large?.sums.settle();
  }

  /**
   * Adds a kernel's sums of a unit.
   *
   * @param count number of groups, all of them below {@link DENSE_GROUPS}
   * @param take returns the sums of some of these groups, from the given one on
   */
  addCounted(count: number, take: (from: number) => CountedGroups): void {
    this.#small.addCounted(count, take);
  }

  merge(other: GroupSums): void {
    this.#small.merge(other.#small);
    if (other.#large === undefined) return;
    const { sums, slots } = other.#large;
    this.#openLarge().merge(sums, countPlaces(slots.groups.length), slots.groups);
  }

  #openLarge(): LargeGroups {
    this.#large ??= new LargeGroups();
    return this.#large;
  }

  /** Hands over all sums to another thread, and keeps none: {@link encode} would look at each group. */
  take(): MovedGroups {
    const large = this.#large;
    this.#large = undefined;
    return {
      small: this.#small.take(),
      large: large && { groups: Int32Array.from(large.slots.groups), sums: large.sums.take() },
    };
  }

  static ofArrays({ small, large }: MovedGroups): GroupSums {
    const groups = new GroupSums();
    groups.#small = DenseGroupSums.ofArrays(small);
    if (large !== undefined) {
      const slots = countPlaces(large.groups.length);
      groups.#openLarge().merge(DenseGroupSums.ofArrays(large.sums), slots, large.groups);
    }
    return groups;
  }

  /** Groups with at least one token, in ascending order. */
  columns(): GroupColumns {
    const small = this.#small.columns();
    return this.#large === undefined ? small : joinColumns([small, this.#large.columns()]);
  }

  /** {@link largestGroups} of {@link columns}, without making the other rows: those of a vocabulary take a while. */
  largest(most: number): GroupRow[] {
    return this.#large === undefined ? this.#small.largest(most) : largestGroups(this.columns(), most);
  }

  /** Like {@link columns}, row by row. */
  *rows(): Generator<GroupRow> {
    const columns = this.columns();
    for (let i = 0; i < columns.groups.length; i++) yield groupRow(columns, i);
  }

  /** The same bytes for the same sums, in whichever order they were added. */
  encode(to: ByteWriter): void {
    const large = this.#large;
    if (large === undefined) {
      this.#small.encode(to);
      return;
    }
    // One table for all groups, by their places in the ascending order.
    const [small, order] = [this.#small.groups(), large.order()];
    const names = new Int32Array(small.length + order.length);
    names.set(small);
    for (let i = 0; i < order.length; i++) names[small.length + i] = large.slots.groups[order[i]!]!;
    const places = countPlaces(names.length);
    const packed = new DenseGroupSums();
    packed.mergeGroups(this.#small, small, places.subarray(0, small.length));
    packed.mergeGroups(large.sums, order, places.subarray(small.length));
    packed.encode(to, names);
  }

  /** Adds the output of `encode`. */
  mergeFrom(from: ByteReader): void {
    const groups = from.ascending();
    const last = groups.at(-1) ?? -1;
    if (last > LARGEST_TOKEN_ID) from.fail(`a group is ${last}`);
    if (last < DENSE_GROUPS) {
      this.#small.mergeFrom(from, groups);
      return;
    }
    const packed = new DenseGroupSums();
    const places = countPlaces(groups.length);
    packed.mergeFrom(from, places);
    const small = groups.findIndex((group) => group >= DENSE_GROUPS);
    this.#small.mergeGroups(packed, places.subarray(0, small), groups.subarray(0, small));
    this.#openLarge().merge(packed, places.subarray(small), groups.subarray(small));
  }
}
