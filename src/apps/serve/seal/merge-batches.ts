/**
 * Merges many batches into one file: lists are concatenated, offsets continue, and step and rank of each batch become
 * columns. What arrived a kilobyte at a time is then written as Parquet a million tokens at a time.
 *
 * @module
 */
import { dictionary } from "../../../core/base/index.ts";
import { isOffsets, type PackedBatch, type PackedColumn } from "./packed-batch.ts";

/** Names the recorder object that wrote a batch; every other fact is the same for batches that are merged. */
const RECORDER = "recorder";

const ITEM_BYTES: Readonly<Record<string, number>> = {
  F64: 8,
  I64: 8,
  U64: 8,
  F32: 4,
  I32: 4,
  U32: 4,
  F16: 2,
  BF16: 2,
  I16: 2,
  U16: 2,
  I8: 1,
  U8: 1,
  BOOL: 1,
};

/** Batches that can be one file: the same columns of the same types, and the same facts of the whole batch. */
export function groupBatches(batches: readonly PackedBatch[]): PackedBatch[][] {
  const groups = new Map<string, PackedBatch[]>();
  for (const batch of batches) {
    const { step: _step, rank: _rank, [RECORDER]: _recorder, ...facts } = batch.metadata;
    const types = [...batch.columns].map(([name, { dtype, shape }]) => [name, dtype, ...shape.slice(1)]);
    const layout = JSON.stringify([types.sort(), Object.entries(facts).sort()]);
    const group = groups.get(layout);
    if (group === undefined) groups.set(layout, [batch]);
    else group.push(batch);
  }
  return [...groups.values()].map((group) =>
    group.sort(({ head: a }, { head: b }) => a.step - b.step || a.rank - b.rank || a.call - b.call),
  );
}

/** The file's bytes, in pieces that are mostly views of the batches. @param batches of one group, at least one */
export function mergeBatches(batches: readonly PackedBatch[]): Uint8Array[] {
  const [first] = batches as [PackedBatch, ...PackedBatch[]];
  const { step: _step, rank: _rank, [RECORDER]: _recorder, ...facts } = first.metadata;
  const merged = [...first.columns.keys()].map((name) => ({
    name,
    ...mergeColumn(
      batches.map(({ columns }) => columns.get(name)!),
      isOffsets(name),
    ),
  }));
  if (!first.columns.has(RECORDER) && batches.some(({ metadata }) => metadata[RECORDER] !== undefined))
    merged.push(...recorderColumns(batches));
  for (const part of ["step", "rank"] as const)
    if (!first.columns.has(part)) merged.push({ name: part, ...keyColumn(batches, part) });
  // The widest types first, so that every array starts at a multiple of its element size.
  merged.sort((a, b) => itemBytes(b.dtype) - itemBytes(a.dtype));
  const header = dictionary<unknown>();
  header.__metadata__ = facts;
  let at = 0;
  for (const { name, dtype, shape, pieces } of merged) {
    const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
    header[name] = { dtype, shape, data_offsets: [at, at + bytes] };
    at += bytes;
  }
  const text = Buffer.from(JSON.stringify(header));
  const start = Buffer.alloc(8 + text.length + (-text.length & 7), " ");
  start.writeBigUInt64LE(BigInt(start.length - 8));
  text.copy(start, 8);
  return [start, ...merged.flatMap(({ pieces }) => pieces)];
}

interface MergedColumn {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly pieces: readonly Uint8Array[];
}

function mergeColumn(columns: readonly PackedColumn[], areOffsets: boolean): MergedColumn {
  const { dtype, shape } = columns[0]!;
  if (areOffsets) return mergeOffsets(columns);
  const rows = columns.reduce((sum, column) => sum + column.shape[0]!, 0);
  return { dtype, shape: [rows, ...shape.slice(1)], pieces: columns.map(({ bytes }) => bytes) };
}

/** Each batch's offsets start at 0, which becomes the end of the batch before. */
function mergeOffsets(columns: readonly PackedColumn[]): MergedColumn {
  const length = columns.reduce((sum, { shape }) => sum + shape[0]! - 1, 1);
  const merged = new BigInt64Array(length);
  let at = 1;
  let base = 0n;
  for (const { bytes, dtype, shape } of columns) {
    const count = shape[0]!;
    const read = readInteger(bytes, dtype);
    for (let i = 1; i < count; i++) merged[at++] = base + read(i);
    base = merged[at - 1]!;
  }
  return { dtype: "I64", shape: [length], pieces: [viewBytes(merged)] };
}

function readInteger(bytes: Buffer, dtype: string): (index: number) => bigint {
  if (dtype === "I64") return (index) => bytes.readBigInt64LE(index * 8);
  if (dtype === "I32") return (index) => BigInt(bytes.readInt32LE(index * 4));
  throw new TypeError(`offsets are ${dtype}, expected I64`);
}

function keyColumn(batches: readonly PackedBatch[], part: "step" | "rank"): MergedColumn {
  const rows = batches.reduce((sum, { sequences }) => sum + sequences, 0);
  const values = new Float64Array(rows);
  let at = 0;
  for (const { head, sequences } of batches) {
    values.fill(head[part], at, at + sequences);
    at += sequences;
  }
  return { dtype: "F64", shape: [rows], pieces: [viewBytes(values)] };
}

/** The recorder of each sequence, as a column of texts; empty where a batch does not name it. */
function recorderColumns(batches: readonly PackedBatch[]): (MergedColumn & { readonly name: string })[] {
  const rows = batches.reduce((sum, { sequences }) => sum + sequences, 0);
  const offsets = new BigInt64Array(rows + 1);
  const pieces: Uint8Array[] = [];
  let [at, bytes] = [1, 0n];
  for (const { metadata, sequences } of batches) {
    const text = Buffer.from(metadata[RECORDER] ?? "");
    for (let row = 0; row < sequences; row++) {
      pieces.push(text);
      bytes += BigInt(text.length);
      offsets[at++] = bytes;
    }
  }
  return [
    { name: RECORDER, dtype: "U8", shape: [Number(bytes)], pieces },
    { name: `${RECORDER}.offsets`, dtype: "I64", shape: [rows + 1], pieces: [viewBytes(offsets)] },
  ];
}

function viewBytes(values: BigInt64Array | Float64Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

function itemBytes(dtype: string): number {
  return ITEM_BYTES[dtype] ?? 1;
}
