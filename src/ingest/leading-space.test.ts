import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_MEMORY_LIMIT, setMemoryLimit } from "../core/base/memory-limit.ts";
import { readAll, readError, withoutRepeats } from "../input/adapters/read.test-data.ts";

const ROW = '{"response_ids": [1, 2], "rollout_log_probs": [-1, -2], "old_log_probs": [-1, -2.5]}\n';
/** More than the 64 KiB that files are recognized by. */
const SPACE = ["\n", " ", "\r\n", "\t"]
  .map((text) => text.repeat(70_000))
  .concat(`\ufeff${"\n".repeat(70_000)}`);

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-space-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(() => setMemoryLimit(DEFAULT_MEMORY_LIMIT));

async function put(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, name.endsWith(".gz") ? gzipSync(text) : text);
  return path;
}

describe("white space in front of rows", () => {
  it.each(SPACE.map((space, i) => [i, space] as const))("is skipped: %i", async (i, space) => {
    for (const [name, text] of [
      [`rows${i}.jsonl`, ROW.repeat(3)],
      [`rows${i}.jsonl.gz`, ROW.repeat(3)],
      [`array${i}.json`, `[${[ROW, ROW, ROW].join(",")}]`],
    ] as const) {
      const { batches, findings } = await readAll(await put(name, space + text));
      expect([name, batches[0]?.length, withoutRepeats(findings)]).toEqual([name, 3, []]);
    }
  });

  it("alone is still an empty file", async () => {
    for (const name of ["empty.jsonl", "empty.jsonl.gz"]) {
      const error = await readError(await put(name, SPACE[0]!));
      expect(error.message).toMatch(/an empty file \(70\.0 kB of white space\): there is nothing in it/);
    }
  });

  it("is not held beyond the memory limit", async () => {
    setMemoryLimit(2 ** 20);
    const error = await readError(await put("much.jsonl", `${" ".repeat(2 ** 22)}${ROW}`));
    expect([error._tag, error.message]).toEqual([
      "LimitError",
      "the file begins with more than 1048576 bytes of white space",
    ]);
  });
});
