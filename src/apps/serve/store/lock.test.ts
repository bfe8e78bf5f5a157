import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { lockDirectory } from "./lock.ts";

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "lock-"));
  path = join(directory, ".serve.lock");
});
afterEach(() => rm(directory, { recursive: true }));

/** Of a process that is gone. */
const stale = (): string => JSON.stringify({ host: hostname(), pid: 2 ** 30, started: "1" });

async function race(starts: number): Promise<PromiseSettledResult<() => Promise<void>>[]> {
  return Promise.allSettled(Array.from({ length: starts }, () => lockDirectory(directory)));
}

it.each([
  ["no lock", undefined],
  ["the lock of a process that is gone", stale()],
  ["a lock that a power cut left empty", ""],
])("is taken once, by one of many that find %s", async (_, content) => {
  for (let round = 0; round < 4; round++) {
    if (content !== undefined) await writeFile(path, content);
    const outcomes = await race(6);
    const [taken, ...more] = outcomes.filter((one) => one.status === "fulfilled");
    expect(more).toEqual([]);
    for (const one of outcomes)
      if (one.status === "rejected")
        expect((one.reason as Error).message).toMatch(/is already served by process \d+$/);
    expect(await readdir(directory)).toEqual([".serve.lock"]);
    await taken!.value();
    expect(await readdir(directory)).toEqual([]);
  }
});

it("is taken although a process was killed while it took it", async () => {
  await writeFile(path, stale());
  const guard = `${path}.${createHash("sha256").update(stale()).digest("hex").slice(0, 16)}`;
  await writeFile(guard, JSON.stringify({ host: hostname(), pid: 2 ** 30, started: "2" }));
  const release = await lockDirectory(directory);
  expect(await readdir(directory)).toEqual([".serve.lock"]);
  await release();
});

it("is not taken from another machine, and a lock that was taken over is left alone", async () => {
  const other = JSON.stringify({ host: `not-${hostname()}`, pid: 1, started: "1" });
  await writeFile(path, other);
  await expect(lockDirectory(directory)).rejects.toThrow(/is already served by process 1 on not-/);
  await rm(path);
  const release = await lockDirectory(directory);
  await writeFile(path, other);
  await release();
  expect(await readFile(path, "utf8")).toBe(other);
});
