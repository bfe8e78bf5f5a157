/**
 * A share of a sum by cluster, and how it changes without any one cluster.
 *
 * @module
 */
import type { ByteReader } from "../base/byte-reader.ts";
import type { ByteWriter } from "../base/byte-writer.ts";
import { BinnedSums, listPlaces } from "./binned-sums.ts";

const KEY_BITS = 53;
/**
 * Most clusters kept apart; beyond that, those whose keys begin with the same bits are joined, as in `ClusterSums`.
 */
const MOST = 2 ** 12;
const FIRST_PREFIX = 16;
/** Sums of a cluster: the whole and the part. */
const WIDTH = 2;

export class ClusterShares {
  /** Bits of the keys that distinguish clusters. */
  #bits = KEY_BITS;
  #slots = new Map<number, number>();
  #sums = new BinnedSums(WIDTH);

  get count(): number {
    return this.#slots.size;
  }

  /**
   * @param key a whole number below 2^53, evenly spread
   * @param whole not below 0, as `part`, which is at most that
   */
  add(key: number, whole: number, part: number): void {
    const slot = this.#slot(Math.floor(key / 2 ** (KEY_BITS - this.#bits)));
    this.#sums.add(WIDTH * slot, whole);
    this.#sums.add(WIDTH * slot + 1, part);
    this.#join();
  }

  /** Smallest and largest share without any one cluster; NaN with fewer than two non-empty clusters. */
  leaveOneOut(): readonly [low: number, high: number] {
    const rows = this.#sorted().map(([, slot]) => [0, 1].map((i) => this.#sums.value(WIDTH * slot + i)));
    const [whole, part] = [0, 1].map((i) => rows.reduce((sum, row) => sum + row[i]!, 0));
    if (rows.filter(([own]) => own! > 0).length < 2) return [Number.NaN, Number.NaN];
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const [ownWhole, ownPart] of rows) {
      const share = Math.min(1, Math.max(0, (part! - ownPart!) / (whole! - ownWhole!)));
      low = Math.min(low, share);
      high = Math.max(high, share);
    }
    return [low, high];
  }

  merge(other: ClusterShares): void {
    if (other.#bits < this.#bits) this.#shorten(other.#bits);
    const shift = 2 ** (other.#bits - this.#bits);
    for (const [key, slot] of other.#slots) this.#addSlot(Math.floor(key / shift), other.#sums, slot);
    this.#join();
  }

  encode(to: ByteWriter): void {
    const sorted = this.#sorted();
    to.whole(this.#bits);
    to.ascending(sorted.map(([key]) => key));
    this.#sums.encode(
      to,
      listPlaces(
        sorted.map(([, slot]) => slot),
        WIDTH,
      ),
    );
  }

  /**
   * Adds the output of `encode`.
   *
   * @throws FormatError when the bytes are not these sums
   */
  mergeFrom(from: ByteReader): void {
    const bits = from.below(KEY_BITS + 1, "bits of keys");
    const keys = from.ascending();
    for (let i = 1; i < keys.length; i++) if (keys[i] === keys[i - 1]) from.fail("keys are not distinct");
    if ((keys.at(-1) ?? 0) >= 2 ** bits) from.fail("a key is out of range");
    if (bits < this.#bits) this.#shorten(bits);
    const shift = 2 ** (bits - this.#bits);
    const slots = Array.from(keys, (key) => this.#slot(Math.floor(key / shift)));
    this.#sums.mergeFrom(from, listPlaces(slots, WIDTH));
    this.#join();
  }

  #sorted(): [key: number, slot: number][] {
    return [...this.#slots].sort(([a], [b]) => a - b);
  }

  #slot(prefix: number): number {
    const known = this.#slots.get(prefix);
    if (known !== undefined) return known;
    const slot = this.#slots.size;
    this.#slots.set(prefix, slot);
    this.#sums.grow((slot + 1) * WIDTH);
    return slot;
  }

  #addSlot(key: number, sums: BinnedSums, slot: number): void {
    const into = this.#slot(key);
    for (let i = 0; i < WIDTH; i++) this.#sums.addPlace(into * WIDTH + i, sums, slot * WIDTH + i);
  }

  #join(): void {
    while (this.count > MOST) this.#shorten(Math.min(this.#bits - 1, FIRST_PREFIX));
  }

  #shorten(bits: number): void {
    const [slots, sums] = [this.#slots, this.#sums];
    const shift = 2 ** (this.#bits - bits);
    this.#bits = bits;
    this.#slots = new Map();
    this.#sums = new BinnedSums(WIDTH);
    for (const [key, slot] of slots) this.#addSlot(Math.floor(key / shift), sums, slot);
  }
}
