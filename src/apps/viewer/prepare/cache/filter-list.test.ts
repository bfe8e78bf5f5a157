import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  changeFilter,
  filterListFile,
  MOST_FILTER_CHARACTERS,
  MOST_FILTERS,
  MOST_NAME_CHARACTERS,
  readFilterChange,
  readFilterList,
} from "./filter-list.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-filters-"));
});
afterAll(() => rm(folder, { recursive: true }));

it("keeps filters under their names in the order in which they were saved, one JSON object a line", async () => {
  const file = join(folder, "kept.jsonl");
  expect(await readFilterList(file)).toEqual({ schemaVersion: 1, kind: "view-filters", filters: [] });
  await changeFilter(file, { name: "wrong", filter: "correct:no" });
  await changeFilter(file, { name: "far", filter: 'abs>1 | token:" 7"' });
  const filters = [
    { name: "wrong", filter: "correct:no turn:2" },
    { name: "far", filter: 'abs>1 | token:" 7"' },
  ];
  expect((await changeFilter(file, filters[0]!)).filters).toEqual(filters);
  expect(
    (await readFile(file, "utf8"))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual(filters);
  expect((await changeFilter(file, { name: "wrong", filter: null })).filters).toEqual([filters[1]]);
  expect((await changeFilter(file, { name: "unknown", filter: null })).filters).toEqual([filters[1]]);
});

it("refuses what is no filter, and more than it keeps", async () => {
  for (const [asked, message] of [
    [null, "needs a name"],
    [{ name: " ", filter: "a" }, "needs a name"],
    [{ name: "a", filter: 3 }, "must be a text"],
    [{ name: "a", filter: " " }, "must be a text"],
    [{ name: "a".repeat(MOST_NAME_CHARACTERS + 1), filter: "a" }, "201 characters; the limit is 200"],
    [{ name: "a", filter: "a".repeat(MOST_FILTER_CHARACTERS + 1) }, "the limit is 2000"],
  ] as const)
    expect(() => readFilterChange(asked)).toThrow(message);
  expect(readFilterChange({ name: " a ", filter: "b" })).toEqual({ name: "a", filter: "b" });
  const file = join(folder, "full.jsonl");
  for (let at = 0; at < MOST_FILTERS; at++) await changeFilter(file, { name: `${at}`, filter: "abs>1" });
  await expect(changeFilter(file, { name: "one more", filter: "abs>1" })).rejects.toThrow(
    "at most 200 filters",
  );
  expect((await readFilterList(file)).filters).toHaveLength(MOST_FILTERS);
});

it("is not taken for empty, and overwritten, where it cannot be read", async () => {
  await expect(readFilterList(folder)).rejects.toMatchObject({ _tag: "FileSystemError" });
  await expect(changeFilter(folder, { name: "a", filter: "abs>1" })).rejects.toMatchObject({
    _tag: "FileSystemError",
    message: expect.stringContaining("cannot read"),
  });
});

it("names the file by the run, not by anything that the page says", () => {
  expect(filterListFile(folder, ["/data/run"])).toMatch(/\/filters-[0-9a-f]+\.jsonl$/);
  expect(filterListFile(folder, ["/data/a"])).not.toBe(filterListFile(folder, ["/data/b"]));
});
