import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openParquet } from "../../../input/readers/index.ts";
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

test.each([[[]], [{}], [[1]], [[{ a: { b: 1 } }]], [null]])("%j is refused", async (value) => {
  await expect(writeTable({ json: encode(value), file: "/nowhere/t.parquet" })).rejects.toMatchObject({
    _tag: "UsageError",
  });
});
