import { copyFile, link, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FIXTURES, readAll, readError } from "../adapters/read.test-data.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "same-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const ROW = `${JSON.stringify({ response_ids: [1, 2], response_mask: [1, 1], rollout_log_probs: [-1, -2], old_log_probs: [-1, -2.5] })}\n`;
const pairFile = (side: string): string => `${FIXTURES}pair/tgi_${side}.json`;

async function count(paths: string[]): Promise<[number, string[]]> {
  const { batches, findings } = await readAll(paths);
  const said = findings.filter(({ code }) => code === "duplicate");
  expect(said.every(({ omits, count: files }) => omits === undefined || files > 0)).toBe(true);
  return [batches.reduce((sum, { length }) => sum + length, 0), said.map(({ message }) => message)];
}

describe("one file by several names", () => {
  it("given twice, beside its directory, or by a link: counted once, and said", async () => {
    const file = join(folder, "step_1.jsonl");
    await writeFile(file, ROW);
    const [twice, said] = await count([file, file]);
    expect(twice).toBe(1);
    expect(said).toEqual([
      `1 file is there under a second name and counted once, the first ${file}: the same file as ${file}`,
    ]);
    expect((await count([folder, file]))[0]).toBe(1);
    await symlink(file, join(folder, "linked.jsonl"));
    await link(file, join(folder, "hard.jsonl"));
    const [linked, links] = await count([folder]);
    expect(linked).toBe(1);
    expect(links[0]).toContain("2 files are there under a second name");
  });

  it("copied: warned of, where step, rank and bytes are the same", async () => {
    for (const name of ["run", "run copy"]) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, "step_1.jsonl"), ROW);
      await writeFile(join(folder, name, "step_2.jsonl"), ROW);
    }
    const [sequences, said] = await count([folder]);
    expect(sequences).toBe(4);
    expect(said).toEqual([expect.stringContaining("2 files hold the same bytes as another")]);
  });

  it("as both sides of a pair: refused", async () => {
    const copy = join(folder, "other.json");
    await symlink(pairFile("a"), copy);
    for (const other of [pairFile("a"), copy]) {
      const error = await readError([pairFile("a"), other]);
      expect([error._tag, error.message]).toEqual([
        "UsageError",
        `the two sides are the same file: ${pairFile("a")}, ${other}`,
      ]);
    }
    await copyFile(pairFile("a"), join(folder, "copy.json"));
    expect((await readAll([pairFile("a"), join(folder, "copy.json")])).batches).toHaveLength(1);
  });

  it("one column as both sides: refused, but where one side is looked at", async () => {
    const file = join(folder, "a.jsonl");
    await writeFile(file, ROW);
    const mapping = { rollout: "rollout_log_probs", trainer: "rollout_log_probs" };
    const error = await readError(file, { mapping });
    expect([error._tag, error.message]).toEqual([
      "UsageError",
      "--rollout and --trainer both name rollout_log_probs: a column agrees with itself",
    ]);
    expect((await readAll(file, { mapping, oneSide: true })).batches).toHaveLength(1);
  });
});
