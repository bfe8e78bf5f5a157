/**
 * Writes batches to Parquet files in the layout of the record.
 *
 * @module
 */
import { join, parse } from "node:path";
import type { RecordBatch } from "../../core/schema/index.ts";
import {
  type LayoutColumn,
  layoutColumns,
  SCHEMA_VERSION,
  VERSION_KEY,
  WRITER_KEY,
} from "../../core/schema/index.ts";
import {
  type ColumnBatch,
  type ColumnData,
  type ColumnSpec,
  type ElementType,
  writeParquet,
} from "../../input/readers/parquet/index.ts";

/** How the record is written. */
export interface WriteRecordOptions {
  /** Stored in the file, so that it can be recognized as this verb's output. */
  readonly writer?: "convert" | "correct" | "score";
  /**
   * Called before each further file that the batches require (with `-1` after the name) is begun; may refuse by
   * throwing.
   */
  readonly beforePart?: (file: string) => Promise<void>;
  /** Compression of the Parquet columns. */
  readonly compression?: "zstd" | "snappy" | "none";
  /** Further columns of a batch, after those of the record. */
  readonly more?: (batch: RecordBatch) => readonly LayoutColumn[];
  /** Called with each batch that has rows once they are all written and its arrays are no longer needed. */
  readonly onWritten?: (batch: RecordBatch) => void;
}

function elementType({ values }: Extract<LayoutColumn, { kind: "list" }>): ElementType {
  if (values instanceof Float64Array) return "float64";
  if (values instanceof Float32Array) return "float32";
  return values instanceof Uint8Array ? "uint8" : "int32";
}

function describeColumn(column: LayoutColumn): ColumnSpec {
  const { name } = column;
  if (column.kind === "text") return { name, type: "string" };
  if (column.kind === "number")
    return { name, type: column.values instanceof Int32Array ? "int32" : "float64" };
  const list = elementType(column);
  return {
    name,
    type: column.inner === undefined ? { list } : { list, inner: column.inner },
    nullable: false,
  };
}

function readColumn(column: LayoutColumn): ColumnData {
  if (column.kind === "text") return { values: column.values };
  if (column.kind === "list") return { values: column.values, offsets: column.offsets };
  const { values } = column;
  if (values instanceof Int32Array) return { values };
  return { values, valid: Uint8Array.from(values, (value) => (Number.isNaN(value) ? 0 : 1)) };
}

/**
 * Writes batches to `path`; each file appears under its name only when it is complete. A Parquet file has one set of
 * columns, so a batch with other columns (or with log-probs in double instead of single precision) begins the next
 * file, with `-1` and so on after the name.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { mkdtemp, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { openRun, reportRun, writeRecord } from "logratio/node";
 *
 * const directory = await mkdtemp(join(tmpdir(), "record-"));
 * const run = await openRun(["examples/demo/stale"], { steps: (step) => step === 10 });
 * const files = await writeRecord(join(directory, "run.parquet"), run.batches());
 * assert.equal((await reportRun(files)).metrics.sequences, 64);
 * await rm(directory, { recursive: true });
 * ```
 *
 * @param path of the Parquet file
 * @param batches of `Run.batches`, or of `createRecordBuilder`
 * @returns the files in the order of their batches
 */
export async function writeRecord(
  path: string,
  batches: AsyncIterable<RecordBatch>,
  options: WriteRecordOptions = {},
): Promise<string[]> {
  const { compression, more, writer, beforePart, onWritten } = options;
  const iterator = batches[Symbol.asyncIterator]();
  const files: string[] = [];
  let next: { readonly batch: RecordBatch; readonly columns: readonly LayoutColumn[] } | undefined;

  const advance = async (): Promise<void> => {
    const { done, value: batch } = await iterator.next();
    next =
      done === true ? undefined : { batch, columns: [...layoutColumns(batch), ...(more?.(batch) ?? [])] };
  };
  const formatLayout = (some: readonly LayoutColumn[]): string => JSON.stringify(some.map(describeColumn));

  try {
    await advance();
    while (next !== undefined) {
      const specs = next.columns.map(describeColumn);
      const layout = JSON.stringify(specs);
      const part = (async function* (): AsyncGenerator<ColumnBatch> {
        while (next !== undefined && formatLayout(next.columns) === layout) {
          const { batch, columns } = next;
          const { length } = batch;
          yield { length, columns: columns.map(readColumn), onWritten: () => onWritten?.(batch) };
          await advance();
        }
      })();
      // `run.parquet`, then `run-1.parquet`, and so on.
      const { dir, name, ext } = parse(path);
      const file = files.length === 0 ? path : join(dir, `${name}-${files.length}${ext}`);
      if (files.length > 0) await beforePart?.(file);
      await writeParquet(file, specs, part, {
        ...(compression !== undefined && { compression }),
        metadata: {
          [VERSION_KEY]: String(SCHEMA_VERSION),
          ...(writer !== undefined && { [WRITER_KEY]: writer }),
        },
      });
      files.push(file);
    }
  } finally {
    await iterator.return?.();
  }
  return files;
}
