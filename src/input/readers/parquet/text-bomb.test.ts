import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openParquet } from "./rows.ts";

/** A quarter of this may be texts that are decoded at once. */
const LIMIT = { maxVectorBytes: 2 ** 24 };

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "text-bomb-"));
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const write = (name: string, select: string): Promise<unknown> =>
    connection.run(`COPY (${select}) TO '${join(folder, name)}' (FORMAT parquet, COMPRESSION zstd)`);
  await write("bomb.parquet", "SELECT repeat('a', 10000) AS prompt, i FROM range(3000) t(i)");
  await write("lists.parquet", "SELECT [repeat('a', 10000)] AS prompt, i FROM range(3000) t(i)");
  await write(
    "one-long.parquet",
    "SELECT repeat('a', CASE i WHEN 7 THEN 20000 ELSE 100 END) AS prompt FROM range(3000) t(i)",
  );
  connection.closeSync();
  instance.closeSync();
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true }));

it("refuses a text that the file holds once and thousands of rows name, before it is copied", async () => {
  for (const name of ["bomb.parquet", "lists.parquet"]) {
    const file = join(folder, name);
    expect(statSync(file).size).toBeLessThan(100_000);
    await expect(openParquet(file, LIMIT)).rejects.toThrow(/the texts of 2048 rows take 20480000 bytes/);
  }
});

it("reads one long text among short ones", async () => {
  const document = await openParquet(join(folder, "one-long.parquet"), LIMIT);
  let rows = 0;
  let longest = 0;
  for await (const chunk of document.chunks()) {
    for (let i = 0; i < chunk.length; i++) longest = Math.max(longest, String(chunk.get(i, "prompt")).length);
    rows += chunk.length;
  }
  await document.close();
  expect([rows, longest]).toEqual([3000, 20_000]);
});
