import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DuckDBPreparedStatement } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, describe, expect, test, vi } from "vitest";
import { sized } from "../../../../test/support/run-size.ts";
import { isLogratioError } from "../../../core/base/errors.ts";
import type { RowMap } from "../../io/columns.ts";
import { memorySource } from "../../io/file-source.ts";
import { readFooter } from "./footer.ts";
import {
  type ColumnBatch,
  type ColumnSpec,
  isParquet,
  openParquet,
  type WriteParquetOptions,
  writeParquet,
} from "./index.ts";
import type { ParquetOptions } from "./rows.ts";
import { readThrift, writeThrift } from "./thrift.ts";

const scratch = mkdtempSync(join(tmpdir(), "parquet-test-"));
afterAll(() => rmSync(scratch, { recursive: true }));
let files = 0;
const newPath = (): string => join(scratch, `${files++}.parquet`);
const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../../test/fixtures/parquet/${name}`, import.meta.url));

async function* each(batches: readonly ColumnBatch[]): AsyncGenerator<ColumnBatch> {
  yield* batches;
}

async function write(
  specs: readonly ColumnSpec[],
  batches: readonly ColumnBatch[],
  options?: WriteParquetOptions,
): Promise<string> {
  const path = newPath();
  await writeParquet(path, specs, each(batches), options);
  return path;
}

async function readAll(
  path: string,
  options?: ParquetOptions,
): Promise<{ rows: RowMap[]; chunks: number[] }> {
  const document = await openParquet(path, options);
  const rows: RowMap[] = [];
  const chunks: number[] = [];
  for await (const chunk of document.chunks()) {
    expect(chunk.firstRow).toBe(rows.length);
    for (let i = 0; i < chunk.length; i++) {
      rows.push(Object.fromEntries(chunk.names(i).map((name) => [name, chunk.get(i, name)!])));
    }
    chunks.push(chunk.length);
  }
  await document.close();
  return { rows, chunks };
}

/** What an error says, in one object. */
async function failure(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    if (!isLogratioError(error)) throw error;
    const { _tag, message, at, likely, hint } = error;
    return { _tag, message, at, ...(likely && { likely }), ...(hint && { hint }) };
  }
  throw new Error("nothing failed");
}

const specs: ColumnSpec[] = [
  { name: "step", type: "int32" },
  { name: "id", type: "int64" },
  { name: "reward", type: "float64" },
  { name: "small", type: "float32" },
  { name: "ok", type: "bool" },
  { name: "uid", type: "string" },
  { name: "lp", type: { list: "float32" } },
  { name: "wide", type: { list: "float64" } },
  { name: "ids", type: { list: "int32" } },
  { name: "mask", type: { list: "uint8" } },
  { name: "top", type: { list: "int32", inner: 3 } },
  { name: "topLp", type: { list: "float32", inner: 3 } },
];

interface Row {
  readonly tokens: readonly number[];
  readonly top: readonly (readonly [number, number, number])[];
  readonly uid: string | null;
  readonly there: boolean;
}

function makeBatch(rows: readonly Row[], first: number): ColumnBatch {
  const length = rows.length;
  const offsets = (count: (row: Row) => number): Int32Array => {
    const sums = new Int32Array(length + 1);
    rows.forEach((row, i) => {
      sums[i + 1] = sums[i]! + count(row);
    });
    return sums;
  };
  const valid = Uint8Array.from(rows, ({ there }) => (there ? 1 : 0));
  const tokens = rows.flatMap((row) => row.tokens);
  const top = rows.flatMap((row) => row.top).flat();
  const lists = { offsets: offsets((row) => row.tokens.length) };
  const tops = { offsets: offsets((row) => row.top.length) };
  return {
    length,
    columns: [
      { values: Int32Array.from(rows, (_, i) => first + i) },
      { values: Float64Array.from(rows, (_, i) => 2 ** 53 - 1 - first - i) },
      { values: Float64Array.from(rows, (_, i) => (i % 3 === 0 ? NaN : i / 7)), valid },
      { values: Float32Array.from(rows, (_, i) => i / 8), valid },
      { values: Uint8Array.from(rows, (_, i) => i % 2) },
      { values: rows.map(({ uid }) => uid) },
      { values: Float32Array.from(tokens), ...lists, valid },
      { values: Float64Array.from(tokens), ...lists },
      { values: Int32Array.from(tokens, Math.trunc), ...lists },
      { values: Uint8Array.from(tokens, (t) => (t > 0 ? 1 : 0)), ...lists },
      { values: Int32Array.from(top, Math.trunc), ...tops },
      { values: Float32Array.from(top), ...tops, valid },
    ],
  };
}

/** The row that reading must return. */
function expectedRow({ tokens, top, uid, there }: Row, i: number, k: number): RowMap {
  const missing = <T>(value: T): T | null => (there ? value : null);
  return {
    step: k,
    id: 2 ** 53 - 1 - k,
    reward: missing(i % 3 === 0 ? NaN : i / 7),
    small: missing(i / 8),
    ok: i % 2 === 1,
    uid,
    lp: missing(Float32Array.from(tokens)),
    wide: Float64Array.from(tokens),
    ids: Int32Array.from(tokens, Math.trunc),
    mask: Uint8Array.from(tokens, (t) => (t > 0 ? 1 : 0)),
    top: top.map((three) => Int32Array.from(three, Math.trunc)),
    topLp: missing(top.map((three) => Float32Array.from(three))),
  };
}

const value = fc.oneof(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), fc.constantFrom(0, 0.5, -0.25));
const row: fc.Arbitrary<Row> = fc.record({
  tokens: fc.array(value, { maxLength: 9 }),
  top: fc.array(fc.tuple(value, value, value), { maxLength: 4 }),
  uid: fc.option(fc.string({ unit: "grapheme" }), { nil: null }),
  there: fc.boolean(),
});

describe("writeParquet", () => {
  test("writes what openParquet reads, for any rows, batches and row groups", async () => {
    const batches = fc.array(fc.array(row, { maxLength: 12 }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(batches, fc.integer({ min: 1, max: 40 }), async (given, rowGroupTokens) => {
        let first = 0;
        const written = given.map((rows) => {
          first += rows.length;
          return makeBatch(rows, first - rows.length);
        });
        const path = await write(specs, written, {
          rowGroupTokens,
          compression: "snappy",
          metadata: { a: "π" },
        });
        if (first === 0) {
          expect(await failure(openParquet(path))).toMatchObject({ _tag: "EmptyInputError" });
          return;
        }
        const expected = given.flatMap((rows) => rows.map((one, i) => ({ one, i })));
        const { rows } = await readAll(path);
        expect(rows).toEqual(expected.map(({ one, i }, k) => expectedRow(one, i, k)));
      }),
      { numRuns: sized(6, 25) },
    );
  });

  test.each(["zstd", "snappy", "none"] as const)(
    "compresses with %s, and bounds its row groups by tokens",
    async (compression) => {
      const length = 300;
      const offsets = Int32Array.from({ length: length + 1 }, (_, i) => i * 100);
      const batch: ColumnBatch = {
        length,
        columns: [{ values: Float32Array.from({ length: 30_000 }, (_, i) => -1 / (i + 1)), offsets }],
      };
      const path = await write([{ name: "lp", type: { list: "float32" } }], [batch, batch], {
        compression,
        rowGroupTokens: 4500,
        metadata: { "logratio.version": "1", "quote's": '"' },
      });
      const bytes = readFileSync(path);
      const footer = await readFooter(memorySource(path, bytes));
      expect(footer.rowGroups.map((group) => group.rows)).toEqual([...Array(13).fill(45), 15]);
      expect(footer.metadata).toEqual({ "logratio.version": "1", "quote's": '"' });
      expect(isParquet(bytes.subarray(0, 8), bytes.subarray(-8))).toBe(true);
      const { rows, chunks } = await readAll(path);
      expect(rows.length).toBe(600);
      expect(rows[599]!.lp).toEqual((batch.columns[0]!.values as Float32Array).subarray(29_900));
      expect(Math.max(...chunks)).toBeLessThanOrEqual(45);
    },
  );

  test("replaces a file only when it is whole, and leaves nothing else behind", async () => {
    const directory = join(scratch, "whole");
    mkdirSync(directory);
    const path = join(directory, "a'b.parquet");
    writeFileSync(path, "before");
    async function* failing(): AsyncGenerator<ColumnBatch> {
      yield { length: 1, columns: [{ values: Int32Array.of(1) }] };
      throw new Error("the trainer is gone");
    }
    await expect(writeParquet(path, [{ name: "a", type: "int32" }], failing())).rejects.toThrow(
      "the trainer is gone",
    );
    expect([readdirSync(directory), readFileSync(path, "utf8")]).toEqual([["a'b.parquet"], "before"]);
    await writeParquet(
      path,
      [{ name: "a", type: "int32" }],
      each([{ length: 1, columns: [{ values: Int32Array.of(7) }] }]),
    );
    expect(readdirSync(directory)).toEqual(["a'b.parquet"]);
    expect((await readAll(path)).rows).toEqual([{ a: 7 }]);
  });

  test("keeps strings as they are, zero bytes included", async () => {
    const texts = ["", "a\0b", "longer than twelve bytes, with \0 in it", "π😀", undefined, null];
    const path = await write(
      [{ name: "text", type: "string" }],
      [{ length: 6, columns: [{ values: texts }] }],
    );
    expect((await readAll(path)).rows.map(({ text }) => text)).toEqual([...texts.slice(0, 4), null, null]);
  });

  test("reads on from the right row where a column has DuckDB's own name for it", async () => {
    const values = Int32Array.from({ length: 5000 }, (_, i) => i % 3);
    const path = await write(
      [{ name: "file_row_number", type: "int32" }],
      [{ length: 5000, columns: [{ values }] }],
    );
    const { rows } = await readAll(path);
    expect(rows.map((one) => one.file_row_number)).toEqual(Array.from(values));
  });

  test("has all its rows where it was opened for its sample", async () => {
    const values = Int32Array.from({ length: 5000 }, (_, i) => i % 7);
    for (const name of ["a", "file_row_number"]) {
      const path = await write([{ name, type: "int32" }], [{ length: 5000, columns: [{ values }] }]);
      const { rows, chunks } = await readAll(path, { forSample: true });
      expect(rows.map((one) => one[name])).toEqual(Array.from(values));
      // The rows of the sample come first; those around it are decoded again.
      expect(chunks[0]).toBe(8);
      expect((await readAll(path)).chunks[0]).toBe(2048);
    }
  });

  test("tells once that its first rows are being decoded, while they are", async () => {
    const values = new Int32Array(5000);
    const path = await write([{ name: "a", type: "int32" }], [{ length: 5000, columns: [{ values }] }]);
    const told: string[] = [];
    const { stream } = DuckDBPreparedStatement.prototype;
    const spy = vi.spyOn(DuckDBPreparedStatement.prototype, "stream").mockImplementation(async function (
      this: DuckDBPreparedStatement,
    ) {
      told.push("asked");
      const result = await stream.call(this);
      told.push("answered");
      return result;
    });
    const document = await openParquet(path, { forSample: true, onDecoding: () => told.push("decoding") });
    for await (const _ of document.chunks());
    await document.close();
    spy.mockRestore();
    expect(told).toEqual(["asked", "decoding", "answered", "asked", "answered"]);
  });

  const lp: ColumnSpec = { name: "lp", type: { list: "float32" } };
  const ten = new Float32Array(10);
  test.each<[string, ColumnSpec, ColumnBatch["columns"][number], string, string]>([
    [
      "too few values",
      { name: "a", type: "int32" },
      { values: Int32Array.of(1) },
      "LengthMismatchError",
      "column a: 1 values for 2 rows",
    ],
    [
      "no offsets",
      lp,
      { values: ten },
      "LengthMismatchError",
      "column lp: 0 offsets for 2 rows; there must be one more than rows",
    ],
    [
      "falling offsets",
      lp,
      { values: ten, offsets: [0, 5, 4] },
      "LengthMismatchError",
      "column lp: offset 2 is 4, below the one before it, 5",
    ],
    [
      "offsets past the values",
      lp,
      { values: ten, offsets: [0, 5, 11] },
      "LengthMismatchError",
      "column lp: the offsets need 11 values, found 10",
    ],
    [
      "validity of another length",
      lp,
      { values: ten, offsets: [0, 1, 2], valid: Uint8Array.of(1) },
      "LengthMismatchError",
      "column lp: 1 validity bytes for 2 rows",
    ],
    [
      "a fraction",
      { name: "a", type: "int64" },
      { values: Float64Array.of(1, 1.5) },
      "SchemaError",
      "column a: 1.5 is not of type int64",
    ],
    [
      "a number above int32",
      { name: "a", type: "int32" },
      { values: Float64Array.of(2 ** 31, 1) },
      "SchemaError",
      "column a: 2147483648 is not of type int32",
    ],
    [
      "numbers for text",
      { name: "a", type: "string" },
      { values: Int32Array.of(1, 2) },
      "SchemaError",
      "column a: values of type string are needed",
    ],
    [
      "a missing value",
      { name: "a", type: "string", nullable: false },
      { values: ["a", null] },
      "SchemaError",
      "column a has no value in row 1",
    ],
    [
      "a mask of 2",
      { name: "a", type: { list: "uint8" } },
      { values: Int32Array.of(0, 256), offsets: [0, 1, 2] },
      "SchemaError",
      "column a: 256 is not of type uint8",
    ],
  ])("refuses %s", async (_, spec, column, tag, message) => {
    expect(await failure(write([spec], [{ length: 2, columns: [column] }]))).toMatchObject({
      _tag: tag,
      message,
    });
  });

  test("refuses two columns with one name, no columns, and batches with other columns", async () => {
    const a: ColumnSpec = { name: "a", type: "int32" };
    expect(await failure(write([a, { name: "A", type: "string" }], []))).toMatchObject({
      message: "two columns are named A",
    });
    expect(await failure(write([], []))).toMatchObject({
      message: "a parquet file needs at least one column",
    });
    expect(await failure(write([a], [{ length: 0, columns: [] }]))).toMatchObject({
      _tag: "LengthMismatchError",
      message: "the batch has 0 columns, 1 are specified",
    });
  });
});

describe("openParquet", () => {
  test("hands out chunks within its budget, and one row where a row is larger", async () => {
    const { rows } = await readAll(fixture("long.parquet"));
    for (const chunkBytes of [1, 20_000, 1 << 30]) {
      const read = await readAll(fixture("long.parquet"), { chunkBytes });
      expect(read.rows.length).toBe(rows.length);
      if (chunkBytes === 1) expect(new Set(read.chunks)).toEqual(new Set([1]));
      else expect(Math.max(...read.chunks)).toBe(chunkBytes === 20_000 ? read.chunks[0] : 2048);
    }
  });

  test("hands out values that outlive their chunk", async () => {
    const document = await openParquet(fixture("long.parquet"));
    const kept: unknown[] = [];
    for await (const chunk of document.chunks({ columns: ["ids"] })) kept.push(chunk.get(0, "ids"));
    await document.close();
    const { rows, chunks } = await readAll(fixture("long.parquet"));
    const firsts = chunks.map((_, i) => chunks.slice(0, i).reduce((a, b) => a + b, 0));
    expect(kept).toEqual(firsts.map((first) => rows[first]!.ids));
  });

  test("reads a path that looks like a pattern, a partition or an address", async () => {
    const directory = join(scratch, "step=3", "[a]*?{b}");
    mkdirSync(directory, { recursive: true });
    for (const name of ["x[1]?.parquet", "it's.parquet", "https:x.parquet"]) {
      writeFileSync(join(directory, name), readFileSync(fixture("metadata.parquet")));
      expect((await readAll(join(directory, name))).rows).toEqual([{ a: 1 }]);
    }
  });

  test("reads several files at once, and the rows once", async () => {
    const documents = await Promise.all([1, 2, 3].map(() => openParquet(fixture("row_groups.parquet"))));
    const counts = await Promise.all(
      documents.map(async (document) => {
        let count = 0;
        for await (const chunk of document.chunks()) count += chunk.length;
        return count;
      }),
    );
    expect(counts).toEqual([200, 200, 200]);
    await expect(documents[0]!.chunks().next()).rejects.toThrow("were requested twice");
    for (const document of documents) {
      await document.close();
      await document.close();
    }
  });

  test("can be left in the middle", async () => {
    const document = await openParquet(fixture("long.parquet"), { chunkBytes: 10_000 });
    for await (const chunk of document.chunks()) if (chunk.firstRow > 2100) break;
    await document.close();
  });

  test("gives rows without values when none of the columns is there", async () => {
    const document = await openParquet(fixture("long.parquet"));
    let rows = 0;
    for await (const chunk of document.chunks({ columns: ["nothing"] })) {
      expect([chunk.names(0), chunk.get(0, "nothing"), chunk.get(0, "row")]).toEqual([
        [],
        undefined,
        undefined,
      ]);
      rows += chunk.length;
    }
    expect(rows).toBe(4500);
    await document.close();
  });

  const good = readFileSync(fixture("codec_zstd.parquet"));
  const put = (bytes: Uint8Array): string => {
    const path = newPath();
    writeFileSync(path, bytes);
    return path;
  };
  const cutOff = {
    likely: "the file was still being written or copied; Parquet writes its table of contents last",
    hint: "wait until its writer has closed it, or copy it again",
  };

  test.each([
    [
      "nothing",
      Buffer.alloc(0),
      { _tag: "FormatError", message: 'not parquet: the 0 bytes do not start with "PAR1"' },
    ],
    [
      "another format",
      Buffer.from('{"a": 1}\n'),
      { _tag: "FormatError", message: 'not parquet: the 9 bytes do not start with "PAR1"' },
    ],
    [
      "only the start",
      Buffer.from("PAR1"),
      {
        _tag: "FormatError",
        message: 'parquet file is cut off: its 4 bytes do not end with a footer and "PAR1"',
        ...cutOff,
      },
    ],
    [
      "all but the end",
      good.subarray(0, -1),
      {
        _tag: "FormatError",
        message: `parquet file is cut off: its ${good.length - 1} bytes do not end with a footer and "PAR1"`,
        ...cutOff,
      },
    ],
    [
      "an encrypted footer",
      Buffer.from("PARE1234567890PARE"),
      { _tag: "UnsupportedError", message: "the parquet file is encrypted" },
    ],
    [
      "a footer of 4 GB",
      Buffer.concat([good.subarray(0, -8), Buffer.from([0xff, 0xff, 0xff, 0xff]), good.subarray(-4)]),
      {
        _tag: "FormatError",
        message: `parquet footer is damaged: it declares 4294967295 bytes, the file has ${good.length}`,
      },
    ],
    [
      "zeros for a footer",
      Buffer.concat([Buffer.from("PAR1"), Buffer.alloc(20), Buffer.from([20, 0, 0, 0]), Buffer.from("PAR1")]),
      { _tag: "FormatError", message: "parquet footer is damaged: it has no schema or no row count" },
    ],
    [
      "a list of 2^31 items",
      Buffer.concat([
        Buffer.from("PAR1"),
        Buffer.from([0x29, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 7, 0, 0, 0]),
        Buffer.from("PAR1"),
      ]),
      {
        _tag: "FormatError",
        message: "parquet footer is damaged: it declares a list of 2147483647 items, 0 bytes are there",
      },
    ],
    [
      "structs without end",
      Buffer.concat([
        Buffer.from("PAR1"),
        Buffer.alloc(1000, 0x1c),
        Buffer.from([0xe8, 3, 0, 0]),
        Buffer.from("PAR1"),
      ]),
      { _tag: "FormatError", message: "parquet footer is damaged: it nests more than 32 deep" },
    ],
    [
      "no rows",
      readFileSync(fixture("no_rows.parquet")),
      { _tag: "EmptyInputError", message: "the parquet file has no rows" },
    ],
  ])("refuses %s", async (_, bytes, error) => {
    expect(await failure(openParquet(put(bytes)))).toMatchObject(error);
  });

  test("refuses a file that is not there", async () => {
    expect(await failure(openParquet(join(scratch, "none.parquet")))).toMatchObject({
      _tag: "NotFoundError",
    });
  });

  test("says so of a file that is damaged anywhere, and never crashes", async () => {
    const start = (await readFooter(memorySource("good", good))).start;
    for (let i = 4; i < good.length - 8; i += i < start ? 37 : 11) {
      const bytes = Buffer.from(good);
      bytes[i]! ^= 0xff;
      try {
        await readAll(put(bytes));
      } catch (error) {
        expect(isLogratioError(error), `${i}: ${error}`).toBe(true);
      }
    }
  });

  test("names what DuckDB finds wrong with a page", async () => {
    const bytes = Buffer.from(good);
    bytes.fill(0xff, 4, 60);
    expect(await failure(readAll(put(bytes)))).toMatchObject({
      _tag: "FormatError",
      message: expect.stringMatching(/^parquet data cannot be decoded: ./),
      likely: "the file was damaged in a copy, or was rewritten while it was read",
    });
  });

  test("refuses to decode more at once than its limit", async () => {
    expect(await failure(openParquet(fixture("long.parquet"), { maxVectorBytes: 100_000 }))).toEqual({
      _tag: "LimitError",
      message: expect.stringMatching(
        /^2048 rows of row group 0 take \d+ bytes decoded; the limit is 100000$/,
      ),
      at: { file: fixture("long.parquet") },
      likely: "the file was written with large row groups and holds long sequences",
      hint: "rewrite it with smaller row groups (pyarrow: row_group_size=64), or raise the limit if there is memory: --memory (MiB)",
    });
  });
});

describe("the footer", () => {
  test("is the same after it was read and written", () => {
    for (const name of readdirSync(fixture(".")).filter((file) => file.endsWith(".parquet"))) {
      const bytes = readFileSync(fixture(name));
      const length = bytes.readUInt32LE(bytes.length - 8);
      const footer = bytes.subarray(bytes.length - 8 - length, bytes.length - 8);
      expect(Buffer.from(writeThrift(readThrift(footer))).equals(footer), name).toBe(true);
    }
  });

  test("that is cut off says so, wherever it is cut", () => {
    const footer = good();
    for (let length = 0; length < footer.length; length++) {
      expect(() => readThrift(footer.subarray(0, length))).toThrow(/^it (ends after|declares a)/);
    }
    function good(): Buffer {
      const bytes = readFileSync(fixture("lists.parquet"));
      return bytes.subarray(bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8), bytes.length - 8);
    }
  });
});
