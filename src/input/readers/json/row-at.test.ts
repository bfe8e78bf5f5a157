import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { memorySource } from "../../io/file-source.ts";
import { openJsonl } from "./rows.ts";

const LONG = JSON.stringify({ at: 1, values: new Array(400_000).fill(0.5) });
const TEXT = `{"at": 0}\n${LONG}\n\n{"at": 2}\n{"at": 3}`;

test("each row is found at the offset that reading in order has told, in any order", async () => {
  const { rowAt, chunks } = await openJsonl(memorySource("a.jsonl", Buffer.from(TEXT)));
  const offsets: number[] = [];
  for await (const chunk of chunks()) for (let i = 0; i < chunk.length; i++) offsets.push(chunk.offset!(i));
  for (const place of [3, 0, 1, 2, 1]) expect((await rowAt!(offsets[place]!)).at).toBe(place);
  expect((await rowAt!(offsets[1]!)).values).toHaveLength(400_000);
});

test("an offset past the end, or within a row, is an error", async () => {
  const { rowAt } = await openJsonl(memorySource("a.jsonl", Buffer.from(TEXT)));
  await expect(rowAt!(TEXT.length)).rejects.toMatchObject({
    _tag: "FormatError",
    message: `no row begins at byte ${TEXT.length}: there are ${TEXT.length}`,
    at: { file: "a.jsonl", offset: TEXT.length },
  });
  await expect(rowAt!(3)).rejects.toMatchObject({ _tag: "FormatError" });
});

test("a row above the limit is refused", async () => {
  const options = { maxValueBytes: 1000 };
  const { rowAt } = await openJsonl(memorySource("a.jsonl", Buffer.from(TEXT)), options);
  await expect(rowAt!(10)).rejects.toMatchObject({ _tag: "LimitError" });
});

test("rows of an array, and of compressed bytes without a table, have to be read in order", async () => {
  const array = await openJsonl(memorySource("a.json", Buffer.from('[{"a": 1}]')));
  const packed = await openJsonl(memorySource("a.jsonl.gz", gzipSync(TEXT)));
  expect([array.rowAt, packed.rowAt]).toEqual([undefined, undefined]);
});

test("rows are found by what they contain, once each, also across what is read at a time", async () => {
  const pad = "x".repeat(5 << 20);
  const text = `{"a": 1, "b": 1}\n{"p": "${pad}", "a": 1}\n{"a": 2}\n{"b": {"a": 1}}`;
  const { rowsWith } = await openJsonl(memorySource("a.jsonl", Buffer.from(text)));
  const found: unknown[] = [];
  for await (const row of rowsWith!('": 1')) found.push(Object.keys(row).join());
  expect(found).toEqual(["a,b", "p,a", "b"]);
});
