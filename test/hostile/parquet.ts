/**
 * Parquet files of a few kilobytes whose pages or footers claim more than there is.
 *
 * @module
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { CHUNK, COLUMN, FILE, GROUP } from "../../src/input/readers/parquet/footer.ts";
import {
  integerValue,
  readThrift,
  structAt,
  structsAt,
  type ThriftStruct,
  type ThriftValue,
  writeThrift,
} from "../../src/input/readers/parquet/thrift.ts";
import type { HostileFile } from "./hostile-file.ts";

/** The file that DuckDB writes for a query. */
async function writeParquet(query: string): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "logratio-hostile-parquet-"));
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  try {
    const connection = await instance.connect();
    const path = join(folder, "made.parquet");
    await connection.run(
      `COPY (${query}) TO '${path}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 20480)`,
    );
    connection.closeSync();
    return await readFile(path);
  } finally {
    instance.closeSync();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Rows of lists that repeat one value, which run-length encoding shrinks to almost nothing. */
function lists(length: number, rows: number): Promise<Buffer> {
  const list = (value: number): string => `list_resize([]::FLOAT[], ${length}, ${value}::FLOAT)`;
  return writeParquet(
    `SELECT ${list(-1)} AS rollout_log_probs, ${list(-1.5)} AS old_log_probs FROM range(${rows})`,
  );
}

const sound = (): Promise<Buffer> =>
  writeParquet(
    "SELECT [-1::FLOAT, -2] AS rollout_log_probs, [-1.5::FLOAT, -2] AS old_log_probs FROM range(10)",
  );

/** The same pages under a changed footer. */
function underFooter(file: Buffer, change: (footer: Map<number, ThriftValue>) => void): Uint8Array {
  const start = file.length - 8 - file.readUInt32LE(file.length - 8);
  const fields = new Map(readThrift(file.subarray(start)));
  change(fields);
  const footer = writeThrift(fields);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(footer.length);
  return Buffer.concat([file.subarray(0, start), footer, size, Buffer.from("PAR1")]);
}

function changeColumns(footer: ThriftStruct, change: (column: Map<number, ThriftValue>) => void): void {
  for (const group of structsAt(footer, FILE.rowGroups)) {
    for (const chunk of structsAt(group, GROUP.columns)) {
      change(structAt(chunk, CHUNK.metadata) as Map<number, ThriftValue>);
    }
  }
}

const understated = async (file: Promise<Buffer>): Promise<Uint8Array> =>
  underFooter(await file, (footer) =>
    changeColumns(footer, (column) => {
      column.set(COLUMN.values, integerValue(8));
      column.set(COLUMN.uncompressed, integerValue(100));
    }),
  );

export const HOSTILE_PARQUET: readonly HostileFile[] = [
  {
    name: "10-million-values-declared-as-8.parquet",
    make: () => understated(lists(2_500_000, 4)),
    expect: { exit: 3, says: /cannot be decoded: Mismatch in parquet read|needs more memory than its limit/ },
  },
  {
    name: "more-rows-than-groups.parquet",
    make: async () =>
      underFooter(await sound(), (footer) => {
        footer.set(FILE.rows, integerValue(1_000_000_000));
      }),
    expect: { exit: 3, says: /declares 1000000000 rows, its row groups 10/ },
  },
  {
    name: "a-billion-rows-in-a-group.parquet",
    make: async () =>
      underFooter(await sound(), (footer) => {
        footer.set(FILE.rows, integerValue(1_000_000_000));
        for (const group of structsAt(footer, FILE.rowGroups)) {
          (group as Map<number, ThriftValue>).set(GROUP.rows, integerValue(1_000_000_000));
        }
      }),
    expect: { exit: 3, says: /parquet/ },
  },
  {
    name: "pages-beyond-the-file.parquet",
    make: async () =>
      underFooter(await sound(), (footer) =>
        changeColumns(footer, (column) => {
          for (const at of [COLUMN.dataPage, COLUMN.dictionaryPage]) column.set(at, integerValue(2 ** 40));
        }),
      ),
    expect: { exit: 3, says: /parquet/ },
  },
];
