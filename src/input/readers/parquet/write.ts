/**
 * Writes Parquet row group by row group, in bounded memory: DuckDB encodes each row group into a separate file, and
 * those are joined.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { DuckDBTableFunction } from "@duckdb/node-api";
import { fileSystemError, isSystemError, UsageError } from "../../../core/base/index.ts";
import { createScratch, createTemporaryFile } from "../../io/scratch.ts";
import { CHECKSUM, fillChecksum } from "./checksum.ts";
import { duckdbWriteError, type Engine, openEngine } from "./engine.ts";
import { duckdbType, fillChunk } from "./fill.ts";
import { createJoiner } from "./join.ts";
import { ROW_GROUP_ROWS, type RowRun, rowGroups } from "./row-groups.ts";
import { type ColumnBatch, type ColumnSpec, checkSpecs } from "./schema.ts";

export interface WriteParquetOptions {
  /** Text pairs of the file's footer. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Puts a SHA-256 of the whole file into its footer; see `checksum.ts`. */
  readonly checksum?: boolean;
  /** Compression; default zstd. */
  readonly compression?: "zstd" | "snappy" | "none";
  /**
   * List entries after which a row group ends; default 2^18. Readers decode whole row groups, so this is what bounds
   * their memory, and the writer's. A row is never split. Every 4096 row groups it doubles, since readers hold a
   * description of each row group.
   */
  readonly rowGroupTokens?: number;
}

/** DuckDB writes from any of the four threads of Node's pool, and each keeps the memory that it took. */
const DEFAULT_ROW_GROUP_TOKENS = 2 ** 18;
const VECTOR_ROWS = 2048;

/**
 * Writes batches to a Parquet file, under a temporary name until it is complete. Holds one row group and one batch.
 *
 * @throws SchemaError if a value does not fit its column's type, or is missing in a column that requires it
 * @throws LengthMismatchError if a batch's columns differ in length
 */
export async function writeParquet(
  path: string,
  specs: readonly ColumnSpec[],
  batches: AsyncIterable<ColumnBatch>,
  options: WriteParquetOptions = {},
): Promise<void> {
  checkSpecs(specs);
  const limit = options.rowGroupTokens ?? DEFAULT_ROW_GROUP_TOKENS;
  if (!(limit >= 1)) throw new UsageError(`a row group cannot hold ${limit} tokens`);
  const target = resolve(path);
  const scratch = await createScratch(dirname(target));
  try {
    const engine = await openEngine();
    const temporary = await createTemporaryFile(target).catch((error: unknown) => {
      engine.close();
      throw error;
    });
    try {
      const joiner = await writing(path, () => createJoiner(temporary.file));
      const part = join(scratch.path, "part.parquet");
      const encode = createEncoder(engine, specs, part, options.compression ?? "zstd", path);
      const append = async (runs: readonly RowRun[]): Promise<void> => {
        await encode(runs);
        await writing(path, () => joiner.append(part));
      };
      let count = 0;
      for await (const runs of rowGroups(specs, batches, limit)) {
        await append(runs);
        count++;
      }
      // A file without rows still has columns.
      if (count === 0) await append([]);
      await writing(path, async () => {
        await joiner.finish({ ...options.metadata, ...(options.checksum && CHECKSUM) });
        if (options.checksum) await fillChecksum(temporary.file);
      });
      await temporary.commit();
    } finally {
      engine.close();
      await temporary.discard();
    }
  } finally {
    await scratch.remove();
  }
}

/** Wraps code that only writes: a system error in it is about the user's output file, not about an input. */
async function writing<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw isSystemError(cause) ? fileSystemError(cause, "write", { file }) : cause;
  }
}

/** Makes a function that writes runs of rows to the file `part`, as one row group. */
function createEncoder(
  engine: Engine,
  specs: readonly ColumnSpec[],
  part: string,
  compression: "zstd" | "snappy" | "none",
  path: string,
): (runs: readonly RowRun[]) => Promise<void> {
  let pending: RowRun[] = [];
  const name = `logratio_rows_${randomBytes(6).toString("hex")}`;
  engine.connection.registerTableFunction(
    DuckDBTableFunction.create({
      name,
      bindFunction: (info) => {
        for (const spec of specs) info.addResultColumn(spec.name, duckdbType(spec));
      },
      initFunction: (info) => {
        info.setMaxThreads(1);
      },
      mainFunction: (_, chunk) => {
        const run = pending.shift();
        if (run === undefined) chunk.rowCount = 0;
        else fillChunk(chunk, specs, run.batch, run.start, run.end);
      },
    }),
  );
  const codec = compression === "none" ? "uncompressed" : compression;
  const sql = `COPY (FROM ${name}()) TO '${part.replaceAll("'", "''")}'
    (FORMAT parquet, COMPRESSION ${codec}, ROW_GROUP_SIZE ${2 * ROW_GROUP_ROWS}, WRITE_BLOOM_FILTER false)`;
  return async (runs) => {
    pending = runs.flatMap(({ batch, start, end }) =>
      Array.from({ length: Math.ceil((end - start) / VECTOR_ROWS) }, (_, i) => {
        const from = start + i * VECTOR_ROWS;
        return { batch, start: from, end: Math.min(from + VECTOR_ROWS, end) };
      }),
    );
    try {
      await engine.connection.run(sql);
    } catch (cause) {
      throw duckdbWriteError(cause, path);
    }
  };
}
