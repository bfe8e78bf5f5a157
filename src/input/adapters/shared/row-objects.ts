/**
 * One object per sequence: JSONL, a JSON array of objects, Parquet with list columns.
 *
 * @module
 */

import { isNumericArray } from "../../../core/base/index.ts";
import type { SequenceDraft } from "../../../core/schema/index.ts";
import { type FindingLog, MOST_TEXT, unreadableRows } from "../../../core/schema/index.ts";
import type { BadRow, RowChunk, RowDocument, RowMap, RowValue } from "../../io/columns.ts";
import {
  FIELD_LABELS,
  type Field,
  type FoundColumns,
  findColumns,
  type NameTable,
  TEXT_FIELDS,
} from "./fields.ts";
import { describeRowValue, isRowList, isRowMap, toNumber, toNumbers, toText, valueAt } from "./row-values.ts";
import { ARRAY_FIELDS, type RowArrays, type RowScalars } from "./sequence.ts";
import { DraftMaker } from "./split-pack.ts";

/** The columns of the first rows: each field under the first of its names for which a row has a value. */
export function findRowColumns(document: RowDocument, names: NameTable): FoundColumns<RowValue> {
  return findColumns(
    names,
    (name) => {
      for (const row of document.sample) {
        const value = valueAt(row, name);
        if (value !== undefined && value !== null) return value;
      }
      return undefined;
    },
    document.file,
  );
}

/** The number that all sample rows share, if there is one. */
export function agreedNumber(document: RowDocument, names: readonly string[] = []): number | undefined {
  const seen = new Set(
    document.sample.map((row) =>
      names.map((name) => toNumber(valueAt(row, name))).find((value) => value !== undefined),
    ),
  );
  return seen.size === 1 ? [...seen][0] : undefined;
}

/** All names in the first rows with a description of their values, for messages. */
export function describeSample(document: RowDocument): string[] {
  const seen = new Map<string, string>();
  for (const row of document.sample) {
    for (const [name, value] of Object.entries(row)) {
      if (!seen.has(name) || seen.get(name) === "null") seen.set(name, describeRowValue(value));
    }
  }
  return [...seen].map(([name, what]) => `${name}: ${what}`);
}

/** The value under a dotted path in row `i` of a chunk. */
export function chunkValueAt(chunk: RowChunk, i: number, path: string): RowValue | undefined {
  const whole = chunk.get(i, path);
  if (whole !== undefined) return whole;
  const dot = path.indexOf(".");
  if (dot < 0) return undefined;
  const inner = chunk.get(i, path.slice(0, dot));
  return isRowMap(inner) ? valueAt(inner, path.slice(dot + 1)) : undefined;
}

/** Reports a row that is left out; the cut-off last line of a file that is being written is not an error. */
export function reportBadRow(findings: FindingLog, file: string, bad: BadRow): void {
  const partial = bad.message.includes("cut off");
  findings.add({
    code: partial ? "partial-line" : "bad-row",
    severity: "skipped",
    subject: file,
    count: 1,
    omits: { unit: "sequence", why: "unreadable" },
    at: {
      file,
      row: bad.row,
      ...(bad.line === undefined ? {} : { line: bad.line }),
      ...(bad.offset === undefined ? {} : { offset: bad.offset }),
    },
    ...(bad.likely === undefined ? {} : { likely: bad.likely }),
    ...(bad.hint === undefined ? {} : { hint: bad.hint }),
    describe: (count) => unreadableRows(count, bad.message),
  });
}

export interface RowOptions {
  readonly names: NameTable;
  readonly findings: FindingLog;
  /** Further policies: name to column. */
  readonly policies?: Readonly<Record<string, string>> | undefined;
}

/** Rows of equal length are `[B, T]`: laid end to end they would be read as one sequence with padding inside. */
function isBatchOfRows(value: RowValue | undefined): boolean {
  if (!isRowList(value) || value.length < 2) return false;
  const [first] = value;
  if (!isNumericArray(first) || first.length < 2) return false;
  return value.every((row) => isNumericArray(row) && row.length === first.length);
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

const SCALAR_FIELDS = ["reward", "correctness", "cachedTokens", "step", "rank", "row"] as const;

/** Top-level names to request from a columnar file. */
function topLevel(
  names: NameTable,
  document: RowDocument,
  policies: Readonly<Record<string, string>>,
): string[] {
  const present = new Set(document.sample.flatMap((row: RowMap) => Object.keys(row)));
  const asked = [...Object.values(names).flat(), ...Object.values(policies)].flatMap((name) =>
    present.has(name) ? [name] : [name.split(".")[0]!],
  );
  return [...new Set(asked)].filter((name) => present.has(name));
}

/** The names of each field that may lead to a value: looking all of them up in every row would take as long as reading. */
function presentNames(names: NameTable, columns: readonly string[]): ReadonlyMap<Field, readonly string[]> {
  const isPresent = (name: string): boolean =>
    columns.includes(name) || columns.includes(name.split(".")[0]!);
  const entries = Object.entries(names) as [Field, readonly string[]][];
  return new Map(entries.map(([field, all]) => [field, all.filter(isPresent)]));
}

function readScalars(value: (field: Field) => RowValue | undefined): Writable<RowScalars> {
  const scalars: Writable<RowScalars> = {};
  for (const field of SCALAR_FIELDS) {
    const number = toNumber(value(field));
    if (number !== undefined) scalars[field] = number;
  }
  for (const field of TEXT_FIELDS) {
    const text = toText(value(field));
    if (text !== undefined) scalars[field] = text;
  }
  return scalars;
}

/** Drafts of a document with one object per sequence. Rows without log-probs are reported and left out. */
export async function* readRows(
  document: RowDocument,
  options: RowOptions,
): AsyncGenerator<readonly SequenceDraft[]> {
  const { names, findings, policies = {} } = options;
  const { file } = document;
  const columns = topLevel(names, document, policies);
  const present = presentNames(names, columns);
  const chunks = document.chunks({
    columns,
    isNarrow: true,
    onBadRow: (bad) => reportBadRow(findings, file, bad),
  });
  const maker = new DraftMaker();
  for await (const chunk of chunks) {
    const value = (i: number, field: Field): RowValue | undefined => {
      for (const name of present.get(field) ?? []) {
        const found = chunkValueAt(chunk, i, name);
        if (found !== undefined && found !== null) return found;
      }
      return undefined;
    };
    let drafts: SequenceDraft[] = [];
    let textLength = 0;
    for (let i = 0; i < chunk.length; i++) {
      const row = chunk.firstRow + i;
      const place = {
        row,
        ...(chunk.line && { line: chunk.line(i) }),
        ...(chunk.offset && { offset: chunk.offset(i) }),
      };
      const batch = (["rollout", "trainer"] as const).map((field) => value(i, field)).find(isBatchOfRows);
      if (batch !== undefined) {
        reportBadRow(findings, file, {
          ...place,
          message: `one row holds a whole batch (${describeRowValue(batch)})`,
          likely: "each line is a padded batch instead of one sequence",
          hint: "write one object per sequence, or each batch to its own .json file",
        });
        continue;
      }
      const arrays: RowArrays = {};
      for (const field of ARRAY_FIELDS) {
        const array = toNumbers(value(i, field));
        if (array !== undefined) arrays[field] = array;
      }
      if (arrays.rollout === undefined && arrays.trainer === undefined) {
        const what = describeRowValue(value(i, "rollout"));
        reportBadRow(findings, file, {
          ...place,
          message: `no log-probs in this row (${FIELD_LABELS.rollout}: ${what})`,
        });
        continue;
      }
      const policyArrays = Object.fromEntries(
        Object.entries(policies).flatMap(([policy, path]) => {
          const array = toNumbers(chunkValueAt(chunk, i, path));
          return array === undefined ? [] : [[policy, array]];
        }),
      );
      const scalars = readScalars((field) => value(i, field));
      scalars.row ??= row;
      scalars.sourceOffset = place.offset ?? place.line;
      if (arrays.advantages === undefined) scalars.advantage = toNumber(value(i, "advantages"));
      drafts.push(...maker.make(arrays, scalars, { padded: false, policies: policyArrays }));
      for (const field of TEXT_FIELDS) textLength += scalars[field]?.length ?? 0;
      if (textLength > MOST_TEXT) {
        yield drafts;
        drafts = [];
        textLength = 0;
      }
    }
    yield drafts;
  }
}
