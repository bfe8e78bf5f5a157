import { describe, expect, it } from "vitest";
import { madeTable } from "../../../../src/analyses/filter/made-table.test-data.ts";
import { rightWrong, sayRightWrong } from "../../state/right-wrong.ts";
import { COLUMNS, formatRowHandle } from "./columns.ts";
import { groupRows, sortedGroups } from "./groups.ts";

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

  it("write what is missing as a dash and take it away as null", () => {
    for (const column of COLUMNS) {
      if (["sequence", "tokens"].includes(column.key)) continue;
      expect(column.text(table, 3), column.key).toBe("–");
      expect(column.value(table, 3) ?? null, column.key).toSatisfy(
        (value) => value === null || Number.isNaN(value),
      );
    }
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

describe("right against wrong", () => {
  it("compares sequences that have both figures", () => {
    const compared = rightWrong(table, all);
    expect([...compared.right]).toEqual([0.1, 0.2]);
    expect([...compared.wrong]).toEqual([0.3, 0.5]);
    expect(compared.tests?.order.rankBiserial).toBe(1);
    expect(compared.tests?.means.difference).toBeCloseTo(0.25, 12);
    // Three prompts: 1/b with one of each, 2/b and 2/a10.
    expect(compared.tests).toMatchObject({ by: "prompt", enough: false, means: { clusters: 3 } });
    expect(sayRightWrong(compared.tests!)).toContain("in too few prompts for an interval");
    expect(rightWrong(table, Uint32Array.of(0, 1)).tests).toBeUndefined();
    expect(rightWrong(table)).toEqual(compared);
  });

  /** Prompts of four sequences each, all right or all wrong, so alike that four say what one says. */
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

  it("counts prompts: what sixty-four sequences would show, sixteen prompts do not", () => {
    const found = rightWrong(makeRun(16, 0.012)).tests!;
    const each = rightWrong(makeRun(16, 0.012, false)).tests!;
    expect(each.means.pValue).toBeLessThan(0.01);
    expect(found.means.pValue).toBeGreaterThan(0.05);
    expect(sayRightWrong(found)).toBe(
      "No difference that these sequences can show. The interval is over 16 prompts: sequences of one prompt are alike.",
    );
    expect(sayRightWrong(each)).toContain("takes 64 sequences for independent");
  });

  it("says which way it goes", () => {
    expect(sayRightWrong(rightWrong(makeRun(16, 0.1)).tests!)).toMatch(/^Wrong sequences have the larger/);
    expect(sayRightWrong(rightWrong(makeRun(16, -0.1)).tests!)).toMatch(/^Right sequences have the larger/);
  });
});
