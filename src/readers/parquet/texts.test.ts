import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { LimitError } from "../../base/errors.ts";
import { openParquet } from "./index.ts";

it("counts a text at each row that names it, though the file holds it once", async () => {
  const folder = await mkdtemp(join(tmpdir(), "logratio-parquet-texts-"));
  try {
    const path = join(folder, "texts.parquet");
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    await connection.run(
      `COPY (SELECT repeat('x', 1000) AS text FROM range(2000)) TO '${path}' (FORMAT parquet)`,
    );
    const read = async (maxVectorBytes: number): Promise<number> => {
      const document = await openParquet(path, { maxVectorBytes });
      let length = 0;
      try {
        for await (const chunk of document.chunks())
          for (let i = 0; i < chunk.length; i++) length += (chunk.get(i, "text") as string).length;
      } finally {
        await document.close();
      }
      return length;
    };
    expect(await read(2 ** 21)).toBe(2_000_000);
    await expect(read(2 ** 20)).rejects.toThrow(LimitError);
    instance.closeSync();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
