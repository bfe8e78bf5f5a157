/**
 * Documents in which each object is an episode, a trajectory or a call with lists of objects inside: JSONL, a JSON
 * array, or one object per file.
 *
 * @module
 */
import { isNumericArray, type NumericArray, Unavailable } from "../../../core/base/index.ts";
import type { FindingLog, SequenceDraft } from "../../../core/schema/index.ts";
import type { RowChunk, SourceDocument, TreeMap, TreeValue } from "../../io/columns.ts";
import { reportBadRow } from "./row-objects.ts";
import { isList, isMap } from "./tree-values.ts";

/** The objects used to recognize a document: the first rows, or the only object. */
export function sampleObjects(document: SourceDocument): readonly TreeMap[] {
  return document.kind === "rows" ? document.sample : [document.root];
}

/** The value at a path of names; undefined when a value on the way is not an object. */
export function findIn(value: TreeValue | undefined, ...path: readonly string[]): TreeValue | undefined {
  let inner = value;
  for (const name of path) {
    if (!isMap(inner) || !Object.hasOwn(inner, name)) return undefined;
    inner = inner[name];
  }
  return inner;
}

/** The objects in a list; empty for anything else. */
export function listMaps(value: TreeValue | undefined): readonly TreeMap[] {
  return isList(value) ? value.filter(isMap) : [];
}

/** A list of numbers, booleans and nulls (NaN); undefined for anything else. */
export function listNumbers(value: TreeValue | undefined): NumericArray | undefined {
  if (isNumericArray(value)) return value;
  if (!isList(value)) return undefined;
  const numbers = new Float64Array(value.length);
  for (const [i, element] of value.entries()) {
    if (typeof element === "number") numbers[i] = element;
    else if (typeof element === "boolean") numbers[i] = Number(element);
    else if (element === null) numbers[i] = Number.NaN;
    else return undefined;
  }
  return numbers;
}

export function numberIn(value: TreeValue | undefined, ...path: readonly string[]): number | undefined {
  const found = findIn(value, ...path);
  if (typeof found === "boolean") return Number(found);
  return typeof found === "number" && !Number.isNaN(found) ? found : undefined;
}

/** A text, or a number as text. */
export function textIn(value: TreeValue | undefined, ...path: readonly string[]): string | undefined {
  const found = findIn(value, ...path);
  if (typeof found === "string") return found;
  return typeof found === "number" && !Number.isNaN(found) ? String(found) : undefined;
}

/** Row `i` of a chunk as one object. */
export function rowObject(chunk: RowChunk, i: number): TreeMap {
  return Object.fromEntries(chunk.names(i).map((name) => [name, chunk.get(i, name) ?? null]));
}

type Drafts = readonly SequenceDraft[] | Unavailable;
/** The sequences of one object, or why there are none. */
export type ReadObject = (object: TreeMap) => Drafts | Promise<Drafts>;

/**
 * Drafts of all objects. An object without sequences is reported as a row that cannot be read.
 *
 * @param firstRow number of the file's first row in its run
 */
export async function* readObjects(
  document: SourceDocument,
  findings: FindingLog,
  read: ReadObject,
  firstRow = 0,
): AsyncGenerator<readonly SequenceDraft[]> {
  const { file } = document;
  if (document.kind === "tree") {
    const drafts = await read(document.root);
    if (drafts instanceof Unavailable) reportBadRow(findings, file, { row: 0, message: drafts.why });
    else yield drafts.map((draft) => ({ ...draft, row: 0 }));
    return;
  }
  for await (const chunk of document.chunks({ onBadRow: (bad) => reportBadRow(findings, file, bad) })) {
    const block: SequenceDraft[] = [];
    for (let i = 0; i < chunk.length; i++) {
      const row = chunk.firstRow + i;
      const drafts = await read(rowObject(chunk, i));
      if (drafts instanceof Unavailable) {
        const line = chunk.line && { line: chunk.line(i) };
        reportBadRow(findings, file, { row, ...line, message: drafts.why });
        continue;
      }
      const sourceOffset = chunk.offset?.(i) ?? chunk.line?.(i);
      for (const draft of drafts) block.push({ ...draft, row: firstRow + row, sourceOffset });
    }
    yield block;
  }
}
