/**
 * DuckDB inside this process, locked down: no network, no extensions, no files except those it is given.
 *
 * @module
 */
import { join, resolve } from "node:path";
import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from "@duckdb/node-api";
import { memoryLimit } from "../../core/base/index.ts";
import { createScratch, type Scratch } from "../../input/io/index.ts";

export interface DatabaseOptions {
  /**
   * Memory that tables and queries may take before they spill to temporary files, in bytes; default the memory limit.
   */
  readonly memoryLimit?: number;
  /** Space that temporary files may take, in bytes; default nearly all that the disk has. */
  readonly spillLimit?: number | undefined;
  /** Default 2. */
  readonly threads?: number;
  /** Whether rows without ORDER BY keep the order of their file, which costs memory. Default true. */
  readonly ordered?: boolean;
  /** Files that SQL may read; default none. */
  readonly readable?: readonly string[];
}

export type Cell = string | number | boolean | null;

export interface Database {
  readonly connection: DuckDBConnection;
  /** Runs one of our own statements; no result. */
  run(sql: string, values?: readonly DuckDBValue[]): Promise<void>;
  /** Rows of one of our own queries; integers and decimals become numbers. */
  rows<T extends Readonly<Record<string, Cell>>>(sql: string, values?: readonly DuckDBValue[]): Promise<T[]>;
  /** The first row; there must be one. */
  row<T extends Readonly<Record<string, Cell>>>(sql: string, values?: readonly DuckDBValue[]): Promise<T>;
  /** One column of numbers without nulls. */
  numbers(sql: string, values?: readonly DuckDBValue[]): Promise<Float64Array>;
  close(): Promise<void>;
}

export async function openDatabase(options: DatabaseOptions = {}): Promise<Database> {
  // Also removed if the process ends early; if it is killed, the next process removes it.
  const scratch = await createScratch();
  try {
    return await openIn(scratch, options);
  } catch (error) {
    await scratch.remove();
    throw error;
  }
}

async function openIn(scratch: Scratch, options: DatabaseOptions): Promise<Database> {
  const instance = await DuckDBInstance.create(":memory:", {
    threads: String(options.threads ?? 2),
    memory_limit: `${options.memoryLimit ?? memoryLimit()}B`,
    temp_directory: join(scratch.path, "spill"),
    ...(options.spillLimit !== undefined && { max_temp_directory_size: `${options.spillLimit}B` }),
    preserve_insertion_order: String(options.ordered ?? true),
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    allow_community_extensions: "false",
  });
  const connection = await instance.connect();
  const paths = (options.readable ?? []).map((path) => sqlText(resolve(path)));
  await connection.run(`SET allowed_paths = [${paths.join(", ")}]`);
  await connection.run("SET enable_external_access = false");
  await connection.run("SET lock_configuration = true");
  const rows: Database["rows"] = async <T>(sql: string, values?: readonly DuckDBValue[]) => {
    const reader = await connection.runAndReadAll(sql, values && [...values]);
    return reader.getRowObjectsJS().map((row) => plainRow(row) as T);
  };
  return {
    connection,
    run: async (sql, values) => {
      await connection.run(sql, values && [...values]);
    },
    rows,
    row: async <T extends Readonly<Record<string, Cell>>>(sql: string, values?: readonly DuckDBValue[]) =>
      (await rows<T>(sql, values))[0]!,
    numbers: async (sql, values) => {
      const result = await connection.stream(sql, values && [...values]);
      const parts: Float64Array[] = [];
      for await (const chunk of result)
        parts.push(Float64Array.from(chunk.getColumnValues(0) as readonly number[]));
      return joined(parts);
    },
    close: async () => {
      connection.closeSync();
      instance.closeSync();
      await scratch.remove();
    },
  };
}

/** Whether DuckDB failed for lack of memory. */
export function isOutOfMemory(cause: unknown): boolean {
  return (
    cause instanceof Error &&
    /Out of Memory Error|could not allocate block|failed to (allocate|pin block)/.test(cause.message)
  );
}

/** A quoted SQL string. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A quoted SQL name. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function plainRow(row: Readonly<Record<string, unknown>>): Record<string, Cell> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === "bigint" ? Number(value) : (value as Cell),
    ]),
  );
}

function joined(parts: readonly Float64Array[]): Float64Array {
  const whole = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
