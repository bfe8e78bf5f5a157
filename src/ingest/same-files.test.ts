import { copyFile, link, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lacks } from "../../test/support/platform.ts";
import { FIXTURES, readAll, readError, withoutRepeats } from "../input/adapters/read.test-data.ts";
import { type Growth, growingRun } from "./growing-run.ts";

const noLinks = lacks("links", "one file by several names");

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "same-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const ROW = `${JSON.stringify({ response_ids: [1, 2], response_mask: [1, 1], rollout_log_probs: [-1, -2], old_log_probs: [-1, -2.5] })}\n`;
const pairFile = (side: string): string => `${FIXTURES}pair/tgi_${side}.json`;

async function count(paths: string[]): Promise<[number, string[]]> {
  const { batches, findings } = await readAll(paths);
  const said = withoutRepeats(findings).filter(({ code }) => code === "duplicate");
  expect(said.every(({ omits, count: files }) => omits === undefined || files > 0)).toBe(true);
  return [batches.reduce((sum, { length }) => sum + length, 0), said.map(({ message }) => message)];
}

describe("one file by several names", () => {
  it.skipIf(noLinks)("given twice, beside its directory, or by a link: counted once, and said", async () => {
    const file = join(folder, "step_1.jsonl");
    await writeFile(file, ROW);
    const [twice, said] = await count([file, file]);
    expect(twice).toBe(1);
    expect(said).toEqual([`${file} was given twice: counted once`]);
    expect((await count([folder, file]))[0]).toBe(1);
    const other = join(folder, "step_2.jsonl");
    await writeFile(other, ROW.replace("-2.5", "-2.6"));
    expect((await count([file, other, file, other]))[1]).toEqual([
      `2 files were given twice, the first ${file}: counted once`,
    ]);
    await rm(other);
    const linkOnly = join(folder, "linked.jsonl");
    await symlink(file, linkOnly);
    for (const paths of [
      [file, linkOnly],
      [linkOnly, file],
    ])
      expect((await count(paths))[1]).toEqual([`${linkOnly} is a link to ${file}: counted once`]);
    await rm(linkOnly);
    await symlink(file, join(folder, "linked.jsonl"));
    await link(file, join(folder, "hard.jsonl"));
    const [linked, links] = await count([folder]);
    expect(linked).toBe(1);
    expect(links).toEqual([
      `2 files are links to other files, the first ${join(folder, "linked.jsonl")} to ${join(folder, "hard.jsonl")}: counted once`,
    ]);
  });

  it("copied: counted once where step, rank and bytes are the same, and said", async () => {
    for (const name of ["run", "run copy"]) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, "step_1.jsonl"), ROW);
      await writeFile(join(folder, name, "step_2.jsonl"), ROW);
    }
    const [sequences, said] = await count([folder]);
    expect(sequences).toBe(2);
    expect(said).toEqual([
      `2 files hold the same bytes as another of the same step and rank, counted once; the first repeats ${join(folder, "run", "step_1.jsonl")}`,
    ]);
    const { findings } = await readAll([folder]);
    expect(findings.find(({ code }) => code === "duplicate")!.omits).toEqual({
      unit: "file",
      why: "repeated",
    });
    await writeFile(join(folder, "run copy", "step_2.jsonl"), ROW.replace("-2.5", "-2.6"));
    expect((await count([folder]))[0]).toBe(3);
  });

  it("copied, and both named: counted once, and warned of", async () => {
    const names = ["a", "b"].map((name) => join(folder, `${name}_step_1.jsonl`));
    for (const name of names) await writeFile(name, ROW);
    const [sequences, said] = await count(names);
    expect(sequences).toBe(1);
    expect(said).toEqual([
      `1 file holds the same bytes as another of the same step and rank, counted once; it repeats ${names[0]}`,
    ]);
    await mkdir(join(folder, "run"));
    await writeFile(join(folder, "run", "c_step_1.jsonl"), ROW);
    expect((await count([names[1]!, join(folder, "run")]))[0]).toBe(1);
  });

  it("copied into a run that is followed: counted once, in whichever order the files come", async () => {
    const write = (name: string): Promise<void> => writeFile(join(folder, name), ROW);
    const growing = growingRun([folder]);
    const look = async (...names: string[]): Promise<Growth> => {
      const stamps = new Map(names.map((name) => [join(folder, name), "1"]));
      const growth = await growing.look(stamps, () => true);
      if ("broken" in growth) throw new Error(growth.broken);
      for await (const _ of growth.batches());
      return growth;
    };
    await write("b_step_1.jsonl");
    expect((await look("b_step_1.jsonl")).sources).toHaveLength(1);
    await write("c_step_1.jsonl");
    const second = await look("b_step_1.jsonl", "c_step_1.jsonl");
    expect([second.sources.length, second.news.length]).toEqual([1, 0]);
    expect(
      second
        .findings()
        .list()
        .map(({ code, count: files }) => [code, files]),
    ).toEqual([["duplicate", 1]]);
    await write("a_step_1.jsonl");
    await expect(look("a_step_1.jsonl", "b_step_1.jsonl", "c_step_1.jsonl")).rejects.toThrow(
      /left out in favor of newer files/,
    );
  });

  it.skipIf(noLinks)("as both sides of a pair: refused", async () => {
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
      "--rollout and --trainer both name rollout_log_probs: a column always agrees with itself",
    ]);
    expect((await readAll(file, { mapping, oneSide: true })).batches).toHaveLength(1);
  });
});
