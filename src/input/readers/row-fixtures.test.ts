import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { RowDocument, RowMap, TreeValue } from "../io/columns.ts";
import { type ByteStream, decompress } from "../io/decompress.ts";
import { openFile } from "../io/file-source.ts";
import { openJsonDocument } from "./json/open.ts";
import { openJsonl } from "./json/rows.ts";
import { openJson } from "./json/tree.ts";
import { openParquet } from "./parquet/index.ts";

/** The values that a fixture's producer put in, with the rows given `repeat` times. */
interface Expected {
  readonly kind: "jsonl" | "array" | "object" | "parquet" | "bytes";
  readonly rows: readonly unknown[];
  readonly repeat: number;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly length?: number;
  readonly sha256?: string;
}

interface Fixture {
  readonly name: string;
  readonly path: string;
  readonly expected: Expected;
}

function fixtures(folder: string): Fixture[] {
  const directory = fileURLToPath(new URL(`../../../test/fixtures/${folder}`, import.meta.url));
  return readdirSync(directory)
    .filter((file) => !file.includes(".expected") && !file.startsWith("no_rows"))
    .map((file) => {
      const stem = join(directory, file.split(".")[0]!);
      const text = existsSync(`${stem}.expected`)
        ? readFileSync(`${stem}.expected`, "utf8")
        : gunzipSync(readFileSync(`${stem}.expected.gz`)).toString("utf8");
      return { name: file, path: join(directory, file), expected: JSON.parse(text) as Expected };
    });
}

function printNumber(value: number): number | string {
  return Number.isFinite(value) && !Object.is(value, -0)
    ? value
    : Object.is(value, -0)
      ? "-0"
      : String(value);
}

/** A value in the form of the fixtures' expected files. */
function print(value: TreeValue): unknown {
  if (typeof value === "number") return { number: printNumber(value) };
  if (value === null || typeof value !== "object") return value;
  if (ArrayBuffer.isView(value)) {
    return { [value.constructor.name]: Array.from(value as Float64Array, printNumber) };
  }
  if (Array.isArray(value)) return value.map((item: TreeValue) => print(item));
  return {
    map: Object.fromEntries(Object.entries(value).map(([name, item]) => [name, print(item as TreeValue)])),
  };
}

async function readRows(document: RowDocument, columns?: readonly string[]): Promise<unknown[]> {
  const rows: unknown[] = [];
  for await (const chunk of document.chunks({
    ...(columns && { columns }),
    onBadRow: (bad) => rows.push(bad),
  })) {
    expect(chunk.firstRow).toBe(rows.length);
    for (let i = 0; i < chunk.length; i++) {
      const row: RowMap = Object.fromEntries(chunk.names(i).map((name) => [name, chunk.get(i, name)!]));
      rows.push(print(row));
    }
  }
  return rows;
}

function repeated({ rows, repeat }: Expected): unknown[] {
  return Array.from({ length: repeat }, () => rows).flat();
}

/** The file as a stream that arrives in pieces of `size` bytes. */
function inPieces(path: string, size: number): ByteStream {
  const bytes = readFileSync(path);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
  }
  return { name: basename(path), bytes: pieces() };
}

describe("JSON files", () => {
  for (const { name, path, expected } of fixtures("json")) {
    if (expected.kind === "bytes") {
      test.each([1, 1000, 1 << 20])(`${name}, in pieces of %i bytes`, async (size) => {
        const hash = createHash("sha256");
        let length = 0;
        for await (const chunk of decompress(inPieces(path, size))) {
          hash.update(chunk);
          length += chunk.length;
        }
        expect({ length, sha256: hash.digest("hex") }).toEqual({
          length: expected.length,
          sha256: expected.sha256,
        });
      });
      continue;
    }
    test(name, async () => {
      const source = await openFile(path);
      const document = await openJsonDocument(source);
      if (document.kind === "tree") {
        expect([expected.kind, print(document.root)]).toEqual(["object", expected.rows[0]]);
      } else {
        expect(document.format).toBe(expected.kind === "array" ? "json" : "jsonl");
        expect(document.sample.map(print)).toEqual(repeated(expected).slice(0, document.sample.length));
        expect(await readRows(document)).toEqual(repeated(expected));
      }
      await source.close();
    });
    test.each([1, 7, 64])(`${name}, in pieces of %i bytes`, async (size) => {
      if (expected.repeat > 1 && size < 64) return;
      const stream = inPieces(path, size);
      if (expected.kind === "object") expect(print((await openJson(stream)).root)).toEqual(expected.rows[0]);
      else expect(await readRows(await openJsonl(stream))).toEqual(repeated(expected));
    });
  }
});

describe("Parquet files", () => {
  for (const { name, path, expected } of fixtures("parquet")) {
    test(name, async () => {
      const document = await openParquet(path);
      expect(document.metadata).toEqual(expected.metadata);
      expect(document.sample.map(print)).toEqual(expected.rows.slice(0, document.sample.length));
      expect(await readRows(document)).toEqual(expected.rows);
      await document.close();
    });
    test(`${name}, a column at a time in small chunks`, async () => {
      const names = Object.keys((expected.rows[0] as { map: object }).map);
      for (const column of names.slice(0, 6)) {
        const document = await openParquet(path, { chunkBytes: 5000 });
        const wanted = expected.rows.map((row) => {
          return { map: { [column]: (row as { map: Record<string, unknown> }).map[column] } };
        });
        expect(await readRows(document, [column, "no such column"])).toEqual(wanted);
        await document.close();
      }
    });
  }
});
