import type { ByteReader } from "../../base/byte-reader.ts";
import type { ByteWriter } from "../../base/byte-writer.ts";
import type { Codec } from "../../base/codec.ts";
import { BinnedSums, listPlaces } from "../binned-sums.ts";
import type { Layout } from "./layout.ts";
import { compareKeys } from "./sums-by-key.ts";

/** How many columns of each kind a table has; the columns of a key are in this order. */
export interface TableColumns {
  /** Columns that keep the largest value. */
  readonly largest?: number;
  /** Whole numbers, whose sums are exact. */
  readonly whole?: number;
  /** Sums that do not depend on the order of adding. */
  readonly exact: number;
}

type Key = string | number;

/** Sums by key in columns. A run has as many tables as steps, ranks and environments, so an empty one is small. */
export class SumTable<K extends Key = number> {
  /** How many columns are plain numbers: the largest values, then the whole numbers. */
  readonly #plainWidth: number;
  readonly #exactWidth: number;
  readonly #largest: number;
  /** Where the sums of each key are. */
  readonly #slots = new Map<K, number>();
  #plain: Float64Array;
  readonly #exact: BinnedSums;

  constructor({ largest = 0, whole = 0, exact }: TableColumns) {
    this.#largest = largest;
    this.#plainWidth = largest + whole;
    this.#exactWidth = exact;
    this.#plain = new Float64Array(this.#plainWidth);
    this.#exact = new BinnedSums(exact);
  }

  get size(): number {
    return this.#slots.size;
  }

  /** The slots in ascending order of key; NaN (unknown) last. */
  sorted(): [key: K, slot: number][] {
    return [...this.#slots].sort(([a], [b]) => compareKeys(a, b));
  }

  slotOf(key: K): number | undefined {
    return this.#slots.get(key);
  }

  /** Like {@link slotOf}, for adding: a new key gets a new slot. */
  open(key: K): number {
    const known = this.#slots.get(key);
    if (known !== undefined) return known;
    const slot = this.#slots.size;
    this.#slots.set(key, slot);
    if ((slot + 1) * this.#plainWidth > this.#plain.length) {
      const next = new Float64Array(this.#plain.length * 2);
      next.set(this.#plain);
      this.#plain = next;
    }
    this.#exact.grow((slot + 1) * this.#exactWidth);
    return slot;
  }

  plain(slot: number, column: number): number {
    return this.#plain[slot * this.#plainWidth + column]!;
  }

  addPlain(slot: number, column: number, value: number): void {
    const at = slot * this.#plainWidth + column;
    this.#plain[at] = column < this.#largest ? Math.max(this.#plain[at]!, value) : this.#plain[at]! + value;
  }

  exact(slot: number, column: number): number {
    return this.#exact.value(slot * this.#exactWidth + column);
  }

  addExact(slot: number, column: number, value: number): void {
    this.#exact.add(slot * this.#exactWidth + column, value);
  }

  /** Adds sums with the same columns; `rename` gives the name that a key has here. */
  merge(other: SumTable<K>, rename: (key: K) => K = (key) => key): void {
    for (const [key, theirs] of other.#slots) {
      const slot = this.open(rename(key));
      for (let i = 0; i < this.#plainWidth; i++) this.addPlain(slot, i, other.plain(theirs, i));
      for (let i = 0; i < this.#exactWidth; i++)
        this.#exact.addPlace(slot * this.#exactWidth + i, other.#exact, theirs * this.#exactWidth + i);
    }
  }

  encodePlain(slot: number, to: ByteWriter): void {
    for (let i = 0; i < this.#plainWidth; i++) {
      if (i < this.#largest) to.float(this.plain(slot, i));
      else to.whole(this.plain(slot, i));
    }
  }

  readPlain(slot: number, from: ByteReader): void {
    for (let i = 0; i < this.#plainWidth; i++)
      this.addPlain(slot, i, i < this.#largest ? from.float() : from.whole());
  }

  encodeExact(slots: readonly number[], to: ByteWriter): void {
    this.#exact.encode(to, listPlaces(slots, this.#exactWidth));
  }

  readExact(slots: readonly number[], from: ByteReader): void {
    this.#exact.mergeFrom(from, listPlaces(slots, this.#exactWidth));
  }
}

/** A table with few keys, each written before its plain numbers. @param columns their names */
export function tableByKey<K extends Key>(key: Codec<K>, columns: readonly string[]): Layout<SumTable<K>> {
  return {
    text: `${columns} by ${key.text}`,
    encode(table, to) {
      const sorted = table.sorted();
      to.whole(sorted.length);
      for (const [name, slot] of sorted) {
        key.write(name, to);
        table.encodePlain(slot, to);
      }
      table.encodeExact(
        sorted.map(([, slot]) => slot),
        to,
      );
    },
    mergeFrom(table, from) {
      const slots = new Set<number>();
      for (let left = from.count(); left > 0; left--) {
        const slot = table.open(key.read(from));
        if (slots.has(slot)) from.fail("a key is there twice");
        slots.add(slot);
        table.readPlain(slot, from);
      }
      table.readExact([...slots], from);
    },
    merge: (table, other) => table.merge(other),
  };
}

export function encodeAscending(table: SumTable, to: ByteWriter): void {
  const sorted = table.sorted();
  const slots = sorted.map(([, slot]) => slot);
  to.ascending(sorted.map(([key]) => key));
  for (const slot of slots) table.encodePlain(slot, to);
  table.encodeExact(slots, to);
}

/** @param limit above all keys */
export function readAscending(
  table: SumTable,
  from: ByteReader,
  limit: number,
  rename: (key: number) => number = (key) => key,
): void {
  const keys = from.ascending();
  for (let i = 1; i < keys.length; i++) if (keys[i] === keys[i - 1]) from.fail("keys are not distinct");
  if ((keys.at(-1) ?? 0) >= limit) from.fail("a key is out of range");
  const slots = Array.from(keys, (key) => table.open(rename(key)));
  for (const slot of slots) table.readPlain(slot, from);
  table.readExact(slots, from);
}

/** A table whose keys are whole numbers, all written before the first plain number. @param columns their names */
export function tableBelow(limit: number, columns: readonly string[]): Layout<SumTable> {
  return {
    text: `${columns} by ascending whole`,
    encode: encodeAscending,
    mergeFrom: (table, from) => readAscending(table, from, limit),
    merge: (table, other) => table.merge(other),
  };
}
