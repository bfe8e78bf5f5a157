import { describe, expect, test } from "vitest";
import { isLogratioError } from "../../../core/base/errors.ts";
import { DEFAULT_MEMORY_LIMIT, setMemoryLimit } from "../../../core/base/memory-limit.ts";
import type { RowDocument, SourceDocument, TreeDocument } from "../../io/columns.ts";
import { countingSource } from "../../io/counting-source.test-data.ts";
import { memorySource } from "../../io/file-source.ts";
import { openJsonDocument } from "./open.ts";
import { openJsonl } from "./rows.ts";
import { openJson } from "./tree.ts";

const source = (text: string | Uint8Array, name = "a.json") =>
  memorySource(name, typeof text === "string" ? Buffer.from(text) : text);

/** Every row of a document, with its place. */
async function readRows(document: SourceDocument, columns?: readonly string[]): Promise<object[]> {
  const rows: object[] = [];
  for await (const chunk of (document as RowDocument).chunks(columns === undefined ? {} : { columns }))
    for (let i = 0; i < chunk.length; i++)
      rows.push({
        values: Object.fromEntries(chunk.names(i).map((name) => [name, chunk.get(i, name)])),
        row: chunk.firstRow + i,
        line: chunk.line!(i),
        offset: chunk.offset!(i),
      });
  return rows;
}

describe("a file of one object", () => {
  test("is an object whose other reading is its only row", async () => {
    const document = await openJsonDocument(source('{"a": 1, "b": "x"}'));
    expect([document.kind, document.format, document.file]).toEqual(["tree", "json", "a.json"]);
    const { otherwise } = document as TreeDocument;
    expect(otherwise).toMatchObject({
      kind: "rows",
      format: "jsonl",
      file: "a.json",
      sample: [{ a: 1, b: "x" }],
      metadata: {},
    });
    const row = { row: 0, line: 1, offset: 0 };
    expect(await readRows(otherwise!)).toEqual([{ ...row, values: { a: 1, b: "x" } }]);
    expect(await readRows(otherwise!, ["b", "toString"])).toEqual([{ ...row, values: { b: "x" } }]);
    for await (const chunk of (otherwise as RowDocument).chunks({ columns: ["b", "toString"] }))
      expect([chunk.get(0, "a"), chunk.get(0, "b"), chunk.get(0, "toString")]).toEqual([
        undefined,
        "x",
        undefined,
      ]);
    await document.close();
    await otherwise!.close();
  });

  test("whose name says JSONL is a row whose other reading is the object", async () => {
    const document = await openJsonDocument(source('{"a": 1}', "a.jsonl"));
    expect([document.kind, document.format]).toEqual(["rows", "jsonl"]);
    expect(await readRows(document)).toEqual([{ values: { a: 1 }, row: 0, line: 1, offset: 0 }]);
    expect((document as RowDocument).otherwise).toMatchObject({
      kind: "tree",
      format: "json",
      root: { a: 1 },
    });
  });

  test("longer than what is looked at first is an object too, and its file is closed with it", async () => {
    const text = `{"a": [${"1, ".repeat(50_000)}1]}`;
    const long = countingSource(source(text, "a.json"));
    const document = await openJsonDocument(long);
    expect(document.kind).toBe("tree");
    expect((document as TreeDocument).root.a).toHaveLength(50_001);
  });

  test("is rows where it has a second one, also one that cannot be read, or where rows are an array", async () => {
    for (const [text, format] of [
      ['{"a": 1}\n{"a": 2}', "jsonl"],
      ['{"a": 1}\nnonsense', "jsonl"],
      ['nonsense\n{"a": 1}', "jsonl"],
      ['[{"a": 1}]', "json"],
    ] as const) {
      const document = await openJsonDocument(source(text));
      expect([document.kind, document.format]).toEqual(["rows", format]);
      expect(document).not.toHaveProperty("otherwise");
      expect((document as RowDocument).sample).toEqual(
        text.includes("2") ? [{ a: 1 }, { a: 2 }] : [{ a: 1 }],
      );
    }
  });
});

describe("the only row", () => {
  test.each([
    ['{"a": 1}\n', { a: 1 }],
    ['{"a": 1}\n{"a": 2}\n', undefined],
    ['{"a": 1}\nnonsense\n', undefined],
    ['nonsense\n{"a": 1}\n', undefined],
  ])("of %j is %j", async (text, row) => {
    expect((await openJsonl(source(text, "a.jsonl"))).onlyRow).toEqual(row);
  });
});

describe("bytes that are not UTF-8", () => {
  const broken = (text: string): Uint8Array => Buffer.from(text, "latin1");
  test("are counted by row, the first with its place", async () => {
    const document = await openJsonl(
      source(broken('{"a": 1}\n{"a": "\xe9"}\n{"a": 2}\n{"a": "\xe9\xe9"}\n'), "a.jsonl"),
    );
    await readRows(document);
    expect(document.invalidText?.()).toEqual({ rows: 2, row: 1, line: 2, offset: 9 });
    const good = await openJsonl(source('{"a": "é"}\n', "a.jsonl"));
    await readRows(good);
    expect(good.invalidText?.()).toBeUndefined();
  });

  test("of an object are one row's", async () => {
    for (const text of ['{"a": "\xe9"}', '{"a":\n "\xe9"}']) {
      const document = await openJsonDocument(source(broken(text)));
      expect(document.kind).toBe("tree");
      expect(document.invalidText?.()).toMatchObject({ rows: 1, row: 0 });
    }
    expect((await openJson(source('{"a": "é"}'))).invalidText?.()).toBeUndefined();
  });
});

describe("rows before the first that can be read", () => {
  const bad = (count: number): string => "# comment\n".repeat(count);
  test("are passed over, up to 64 and the next, and reported in their order", async () => {
    const document = await openJsonl(source(`{"oops\n${bad(3)}{"a": 1}\n`, "a.jsonl"));
    const lines: (number | undefined)[] = [];
    for await (const _ of document.chunks({ onBadRow: ({ line }) => lines.push(line) }));
    expect(lines).toEqual([1, 2, 3, 4]);
    expect(document.sample).toEqual([{ a: 1 }]);
    expect((await openJsonl(source(`{"oops\n${bad(64)}{"a": 1}\n`, "a.jsonl"))).sample).toEqual([]);
    expect((await openJsonl(source(`{"oops\n${bad(63)}{"a": 1}\n`, "a.jsonl"))).sample).toEqual([{ a: 1 }]);
  });

  test("are all there are: the file says why, at its first row", async () => {
    await expect(openJsonl(source('{"a": nope}', "a.jsonl"))).rejects.toMatchObject({
      _tag: "FormatError",
      message: 'no row can be read: column 7: expected a value, found "n"',
      at: { file: "a.jsonl", line: 1, offset: 0 },
    });
    await expect(openJsonl(source(`# a\n# b\n`, "a.jsonl"))).rejects.toMatchObject({
      message: 'not JSON: column 1: expected "{", found "#"',
      at: { line: 1, offset: 0 },
    });
    // A file that is still being written may be followed.
    const cut = await openJsonl(source('{"a": [1', "a.jsonl"));
    expect([cut.sample, cut.onlyRow]).toEqual([[], undefined]);
    const array = await openJsonl(source('[{"a": nope}]'));
    expect(array.sample).toEqual([]);
  });
});

test("a row above the memory limit, alone in its file, says so with the file and what to do", async () => {
  setMemoryLimit(2 ** 20);
  try {
    for (const open of [openJson, openJsonl, openJsonDocument]) {
      const error: unknown = await (open as typeof openJson)(source(`{"a": "${"x".repeat(400_000)}"}`)).catch(
        (reason: unknown) => reason,
      );
      if (!isLogratioError(error, "LimitError")) throw error;
      expect(error.at.file).toBe("a.json");
      expect(error.hint).toContain("--memory");
    }
  } finally {
    setMemoryLimit(DEFAULT_MEMORY_LIMIT);
  }
});

test("chunks end after 8 MiB of text, the first after 256 KiB, whatever they hold", async () => {
  const line = `{"a": "${"x".repeat(2 ** 18 - 10)}"}\n`;
  const document = await openJsonl(source(line.repeat(80), "a.jsonl"));
  const sizes: number[] = [];
  for await (const chunk of document.chunks()) sizes.push(chunk.length);
  expect(sizes).toEqual([2, 33, 33, 12]);
});
