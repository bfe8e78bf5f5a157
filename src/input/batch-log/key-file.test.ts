import { appendFile, mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { appendKeys, readKeyLines } from "./key-file.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "keys-"));
  path = join(folder, "keys");
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

const heads = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ step: from + i, rank: 0, call: 0, sha256: "ab".repeat(32) }));
const readSteps = async (): Promise<number[]> => (await readKeyLines(path)).map(({ head }) => head.step);

/** The prototype of the file handles that `open` returns. */
async function handlePrototype(): Promise<{
  write: (...words: unknown[]) => Promise<{ bytesWritten: number }>;
}> {
  const file = await open(join(folder, "any"), "w");
  await file.close();
  return Object.getPrototypeOf(file) as Awaited<ReturnType<typeof handlePrototype>>;
}

it("appends every line, also where the system writes a part of them at a time", async () => {
  const prototype = await handlePrototype();
  const { write } = prototype;
  vi.spyOn(prototype, "write").mockImplementation(function (this: unknown, bytes, from, length, at) {
    return write.call(this, bytes, from, Math.min(length as number, 100), at);
  });
  await appendKeys(path, heads(0, 30), 1);
  await appendKeys(path, heads(30, 30), 2);
  expect(await readSteps()).toEqual(Array.from({ length: 60 }, (_, i) => i));
});

it("fails, and leaves the file as it was, where the disk is full after a part of them", async () => {
  await appendKeys(path, heads(0, 2), 1);
  const before = await readFile(path, "utf8");
  const prototype = await handlePrototype();
  const { write } = prototype;
  let calls = 0;
  vi.spyOn(prototype, "write").mockImplementation(function (this: unknown, bytes, from, _, at) {
    if (calls++ > 0) return Promise.reject(Object.assign(new Error("no space"), { code: "ENOSPC" }));
    return write.call(this, bytes, from, 100, at);
  });
  await expect(appendKeys(path, heads(2, 30), 2)).rejects.toMatchObject({ code: "ENOSPC" });
  expect(await readFile(path, "utf8")).toBe(before);
});

it("leaves out a line that was cut off, and begins the next one behind it", async () => {
  expect(await readKeyLines(path)).toEqual([]);
  await writeFile(path, "");
  await appendKeys(path, heads(0, 1), 1);
  await appendFile(path, `2 1 0 0 ${"ab".repeat(20)}`);
  await appendKeys(path, heads(2, 1), 3);
  expect(await readKeyLines(path)).toEqual([
    { segment: 1, head: heads(0, 1)[0] },
    { segment: 3, head: heads(2, 1)[0] },
  ]);
});
