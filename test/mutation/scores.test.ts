import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  hasPropertyTests,
  listFolders,
  listMutated,
  listTests,
  selectFolders,
} from "../../scripts/mutation/folders.mjs";
import {
  countResults,
  findFall,
  mergeScores,
  replaceTable,
  type Scores,
  writeTable,
} from "../../scripts/mutation/scores.mjs";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const some = { mutants: 10, killed: 8, timeout: 1, survived: 1, noCoverage: 0, score: 90 };

describe("the record of mutation scores", () => {
  const scores = JSON.parse(read("scores.json")) as Scores;

  it("is what docs/mutation.md says", () => {
    const page = read("../../docs/mutation.md");
    expect(replaceTable(page, writeTable(scores, listFolders()))).toBe(page);
  });

  it("names folders that exist, with scores that follow from their counts", () => {
    expect(listFolders()).toEqual(expect.arrayContaining(Object.keys(scores)));
    for (const { mutants, killed, timeout, survived, noCoverage, score } of Object.values(scores)) {
      const statuses = [
        ...Array<string>(killed).fill("Killed"),
        ...Array<string>(timeout).fill("Timeout"),
        ...Array<string>(survived).fill("Survived"),
        ...Array<string>(noCoverage).fill("NoCoverage"),
      ];
      expect(countResults(statuses)).toEqual({ mutants, killed, timeout, survived, noCoverage, score });
    }
  });
});

describe("the ratchet", () => {
  it("counts what was noticed, and leaves out what was not tried", () => {
    expect(
      countResults([
        "Killed",
        "Timeout",
        "Survived",
        "NoCoverage",
        "Ignored",
        "RuntimeError",
        "CompileError",
      ]),
    ).toEqual({ mutants: 4, killed: 1, timeout: 1, survived: 1, noCoverage: 1, score: 50 });
  });

  it("rounds down: a score is never better than it is", () => {
    expect(countResults([...Array<string>(1999).fill("Killed"), "Survived"]).score).toBe(99.9);
    expect(countResults(["Killed", "Killed", "Survived"]).score).toBe(66.6);
    expect(countResults(["Killed"]).score).toBe(100);
    expect(countResults([]).score).toBe(100);
  });

  it("holds a folder to its record, however little it falls", () => {
    expect(findFall("a", some, { ...some, score: 89.9 })).toBe(
      "a: 89.9 % of its mutants are noticed, 90 % are on record",
    );
    expect(findFall("a", some, some)).toBeUndefined();
    expect(findFall("a", some, { ...some, score: 90.1 })).toBeUndefined();
    expect(findFall("a", undefined, some)).toBeUndefined();
  });

  it("keeps the scores of folders that were not run, in order, and forgets folders that are gone", () => {
    const merged = mergeScores({ gone: some, b: some }, { a: { ...some, score: 1 } }, ["a", "b", "c"]);
    expect(Object.entries(merged)).toEqual([
      ["a", { ...some, score: 1 }],
      ["b", some],
    ]);
  });

  it("writes a line for every folder, measured or not", () => {
    expect(writeTable({ b: some }, ["a", "b"]).split("\n").slice(2)).toEqual([
      "| `a` |  |  |  |  |  | not measured |",
      "| `b` | 10 | 8 | 1 | 1 | 0 | 90.0 % |",
    ]);
    expect(() => replaceTable("a page without a place", "")).toThrow("no place");
  });
});

describe("the folders that are measured", () => {
  it("are named by themselves, or by a folder above them", () => {
    expect(selectFolders("src/core/base")).toEqual(["src/core/base"]);
    expect(selectFolders("./src/core/base/")).toEqual(["src/core/base"]);
    expect(selectFolders("src/core")).toEqual(
      listFolders().filter((folder) => folder.startsWith("src/core/")),
    );
    expect(selectFolders("src")).toEqual(listFolders());
    expect(selectFolders("src/core/bas")).toEqual([]);
  });

  it("are held by their own tests and those just above, shared ones by their neighbours' too", () => {
    expect(listTests("src/core/base")).toEqual(["src/core/base/**/*.test.ts", "src/core/*.test.ts"]);
    expect(listTests("src/trainers/shared")).toEqual([
      "src/trainers/shared/**/*.test.ts",
      "src/trainers/*.test.ts",
      "src/trainers/**/*.test.ts",
    ]);
    expect(listTests("src/trainers/verl")).toContain("src/trainers/configs/*.test.ts");
    expect(listTests("src/trainers/neutral")).not.toContain("src/trainers/configs/*.test.ts");
    expect(hasPropertyTests("src/core/statistics")).toBe(true);
    expect(hasPropertyTests("src/core/base")).toBe(false);
    // Only the tests in the folder above have them.
    expect(hasPropertyTests("src/input/readers/safetensors")).toBe(true);
    expect(listMutated("src/core/base")).toContain("!src/core/base/**/*.{test,test-data,generated}.ts");
  });
});
