/**
 * Parquet, read and written through DuckDB. DuckDB's library is loaded on first use, because that takes 0.2 s.
 *
 * @module
 */
import type { RowDocument } from "../../io/columns.ts";
import type { ParquetOptions } from "./rows.ts";
import type { ColumnBatch, ColumnSpec } from "./schema.ts";
import type { WriteParquetOptions } from "./write.ts";

export { brokenChecksum } from "./checksum.ts";
export { isParquet } from "./footer.ts";
export type { ParquetOptions } from "./rows.ts";
export type { ColumnBatch, ColumnData, ColumnSpec, ElementType, ListType, ScalarType } from "./schema.ts";
export type { WriteParquetOptions } from "./write.ts";

/** See `openParquet` in rows.ts. */
export async function openParquet(path: string, options: ParquetOptions = {}): Promise<RowDocument> {
  return (await import("./rows.ts")).openParquet(path, options);
}

/** See `writeParquet` in write.ts. */
export async function writeParquet(
  path: string,
  specs: readonly ColumnSpec[],
  batches: AsyncIterable<ColumnBatch>,
  options: WriteParquetOptions = {},
): Promise<void> {
  await (await import("./write.ts")).writeParquet(path, specs, batches, options);
}
