import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
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

it("removes files that killed processes left while they took it, and none of processes that may run", async () => {
  const put = async (name: string, content: string, ageMs = 0): Promise<void> => {
    await writeFile(`${path}.${name}`, content);
    const at = (Date.now() - ageMs) / 1000;
    await utimes(`${path}.${name}`, at, at);
  };
  const own = JSON.parse(stale()) as object;
  const day = 86_400_000;
  await put("ab12.tmp", stale());
  await put("0123456789abcdef", stale());
  await put("empty-and-old.tmp", "", day);
  await put("of-another-machine-and-old.tmp", JSON.stringify({ ...own, host: "another" }), day);
  await put("empty.tmp", "");
  await put("of-another-machine.tmp", JSON.stringify({ ...own, host: "another" }));
  await put("running.tmp", JSON.stringify({ ...own, pid: process.pid, started: await startTime() }), day);
  const release = await lockDirectory(directory);
  expect((await readdir(directory)).sort()).toEqual(
    ["", ".empty.tmp", ".of-another-machine.tmp", ".running.tmp"].map((end) => `.serve.lock${end}`),
  );
  await release();
});

/** As the lock has it. */
async function startTime(): Promise<string> {
  const release = await lockDirectory(directory);
  const { started } = JSON.parse(await readFile(path, "utf8")) as { started: string };
  await release();
  return started;
}

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
