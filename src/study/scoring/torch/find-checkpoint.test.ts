import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findCheckpoint } from "./find-checkpoint.ts";

let home = "";
const makeModel = async (dir: string): Promise<void> => {
  await mkdir(dir, { recursive: true });
  for (const name of ["config.json", "model.safetensors"]) await writeFile(join(dir, name), "{}");
};
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "find-checkpoint-"));
  await makeModel(join(home, "checkpoint-100"));
  await makeModel(join(home, "snapshots", "abc"));
  await symlink(join(home, "checkpoint-200"), join(home, "checkpoint-200"));
  await mkdir(join(home, "refs", "broken"), { recursive: true });
  await writeFile(join(home, "refs", "main"), "abc\n");
});
afterAll(() => rm(home, { recursive: true }));

it("finds a revision by its step, branch and commit", async () => {
  expect(await findCheckpoint(`${home}@100`)).toBe(join(home, "checkpoint-100"));
  expect(await findCheckpoint(`${home}@main`)).toBe(join(home, "snapshots", "abc"));
  expect(await findCheckpoint(`${home}@abc`)).toBe(join(home, "snapshots", "abc"));
});

it("lists the revisions that can be looked into where another is wanted", async () => {
  await expect(findCheckpoint(`${home}@300`)).rejects.toMatchObject({
    _tag: "NotFoundError",
    likely: "its revisions are checkpoint-100",
  });
});

it("does not take a revision or a branch that cannot be read for one that is missing", async () => {
  for (const revision of ["200", "broken"])
    await expect(findCheckpoint(`${home}@${revision}`)).rejects.toMatchObject({ _tag: "FileSystemError" });
});
