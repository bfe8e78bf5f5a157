import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  hasPropertyTests,
  listFolders,
  listMutated,
  listTests,
  selectFolders,
} from "../../scripts/mutation/folders.mjs";
import { estimateInterval, isDrawn, parseSample } from "../../scripts/mutation/sample.mjs";
import {
  countResults,
  type FolderScore,
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
    for (const recorded of Object.values(scores)) {
      const { killed, timeout, survived, noCoverage, sample } = recorded;
      const statuses = [
        ...Array<string>(killed).fill("Killed"),
        ...Array<string>(timeout).fill("Timeout"),
        ...Array<string>(survived).fill("Survived"),
        ...Array<string>(noCoverage).fill("NoCoverage"),
      ];
      expect(countResults(statuses, sample && { percent: sample.percent, seed: sample.seed })).toEqual(
        recorded,
      );
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

  it("holds a sample to the same sample, and to others as far as chance allows", () => {
    const part = { ...some, sample: { percent: 10, seed: 1, low: 82, high: 95 } };
    expect(findFall("a", part, { ...part, score: 89.9 })).toBe(
      "a: 89.9 % of its mutants are noticed, 90 % are on record",
    );
    expect(findFall("a", part, part)).toBeUndefined();
    const low = (sample: NonNullable<FolderScore["sample"]>) => ({ ...some, score: 80, sample });
    expect(findFall("a", part, low({ percent: 10, seed: 2, low: 70, high: 82 }))).toBeUndefined();
    expect(findFall("a", part, low({ percent: 20, seed: 1, low: 70, high: 82 }))).toBeUndefined();
    expect(findFall("a", part, low({ percent: 10, seed: 2, low: 70, high: 81.9 }))).toContain("80 % of its");
    // All mutants on one side, a sample on the other.
    expect(findFall("a", part, { ...some, score: 82 })).toBeUndefined();
    expect(findFall("a", part, { ...some, score: 81.9 })).toContain("81.9 %");
    expect(findFall("a", some, low({ percent: 10, seed: 1, low: 70, high: 90 }))).toBeUndefined();
    expect(findFall("a", some, low({ percent: 10, seed: 1, low: 70, high: 89.9 }))).toContain("90 % are on");
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
    expect(
      writeTable({ b: { ...some, sample: { percent: 5, seed: 1, low: 82, high: 95.5 } } }, ["b"]),
    ).toContain("| 10 | 8 | 1 | 1 | 0 | 90.0 % (82.0 to 95.5; 5 % drawn, seed 1) |");
    expect(() => replaceTable("a page without a place", "")).toThrow("no place");
  });
});

describe("a sample", () => {
  const mutants = Array.from({ length: 20_000 }, (_, i) => `src/a.ts\nline ${i}`);

  it("has the share that is asked for, the same mutants each time, others for another seed", () => {
    const draw = (percent: number, seed: number) => mutants.filter((one) => isDrawn(one, { percent, seed }));
    for (const percent of [1, 5, 40]) {
      // Five standard deviations of a binomial count.
      const slack = 5 * Math.sqrt(mutants.length * 0.01 * percent);
      expect(Math.abs(draw(percent, 1).length - mutants.length * 0.01 * percent)).toBeLessThan(slack);
    }
    expect(draw(5, 1)).toEqual(draw(5, 1));
    expect(draw(5, 1)).not.toEqual(draw(5, 2));
    expect(draw(100, 1)).toEqual(mutants);
    // A larger share keeps the mutants of a smaller one.
    expect(draw(10, 1)).toEqual(expect.arrayContaining(draw(5, 1)));
  });

  it("is read from the command line: a percentage and a whole seed, all mutants for 100", () => {
    expect(parseSample("20")).toEqual({ percent: 20, seed: 1 });
    expect(parseSample("0.5", "7")).toEqual({ percent: 0.5, seed: 7 });
    expect(parseSample("100")).toBeUndefined();
    for (const text of ["0", "-1", "101", "many", ""])
      expect(() => parseSample(text)).toThrow("--sample must be");
    expect(() => parseSample("5", "1.5")).toThrow("--seed must be");
  });

  it("tells where the folder's score lies: Wilson's interval, rounded outwards", () => {
    // statsmodels.stats.proportion.proportion_confint(90, 100, method="wilson")
    expect(estimateInterval(90, 100)).toEqual({ low: 82.5, high: 94.5 });
    expect(estimateInterval(50, 50)).toEqual({ low: 92.8, high: 100 });
    expect(estimateInterval(0, 0)).toEqual({ low: 0, high: 100 });
  });

  it("carries its interval in the score", () => {
    const statuses = [
      ...Array<string>(90).fill("Killed"),
      ...Array<string>(10).fill("Survived"),
      "CompileError",
    ];
    expect(countResults(statuses, { percent: 5, seed: 1 })).toMatchObject({
      mutants: 100,
      score: 90,
      sample: { percent: 5, seed: 1, low: 82.5, high: 94.5 },
    });
    expect(countResults(statuses)).not.toHaveProperty("sample");
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
    const shared = listTests("src/input/readers/shared");
    expect(shared).toContain("src/input/readers/torch/**/*.test.ts");
    expect(shared).not.toContain("src/input/readers/json/**/*.test.ts");
    expect(listTests("src/trainers/verl")).toContain("src/trainers/configs/*.test.ts");
    expect(listTests("src/apps/conformance")).toContain("test/golden-own.test.ts");
    expect(listTests("src/trainers/neutral")).not.toContain("src/trainers/configs/*.test.ts");
    expect(hasPropertyTests("src/core/statistics")).toBe(true);
    expect(hasPropertyTests("src/trainers/openrlhf")).toBe(false);
    // Only the tests in the parent folder have property tests.
    expect(hasPropertyTests("src/input/readers/safetensors")).toBe(true);
    expect(listMutated("src/core/base")).toContain("!src/core/base/**/*.{test,test-data,generated}.ts");
  });
});
