import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Hono } from "hono";
import { startThread, workerFile } from "../../../analyses/parallel/index.ts";
import { isLogratioError } from "../../../core/base/index.ts";
import { createScratch } from "../../../input/io/index.ts";
import { limitBody } from "./limit-body.ts";
import { type TableTask, writeTable } from "./parquet.ts";
import { BINARY_TYPE, refuse } from "./reply.ts";

const MOST_TABLE_BYTES = 2 ** 27;

/** `POST parquet`: rows of any table of the page as a file. */
export function parquetAnswer(app: Hono): void {
  app.post("/parquet", limitBody(MOST_TABLE_BYTES), async (c) => {
    try {
      const bytes = await inTurn(async () => writeParquet(new Uint8Array(await c.req.arrayBuffer())));
      return c.body(new Uint8Array(bytes).buffer, 200, {
        "content-type": BINARY_TYPE,
        "cache-control": "no-store",
      });
    } catch (error) {
      if (isLogratioError(error, "LimitError")) return refuse(c, 413, error.message);
      if (isLogratioError(error, "UsageError")) return refuse(c, 400, error.message);
      throw error;
    }
  });
}

let last: Promise<unknown> = Promise.resolve();

/** One table at a time: each may take half a gigabyte. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const next = last.then(work, work);
  last = next.catch(() => {});
  return next;
}

/** The file of a table. This thread owns the directory, and removes it if the process is ended meanwhile. */
async function writeParquet(json: Uint8Array): Promise<Uint8Array> {
  const scratch = await createScratch();
  try {
    const file = join(scratch.path, "table.parquet");
    await writeApart({ json, file });
    return await readFile(file);
  } finally {
    await scratch.remove();
  }
}

/**
 * In a separate thread, so that other requests are answered meanwhile: a million cells take a second or two of parsing
 * and encoding. The thread's end frees the memory.
 */
async function writeApart(task: TableTask): Promise<void> {
  const worker = workerFile("parquet-worker", import.meta.url);
  if (worker === undefined) return writeTable(task);
  const thread = startThread<TableTask, void>(worker);
  try {
    await thread.ask(task, [task.json.buffer as ArrayBuffer]);
  } finally {
    await thread.close();
  }
}
