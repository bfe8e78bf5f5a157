/**
 * Builds the table of sequences, row by row.
 *
 * @module
 */
import {
  SEQUENCE_COLUMNS,
  SEQUENCE_TEXTS,
  type SequenceColumn,
  type SequenceText,
} from "../../../../results/metrics/sequence-columns.ts";
import type { SequenceTable } from "../../../../results/wire/table.ts";

const COLUMNS = SEQUENCE_COLUMNS;
const FIRST_ROOM = 1024;

/** A list of distinct texts and their codes. */
interface Codes {
  readonly values: string[];
  readonly known: Map<string, number>;
}

export type TableRow = Readonly<Record<SequenceColumn, number>>;
export type TableTexts = Readonly<Record<SequenceText, string | undefined>>;

export class TableBuilder {
  #room = FIRST_ROOM;
  #columns = byName(COLUMNS, () => new Float64Array(FIRST_ROOM));
  #codes = byName(SEQUENCE_TEXTS, () => new Int32Array(FIRST_ROOM));
  readonly #texts: Readonly<Record<SequenceText, Codes>> = byName(SEQUENCE_TEXTS, () => ({
    values: [],
    known: new Map(),
  }));
  length = 0;

  add(row: TableRow, texts: TableTexts): void {
    if (this.length === this.#room) this.#grow();
    for (const name of COLUMNS) this.#columns[name][this.length] = row[name];
    for (const name of SEQUENCE_TEXTS)
      this.#codes[name][this.length] = encodeText(this.#texts[name], texts[name]);
    this.length++;
  }

  #grow(): void {
    this.#room *= 2;
    this.#columns = byName(COLUMNS, (name) => {
      const wider = new Float64Array(this.#room);
      wider.set(this.#columns[name]);
      return wider;
    });
    this.#codes = byName(SEQUENCE_TEXTS, (name) => {
      const wider = new Int32Array(this.#room);
      wider.set(this.#codes[name]);
      return wider;
    });
  }

  finish(): SequenceTable {
    const { length } = this;
    return {
      length,
      columns: byName(COLUMNS, (name) => this.#columns[name].subarray(0, length)),
      texts: byName(SEQUENCE_TEXTS, (name) => ({
        values: this.#texts[name].values,
        codes: this.#codes[name].subarray(0, length),
      })),
    };
  }
}

function encodeText({ values, known }: Codes, text: string | undefined): number {
  if (text === undefined) return -1;
  const code = known.get(text);
  if (code !== undefined) return code;
  known.set(text, values.length);
  return values.push(text) - 1;
}

function byName<Name extends string, T>(names: readonly Name[], make: (name: Name) => T): Record<Name, T> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, T>;
}
