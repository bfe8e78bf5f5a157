/**
 * The table of sequences: one row per sequence, columns as typed arrays, texts as codes into lists.
 *
 * @module
 */
import {
  SEQUENCE_COLUMNS,
  SEQUENCE_TEXTS,
  type SequenceColumn,
  type SequenceText,
} from "../metrics/sequence-columns.ts";
import { decodeArrays, encodeArrays, type WireArray } from "./arrays.ts";

export interface SequenceTable {
  readonly length: number;
  /** `[length]` each. */
  readonly columns: Readonly<Record<SequenceColumn, Float64Array>>;
  /** `codes[i]` is an index into `values`; -1: not known. */
  readonly texts: Readonly<
    Record<SequenceText, { readonly values: readonly string[]; readonly codes: Int32Array }>
  >;
}

export function encodeTable({ length, columns, texts }: SequenceTable): Uint8Array {
  const values = Object.fromEntries(SEQUENCE_TEXTS.map((name) => [name, texts[name].values]));
  const codes = SEQUENCE_TEXTS.map((name): [string, WireArray] => [`codes:${name}`, texts[name].codes]);
  return encodeArrays({ length, values }, { ...columns, ...Object.fromEntries(codes) });
}

/** A table with only these rows, in the given order; lists of texts are not reduced. */
export function takeTableRows(
  { length, columns, texts }: SequenceTable,
  isTaken: (row: number) => boolean,
): SequenceTable {
  const rows = Array.from({ length }, (_, row) => row).filter(isTaken);
  return {
    length: rows.length,
    columns: Object.fromEntries(
      Object.entries(columns).map(([name, values]) => [name, Float64Array.from(rows, (row) => values[row]!)]),
    ) as SequenceTable["columns"],
    texts: Object.fromEntries(
      Object.entries(texts).map(([name, { values, codes }]) => [
        name,
        { values, codes: Int32Array.from(rows, (row) => codes[row]!) },
      ]),
    ) as SequenceTable["texts"],
  };
}

/** @throws FormatError */
export function decodeTable(bytes: Uint8Array): SequenceTable {
  const { meta, arrays } = decodeArrays<{
    length: number;
    values: Record<SequenceText, readonly string[]>;
  }>(bytes);
  const columns = SEQUENCE_COLUMNS.map((name) => [name, arrays[name]]);
  const texts = SEQUENCE_TEXTS.map((name) => {
    return [name, { values: meta.values[name], codes: arrays[`codes:${name}`] }];
  });
  return {
    length: meta.length,
    columns: Object.fromEntries(columns) as SequenceTable["columns"],
    texts: Object.fromEntries(texts) as SequenceTable["texts"],
  };
}
