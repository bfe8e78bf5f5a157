import { FormatError, isObject, type Place, SchemaError } from "../../../core/base/index.ts";
import type { FindingLog } from "../../../core/schema/index.ts";
import { closeQuietly, containFileError } from "../../../ingest/index.ts";
import type { BadRow, RowDocument, TreeDocument } from "../../../input/io/index.ts";
import { type Fields, openFields } from "./columns.ts";
import { openRows } from "./open-rows.ts";

/** One row of a file, or one entry of its object. */
export interface Entry {
  readonly at: Place;
  /** The entry's key, if the file is an object from ids to entries. */
  readonly key: string | undefined;
  /** The text, if the entry is only a text. */
  readonly text: string | undefined;
  readonly fields: Fields;
  /** Names of its fields. */
  readonly names: readonly string[];
}

/** Names under which an object has its list of rows, next to facts about all of them. */
const WRAPPERS = ["texts", "responses", "problems", "rows", "data", "examples", "items"];

/**
 * The rows of a JSON list (or of a list in an object, under a name such as `rows`), of JSONL or of Parquet; or the
 * entries of an object from ids to rows, lists of rows or texts. Fields are valid until `visit` returns. Unreadable
 * rows are counted.
 *
 * @param isRow whether an object's own values are those of a row
 * @throws FormatError when no row can be read
 * @throws SchemaError when an entry of an object is not one of these
 */
export async function readEntries(
  file: string,
  findings: FindingLog,
  isRow: (fields: Fields) => boolean,
  visit: (entry: Entry) => void,
): Promise<void> {
  const document = await openRows(file);
  try {
    if (document.kind === "rows") await visitRows(document, findings, visit);
    else visitObject(document, isRow, visit);
  } catch (error) {
    throw containFileError(error, file);
  } finally {
    await closeQuietly(document);
  }
}

async function visitRows(
  document: RowDocument,
  findings: FindingLog,
  visit: (entry: Entry) => void,
): Promise<void> {
  const { file } = document;
  const bad: BadRow[] = [];
  let rows = 0;
  for await (const chunk of document.chunks({ onBadRow: (row) => bad.push(row) })) {
    for (let i = 0; i < chunk.length; i++) {
      rows++;
      visit({
        at: { file, row: chunk.firstRow + i, ...(chunk.line && { line: chunk.line(i) }) },
        key: undefined,
        text: undefined,
        fields: (name) => chunk.get(i, name),
        names: chunk.names(i),
      });
    }
  }
  const [first] = bad;
  if (first === undefined) return;
  const at = { file, row: first.row, ...(first.line !== undefined && { line: first.line }) };
  const likely = first.likely === undefined ? {} : { likely: first.likely };
  // If the only line is cut off, it is not one bad row among others.
  if (rows === 0) throw new FormatError(`no row can be read: ${first.message}`, { at, ...likely });
  findings.add({
    code: "bad-row",
    severity: "skipped",
    count: bad.length,
    subject: file,
    at,
    describe: (count) =>
      count === 1
        ? `1 row cannot be read: ${first.message}`
        : `${count} rows cannot be read, the first: ${first.message}`,
    ...likely,
  });
}

function visitObject(
  { file, root }: TreeDocument,
  isRow: (fields: Fields) => boolean,
  visit: (entry: Entry) => void,
): void {
  if (isRow(openFields(root))) {
    visit({
      at: { file, row: 0 },
      key: undefined,
      text: undefined,
      fields: openFields(root),
      names: Object.keys(root),
    });
    return;
  }
  const wrapped = WRAPPERS.find((name) => Array.isArray(root[name]));
  if (wrapped !== undefined) {
    for (const [i, value] of (root[wrapped] as unknown[]).entries())
      visitEntry({ at: { file, entry: `${wrapped}[${i}]`, row: i }, key: undefined, value }, visit);
    return;
  }
  for (const [key, value] of Object.entries(root)) {
    const at = { file, entry: key };
    if (!Array.isArray(value)) visitEntry({ at, key, value }, visit);
    else
      for (const [i, item] of (value as unknown[]).entries())
        visitEntry({ at: { file, entry: `${key}[${i}]` }, key, value: item }, visit);
  }
}

function visitEntry(
  { at, key, value }: { readonly at: Place; readonly key: string | undefined; readonly value: unknown },
  visit: (entry: Entry) => void,
): void {
  if (isObject(value))
    visit({ at, key, text: undefined, fields: openFields(value), names: Object.keys(value) });
  else if (typeof value === "string" || value === null)
    visit({ at, key, text: value ?? undefined, fields: () => undefined, names: [] });
  else if (ArrayBuffer.isView(value) && "length" in value && value.length === 0) return;
  else {
    throw new SchemaError(
      `the entry is ${describeKind(value)}, neither an object with a response nor a text`,
      {
        at,
        likely: "the file holds results or other figures, not responses",
        hint: 'responses are read from {"ID": {"response": …}}, {"ID": "text"}, {"ID": [{"rollout": …}]} or rows',
      },
    );
  }
}

function describeKind(value: unknown): string {
  if (ArrayBuffer.isView(value)) return "a list of numbers";
  return typeof value === "number" || typeof value === "boolean" ? `${value}` : `a ${typeof value}`;
}
