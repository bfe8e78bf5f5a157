import type { Layout } from "./layout.ts";
import { encodeAscending, readAscending, SumTable, type TableColumns } from "./sum-table.ts";

export const KEY_BITS = 53;

/**
 * Sums by key, at most a given number of them. If there are more keys, those that start with the same bits are joined,
 * for the largest number of bits that keeps within the limit. The set of keys alone decides which are joined, so that
 * shards merged in any order or tree give the same table.
 */
export class JoinedTable {
  readonly #columns: TableColumns;
  readonly #most: number;
  /** The first depth below whole keys: deeper ones would almost certainly leave too many. */
  readonly #firstPrefix: number;
  readonly #mostBits: number;
  #bits: number;
  #table: SumTable;
  /** How many bits the keys that are being read have. */
  #arriving = KEY_BITS;

  /** @param bits how many bits of a key are distinguished at first */
  constructor(columns: TableColumns, most: number, firstPrefix: number, bits = KEY_BITS) {
    this.#columns = columns;
    this.#most = most;
    this.#firstPrefix = firstPrefix;
    this.#mostBits = bits;
    this.#bits = bits;
    this.#table = new SumTable(columns);
  }

  /** The sums, by the leading bits of their keys. */
  get table(): SumTable {
    return this.#table;
  }

  /** How many leading bits of the keys distinguish sums. */
  get bits(): number {
    return this.#bits;
  }

  /**
   * The slot of a key for adding, until {@link join}.
   *
   * @param key a whole number below 2^53, evenly spread
   */
  open(key: number): number {
    return this.#table.open(Math.floor(key / 2 ** (KEY_BITS - this.#bits)));
  }

  /** To be called after an addition. */
  join(): void {
    while (this.#table.size > this.#most) this.#shorten(Math.min(this.#bits - 1, this.#firstPrefix));
  }

  #shorten(bits: number): void {
    if (bits >= this.#bits) return;
    const table = this.#table;
    const rename = this.#renameFrom(this.#bits, bits);
    this.#bits = bits;
    this.#table = new SumTable(this.#columns);
    this.#table.merge(table, rename);
  }

  #renameFrom(bits: number, to = this.#bits): (key: number) => number {
    const shift = 2 ** (bits - to);
    return (key) => Math.floor(key / shift);
  }

  /** The depth, written before the keys; a class may write something of its own between the two. */
  static readonly depth: Layout<JoinedTable> = {
    text: "bits",
    encode: (joined, to) => to.whole(joined.#bits),
    mergeFrom(joined, from) {
      const bits = from.whole();
      if (bits < 1 || bits > joined.#mostBits) from.fail(`keys have ${bits} bits`);
      joined.#arriving = bits;
    },
    merge() {},
  };

  /** @param columns their names */
  static rows(columns: readonly string[]): Layout<JoinedTable> {
    return {
      text: `${columns} by ascending whole`,
      encode: ({ table }, to) => encodeAscending(table, to),
      mergeFrom(joined, from) {
        const bits = joined.#arriving;
        joined.#shorten(bits);
        readAscending(joined.#table, from, 2 ** bits, joined.#renameFrom(bits));
        joined.join();
      },
      merge(joined, other) {
        joined.#shorten(other.#bits);
        joined.#table.merge(other.#table, joined.#renameFrom(other.#bits));
        joined.join();
      },
    };
  }
}
