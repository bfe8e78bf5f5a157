import { describe, expect, it } from "vitest";
import { FIELDS } from "../../../../src/analyses/filter/fields.ts";
import { madeTable } from "../../../../src/analyses/filter/made-table.test-data.ts";
import { rightWrong, sayRightWrong } from "../../state/right-wrong.ts";
import { COLUMNS, formatRowHandle, isBriefColumn } from "./columns.ts";
import { groupRows, readGroupedBy, sortedGroups } from "./groups.ts";
import { chooseColumns, toggleColumn } from "./selection.ts";
import { shortNames } from "./short-names.ts";

const table = madeTable([
  { step: 1, row: 0, group: "b", reward: 1, correct: 1, tokens: 10, delta_abs_mean: 0.1, delta_abs_max: 1 },
  { step: 1, row: 1, group: "b", reward: 0, correct: 0, tokens: 30, delta_abs_mean: 0.3, delta_abs_max: 4 },
  { step: 2, row: 0, group: "b", reward: 1, correct: 1, tokens: 20, delta_abs_mean: 0.2, delta_abs_max: 2 },
  { step: 2, row: 1, tokens: 0 },
  { step: 2, row: 2, group: "a10", reward: 1, correct: 0, tokens: 20, delta_abs_mean: 0.5, delta_abs_max: 3 },
  { step: 2, row: 3, group: "a9", tokens: 1, delta_abs_mean: 0.5, delta_abs_max: 3 },
]);
const all = Uint32Array.of(0, 1, 2, 3, 4, 5);

describe("columns", () => {
  it("name sequences as the command line does", () => {
    expect(formatRowHandle(table, 4)).toBe("s2.q2");
  });

  it("show missing values as a dash and export them as null", () => {
    for (const column of COLUMNS) {
      if (["sequence", "tokens", "step"].includes(column.key) || isBriefColumn(column.key)) continue;
      expect(column.text(table, 3), column.key).toBe("–");
      expect(column.value(table, 3) ?? null, column.key).toSatisfy(
        (value) => value === null || Number.isNaN(value),
      );
    }
  });

  it("are described like the filter fields with the same values", () => {
    for (const { key, help, value, align } of COLUMNS.filter(({ key }) => key !== "correct")) {
      if (align !== "end") continue;
      const field = FIELDS.find(({ meaning }) => help === meaning || help.startsWith(`${meaning}; `));
      if (field?.scope !== "sequence" || field.kind === "text") throw new Error(`${key} has no field`);
      const values = field.values(table);
      for (const row of all) expect(value(table, row) ?? Number.NaN, key).toBe(values[row]);
    }
  });
});

describe("chosen columns", () => {
  const keys = (params: Record<string, string>, hasBriefs = true) =>
    chooseColumns(table, params, hasBriefs).map(({ key }) => key);

  it("are the address's in its order, after the handle", () => {
    expect(keys({ columns: "worst,prompt-text,nonsense,abs" })).toEqual([
      "sequence",
      "worst",
      "prompt-text",
      "abs",
    ]);
    expect(keys({ columns: "" })).toEqual(["sequence"]);
  });

  it("are pinned as the address says", () => {
    const pinned = chooseColumns(table, { pinned: "worst,group" }, true).filter((column) => column.pinned);
    expect(pinned.map(({ key }) => key)).toEqual(["worst", "group"]);
  });

  it("include texts by default if there are any", () => {
    expect(keys({}).slice(0, 4)).toEqual(["sequence", "prompt-text", "answer-text", "spark"]);
    expect(keys({}, false).slice(0, 3)).toEqual(["sequence", "spark", "correct"]);
    // No sequence of the run has an advantage.
    expect(keys({})).not.toContain("advantage");
  });

  it("are added at their usual place and removed again", () => {
    expect(toggleColumn(["prompt-text", "abs"], "spark")).toEqual(["prompt-text", "spark", "abs"]);
    expect(toggleColumn(["abs"], "file")).toEqual(["abs", "file"]);
    expect(toggleColumn(["prompt-text", "abs"], "abs")).toEqual(["prompt-text"]);
  });
});

describe("short names", () => {
  it("are long enough to tell opaque names apart, and leave others unchanged", () => {
    const uuid = (end: string) => `f193fdf0-0b1e-551b-898a-b5cafec9${end}`;
    expect(shortNames([uuid("76b6"), "calc/solve/0001", "ab12".repeat(8)])).toEqual([
      "f193fd",
      "calc/solve/0001",
      "ab12ab",
    ]);
    const alike = shortNames([uuid("76b6"), uuid("76b7"), "2b1aeed6-6b66-5307-8852-1d875a1986fe"]);
    expect(alike.slice(0, 2)).toEqual([uuid("76b6"), uuid("76b7")]);
    expect(new Set(alike).size).toBe(3);
  });
});

describe("groups by a column", () => {
  it("contain the sequences with the same value, by name or figure", () => {
    const groups = groupRows(table, all, "correct");
    expect(groups.map(({ name, rows }) => [name, rows])).toEqual([
      ["right", [0, 2]],
      ["wrong", [1, 4]],
      ["–", [3, 5]],
    ]);
    expect(
      sortedGroups(groups, "group", false)
        .map(({ name }) => name)
        .slice(0, 2),
    ).toEqual(["wrong", "right"]);
    expect(groupRows(table, all, "env").map(({ name, rows }) => [name, rows.length])).toEqual([
      ["not known", 6],
    ]);
  });

  it("have a quarter of the sequences each if a figure has many values, equal values together", () => {
    const many = madeTable(
      Array.from({ length: 200 }, (_, row) => ({ step: 1, row, reward: row < 60 ? 0 : row, tokens: 1 })),
    );
    const rows = Uint32Array.from({ length: 200 }, (_, row) => row);
    const groups = sortedGroups(groupRows(many, rows, "reward"), "group", false);
    // The first 60 share one value, which reaches into the second quarter, so both quarters are one group.
    expect(groups.map((group) => group.rows.length)).toEqual([100, 50, 50]);
    expect(groups.map(({ name }) => name)).toEqual(["0 to 99", "100 to 149", "150 to 199"]);
    expect(groups.flatMap((group) => group.rows)).toHaveLength(200);
  });

  it("are prompts if the address names no column", () => {
    expect([readGroupedBy(undefined, true), readGroupedBy("nonsense", true)]).toEqual(["group", "group"]);
    expect([readGroupedBy(undefined, false), readGroupedBy("env", true)]).toEqual(["step", "env"]);
  });
});

describe("groups", () => {
  it("are the sequences of one prompt in one step", () => {
    const groups = groupRows(table, all);
    expect(groups.map(({ key, rows }) => [key, rows])).toEqual([
      ["1/b", [0, 1]],
      ["2/b", [2]],
      ["2/", [3]],
      ["2/a10", [4]],
      ["2/a9", [5]],
    ]);
    const [first, , without] = groups;
    expect(first).toMatchObject({ tokens: 40, rewardMean: 0.5, rewardSpread: 0.5, right: 1, deltaAbsMax: 4 });
    expect(first?.deltaAbsMean).toBeCloseTo((10 * 0.1 + 30 * 0.3) / 40, 12);
    expect(without?.deltaAbsMax).toBeNaN();
  });

  it("are sorted by their figures", () => {
    const groups = groupRows(table, all);
    expect(sortedGroups(groups, "worst", true).map(({ key }) => key)).toEqual([
      "1/b",
      "2/a10",
      "2/a9",
      "2/b",
      "2/",
    ]);
    expect(sortedGroups(groups, "group", false).map(({ key }) => key)).toEqual([
      "1/b",
      "2/a9",
      "2/a10",
      "2/b",
      "2/",
    ]);
  });
});

describe("right compared with wrong", () => {
  it("compares sequences that have both figures", () => {
    const compared = rightWrong(table, all);
    expect([...compared.right]).toEqual([0.1, 0.2]);
    expect([...compared.wrong]).toEqual([0.3, 0.5]);
    expect(compared.tests?.order.rankBiserial).toBe(1);
    expect(compared.tests?.means.difference).toBeCloseTo(0.25, 12);
    // Three prompts: 1/b with a right and a wrong sequence, 2/b and 2/a10.
    expect(compared.tests).toMatchObject({ by: "prompt", enough: false, means: { clusters: 3 } });
    expect(sayRightWrong(compared.tests!)).toContain("from too few prompts for an interval");
    expect(rightWrong(table, Uint32Array.of(0, 1)).tests).toBeUndefined();
    expect(rightWrong(table)).toEqual(compared);
  });

  /** Prompts of four sequences each, all right or all wrong, so alike that four say no more than one. */
  const makeRun = (prompts: number, shift: number, named = true) =>
    madeTable(
      Array.from({ length: 4 * prompts }, (_, row) => {
        const prompt = Math.floor(row / 4);
        return {
          step: 1,
          row,
          ...(named && { group: `p${prompt}` }),
          correct: prompt % 2,
          tokens: 10,
          delta_abs_mean: 0.1 + 0.02 * Math.sin(7 * prompt) + (prompt % 2 === 0 ? shift : 0),
        };
      }),
    );

  it("counts prompts: sixteen prompts do not show what sixty-four sequences would", () => {
    const found = rightWrong(makeRun(16, 0.012)).tests!;
    const each = rightWrong(makeRun(16, 0.012, false)).tests!;
    expect(each.means.pValue).toBeLessThan(0.01);
    expect(found.means.pValue).toBeGreaterThan(0.05);
    expect(sayRightWrong(found)).toMatch(
      /^A wrong sequence has the larger mismatch in [\d.]+\u00a0% of these pairs, but the prompts do not settle which mean is larger: wrong − right may be −[\d.]+ to \+[\d.]+ nats\. The interval is over 16 prompts: sequences of one prompt are alike\.$/,
    );
    expect(sayRightWrong(each)).toContain("treats 64 sequences as independent");
  });

  it("gives the direction", () => {
    expect(sayRightWrong(rightWrong(makeRun(16, 0.1)).tests!)).toMatch(/^Wrong sequences have the larger/);
    expect(sayRightWrong(rightWrong(makeRun(16, -0.1)).tests!)).toMatch(/^Right sequences have the larger/);
  });
});
