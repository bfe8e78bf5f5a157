import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openParquet } from "../../../input/readers/parquet/index.ts";
import { writeTable } from "./parquet.ts";

const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

test("rows come back with their types, numbers that JSON has not among them", async () => {
  const rows = [
    { handle: "s1.q0", delta: 0.5, right: true, note: 1 },
    { handle: "s1.q1", delta: "NaN", right: null, note: "x" },
    { handle: null, delta: "-Infinity", right: false },
  ];
  const directory = await mkdtemp(join(tmpdir(), "parquet-rows-"));
  try {
    const file = join(directory, "t.parquet");
    await writeTable({ json: encode(rows), file });
    const document = await openParquet(file);
    expect(document.sample).toEqual([
      { handle: "s1.q0", delta: 0.5, right: true, note: "1" },
      { handle: "s1.q1", delta: Number.NaN, right: null, note: "x" },
      { handle: null, delta: Number.NEGATIVE_INFINITY, right: false, note: null },
    ]);
    await document.close();
  } finally {
    await rm(directory, { recursive: true });
  }
});

test("names that objects have by themselves are names of columns like any other", async () => {
  const names = ["__proto__", "constructor", "toString"];
  const rows = `[{"a":1},{${names.map((name) => `"${name}":7`).join(",")}}]`;
  const directory = await mkdtemp(join(tmpdir(), "parquet-names-"));
  try {
    const file = join(directory, "t.parquet");
    await writeTable({ json: new TextEncoder().encode(rows), file });
    const document = await openParquet(file);
    const values: unknown[] = [];
    for await (const chunk of document.chunks())
      for (let row = 0; row < chunk.length; row++)
        values.push(["a", ...names].map((name) => chunk.get(row, name)));
    expect(values).toEqual([
      [1, null, null, null],
      [null, 7, 7, 7],
    ]);
    await document.close();
  } finally {
    await rm(directory, { recursive: true });
  }
});

test.each([[[]], [{}], [[1]], [[{ a: { b: 1 } }]], [null]])("%j is refused", async (value) => {
  await expect(writeTable({ json: encode(value), file: "/nowhere/t.parquet" })).rejects.toMatchObject({
    _tag: "UsageError",
  });
});
