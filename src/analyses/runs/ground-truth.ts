/**
 * Ground truth for sequences: from a column of the input files, or from a separate file with ids.
 *
 * @module
 */
import { SchemaError, UsageError } from "../../core/base/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import { openDocument } from "../../ingest/index.ts";
import type {
  RowChunk,
  RowDocument,
  RowValue,
  Tensor,
  TreeDocument,
  TreeValue,
} from "../../input/io/index.ts";
import { isTensor, openFile, statIfPresent } from "../../input/io/index.ts";

export interface GroundTruth {
  /** What was requested, for the report. */
  readonly source: string;
  /** The truth of each sequence as text; undefined if there is none. */
  of(batch: RecordBatch): Promise<(string | undefined)[]>;
}

const IDS = ["sample_id", "id", "uid", "unique_id", "group_id", "prompt_id", "problem_id"];
const TRUTHS = ["ground_truth", "truth", "answer", "target", "gts", "label", "solution"];

/** A file with that name takes precedence over a column. */
export async function openTruth(given: string): Promise<GroundTruth> {
  return (await statIfPresent(given)) !== undefined ? truthFile(given) : truthColumn(given);
}

/** Read from the source files again, one file at a time. */
function truthColumn(column: string): GroundTruth {
  let file: string | undefined;
  let findTruth: Lookup = () => undefined;
  return {
    source: column,
    of: async (batch) => {
      const { provenance } = batch;
      if (file !== provenance.file) {
        refuse(column, provenance);
        findTruth = await readColumn(provenance, column);
        file = provenance.file;
      }
      return Array.from({ length: batch.length }, (_, i) => findTruth(batch, i));
    },
  };
}

function refuse(column: string, { file, trainer }: RecordBatch["provenance"]): void {
  const hint = `put ground truth into a file of its own: --truth FILE, one JSON object per line with "id" and "ground_truth"`;
  const cannot = (why: string): UsageError =>
    new UsageError(`--truth ${column}: no such file, and ${why}`, { hint });
  if (file === "-") throw cannot("standard input can be read only once");
  if (trainer === "pair") throw cannot("with two files the column is ambiguous");
}

/** Ground truth of a batch's sequence. */
type Lookup = (batch: RecordBatch, i: number) => string | undefined;

async function readColumn({ file, trainer }: RecordBatch["provenance"], column: string): Promise<Lookup> {
  const document = await openDocument(await openFile(file));
  try {
    if (document.kind === "rows") return await rowColumn(document, column, trainer === "record");
    const values = await treeColumn(document, column);
    return ({ rows }, i) => values[rows[i]!];
  } finally {
    await document.close();
  }
}

async function treeColumn({ root, file }: TreeDocument, column: string): Promise<(string | undefined)[]> {
  const found = within(root, column) ?? within(root, `non_tensor_batch.${column}`);
  if (found === undefined) throw noColumn(file, column, namesIn(root));
  const list = isTensor(found) ? await tensorValues(found) : found;
  if (!Array.isArray(list) && !ArrayBuffer.isView(list))
    throw new SchemaError(`--truth: ${column} is not a list of values`, { at: { file, entry: column } });
  return Array.from(list as ArrayLike<TreeValue>, toText);
}

/** Rows are identified by their byte offset, else by their index; those of a record by the numbers they carry. */
async function rowColumn(document: RowDocument, column: string, isRecord: boolean): Promise<Lookup> {
  const byRow: (string | undefined)[] = [];
  const byOffset = new Map<number, string | undefined>();
  const byNumbers = new Map<string, string | undefined>();
  const numbered = isRecord && "row" in (document.sample[0] ?? {});
  let seen = false;
  for await (const chunk of document.chunks()) {
    for (let i = 0; i < chunk.length; i++) {
      const value = rowValue(chunk, i, column);
      if (value !== undefined) seen = true;
      const text = toText(value);
      byRow[chunk.firstRow + i] = text;
      if (chunk.offset) byOffset.set(chunk.offset(i), text);
      if (!numbered) continue;
      const key = numbersKey(...["step", "rank", "pack", "row"].map((name) => chunk.get(i, name)));
      if (byNumbers.has(key) && byNumbers.get(key) !== text)
        throw new SchemaError(`--truth ${column}: several rows have the same step, rank, pack and row`, {
          at: { file: document.file },
          likely: "records of several runs were combined",
          hint: 'put ground truth into a file of its own: --truth FILE, with "id" and "ground_truth"',
        });
      byNumbers.set(key, text);
    }
  }
  if (!seen) throw noColumn(document.file, column, Object.keys(document.sample[0] ?? {}));
  if (numbered)
    return ({ steps, ranks, packs, rows }, i) =>
      byNumbers.get(numbersKey(steps[i], ranks[i], packs[i], rows[i]));
  return byOffset.size > 0 && !isRecord
    ? ({ sourceOffsets }, i) => byOffset.get(sourceOffsets[i]!)
    : ({ rows }, i) => byRow[rows[i]!];
}

/** Missing numbers count as 0, as do the packs of a file without packs. */
function numbersKey(...numbers: readonly unknown[]): string {
  return numbers.map((number) => (typeof number === "number" && !Number.isNaN(number) ? number : 0)).join();
}

/** Rows with an id and a truth, or one object from ids to truths. Looked up by sample id, then by group id. */
async function truthFile(file: string): Promise<GroundTruth> {
  const document = await openDocument(await openFile(file));
  const truths = new Map<string, string | undefined>();
  try {
    if (document.kind === "tree") {
      for (const [id, value] of Object.entries(document.root)) {
        const inner = isMap(value) ? TRUTHS.map((name) => value[name]).find((x) => x !== undefined) : value;
        truths.set(id, toText(inner));
      }
    } else {
      const names = new Set(document.sample.flatMap((row) => Object.keys(row)));
      const [ids, truth] = [IDS.filter((name) => names.has(name)), TRUTHS.find((name) => names.has(name))];
      if (ids.length === 0) throw noColumn(file, IDS.join(", "), [...names]);
      if (truth === undefined) throw noColumn(file, TRUTHS.join(", "), [...names]);
      for await (const chunk of document.chunks()) {
        for (let i = 0; i < chunk.length; i++) {
          const value = toText(chunk.get(i, truth));
          for (const name of ids) {
            const id = toText(chunk.get(i, name));
            if (id !== undefined) truths.set(id, value);
          }
        }
      }
    }
  } finally {
    await document.close();
  }
  return {
    source: file,
    of: async ({ length, sampleIds, groupIds }) =>
      Array.from({ length }, (_, i) => truths.get(sampleIds[i] ?? "") ?? truths.get(groupIds[i] ?? "")),
  };
}

function noColumn(file: string, wanted: string, there: readonly string[]): SchemaError {
  return new SchemaError(`--truth: there is no column ${wanted}, only ${there.slice(0, 24).join(", ")}`, {
    at: { file },
    hint: "dots lead into nested objects: --truth reward_model.ground_truth",
  });
}

/** Names of all values; dotted for nested objects. */
function namesIn(map: { readonly [name: string]: TreeValue }, prefix = ""): string[] {
  return Object.entries(map).flatMap(([name, value]) =>
    isMap(value) ? namesIn(value, `${prefix}${name}.`) : [prefix + name],
  );
}

/**
 * The value at a dotted path; a name that itself contains the dots takes precedence; a list of objects gives the value
 * of each.
 */
function within(map: { readonly [name: string]: TreeValue }, path: string): TreeValue | undefined {
  const own = (name: string): TreeValue | undefined => (Object.hasOwn(map, name) ? map[name] : undefined);
  const whole = own(path);
  if (whole !== undefined) return whole;
  for (let dot = path.indexOf("."); dot >= 0; dot = path.indexOf(".", dot + 1)) {
    const [inner, rest] = [own(path.slice(0, dot)), path.slice(dot + 1)];
    const found = isMap(inner) ? within(inner, rest) : undefined;
    if (found !== undefined) return found;
    if (Array.isArray(inner) && inner.some(isMap))
      return inner.map((item) => (isMap(item) ? (within(item, rest) ?? null) : null));
  }
  return undefined;
}

function rowValue(chunk: RowChunk, i: number, path: string): RowValue | undefined {
  const whole = chunk.get(i, path);
  const dot = path.indexOf(".");
  if (whole !== undefined || dot < 0) return whole;
  const inner = chunk.get(i, path.slice(0, dot));
  return isMap(inner) ? (within(inner, path.slice(dot + 1)) as RowValue | undefined) : undefined;
}

function isMap(value: unknown): value is { readonly [name: string]: TreeValue } {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !ArrayBuffer.isView(value) &&
    !("kind" in value)
  );
}

async function tensorValues(tensor: Tensor): Promise<ArrayLike<TreeValue>> {
  const rows = tensor.shape[0] ?? 1;
  return tensor.readStrings ? tensor.readStrings(0, rows) : tensor.readRows(0, rows);
}

/** A number or a text as text; a list with one element counts as that element. */
function toText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number") return Number.isNaN(value) ? undefined : decimal(value);
  if ((Array.isArray(value) || ArrayBuffer.isView(value)) && (value as ArrayLike<unknown>).length === 1)
    return toText((value as ArrayLike<unknown>)[0]);
  return undefined;
}

/** Without an exponent, which responses do not write as part of a number. */
function decimal(value: number): string {
  return Number.isInteger(value) ? BigInt(value).toString() : String(value);
}
