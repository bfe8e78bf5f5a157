import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { quickCalls } from "../input/io/quick-calls.ts";
import { walk } from "./walk.ts";

let top: string;
beforeEach(async () => {
  top = await mkdtemp(join(tmpdir(), "walk-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  return rm(top, { recursive: true, force: true });
});

async function put(...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await mkdir(dirname(join(top, name)), { recursive: true });
    await writeFile(join(top, name), "");
  }
}

const found = async (): Promise<string[]> => (await walk([top])).files.map(({ relative }) => relative);

it.each([true, false])(
  "finds the files of more directories than it lists ahead, each in its place (calls are quick: %s)",
  async (areQuick) => {
    vi.spyOn(quickCalls, "areQuick", "get").mockReturnValue(areQuick);
    const waited = vi.spyOn(quickCalls, "run");
    const wanted = Array.from({ length: 25 }, (_, i) => [
      `step_${i + 1}/rank_0/a.npz`,
      `step_${i + 1}/rank_1/b.npz`,
      `step_${i + 1}/z.npz`,
    ]).flat();
    await put(...[...wanted].reverse(), "step_3/.hidden/x.npz", ".cache/y.npz");
    await mkdir(join(top, "step_2", "empty"));
    expect(await found()).toEqual(wanted);
    // The top, 25 steps of two ranks each, and the empty one.
    expect(waited).toHaveBeenCalledTimes(areQuick ? 1 + 25 * 3 + 1 : 0);
  },
);

it("enters a directory once, by the first of its names, and none above the given path", async () => {
  await put("b/1.npz", "c/2.npz");
  await symlink(join(top, "b"), join(top, "a"));
  await symlink(join(top, "c"), join(top, "d"));
  await symlink(top, join(top, "up"));
  const { files, unfollowed } = await walk([top, join(top, "c")]);
  expect(files.map(({ path }) => path)).toEqual([join(top, "a", "1.npz"), join(top, "c", "2.npz")]);
  expect(unfollowed.map(({ path }) => path)).toEqual([join(top, "up")]);
});

it("knows the folder of a served run whose parts are given one by one", async () => {
  await put("run/part-00000001.parquet", "run/part-00000002.parquet", "run/.serve/00000003.log");
  await put("run/own.parquet", "other/part-00000001.parquet");
  const served = async (...names: string[]): Promise<readonly string[]> =>
    (await walk(names.map((name) => join(top, name)))).served;
  expect(await served("run/part-00000001.parquet", "run/part-00000002.parquet")).toEqual([join(top, "run")]);
  expect(await served("run/part-00000002.parquet", "run")).toHaveLength(1);
  expect(await served("run/own.parquet", "other/part-00000001.parquet")).toEqual([]);
});
