import { describe, expect, it } from "vitest";
import { type GivenRow, makeView } from "../sample/view.test-data.ts";
import { closely } from "./closely.test-data.ts";
import { measureDuplicates } from "./duplicates.ts";

const measure = (...rows: readonly GivenRow[]) => measureDuplicates(makeView(rows));
const ids = (...values: number[]) => Int32Array.from(values);
const row = (values: readonly number[], more: Partial<GivenRow> = {}): GivenRow => ({
  ...{ rollout: values, ids: Int32Array.from(values, (value) => -value * 10) },
  ...more,
});
const NONE = {
  ...{ copies: 0, copied: [], pairs: 0, acrossPrompts: 0, inLargerGroups: 0, examples: [], expectedPairs: 0 },
  ...{ rowsInGroups: 0, rowsAllSame: 0 },
};

it("counts rows that repeat an earlier one of their step exactly", () => {
  expect(measure()).toEqual({ ...NONE, rows: 0 });
  expect(measure(row([-1, -2]), row([-1, -3]))).toEqual({ ...NONE, rows: 2 });
  const found = measure(row([-1, -2]), row([-1, -3]), row([-1, -2]), row([-1, -2]), row([-1, -3]));
  const examples = [
    [2, 0],
    [3, 0],
    [4, 1],
  ];
  expect(found).toEqual({ ...NONE, rows: 5, copies: 3, copied: [2, 3, 4], pairs: 4, examples });
});

it("compares steps, ids and both columns", () => {
  const copies = (one: GivenRow, other: GivenRow) => measure(one, other).copies;
  const given = row([-1, -2]);
  expect(copies(given, { ...given, step: 2 })).toBe(0);
  expect(copies(given, { ...given, ids: ids(10, 21) })).toBe(0);
  expect(copies(given, { ...given, ids: undefined })).toBe(0);
  expect(copies({ ...given, ids: undefined }, { ...given, ids: undefined })).toBe(1);
  expect(copies({ ...given, trainer: [-1, -3] }, { ...given, trainer: [-1, -4] })).toBe(0);
  expect(copies({ ...given, trainer: [-1, -3] }, { ...given, rollout: [-1, -5], trainer: [-1, -3] })).toBe(0);
  expect(copies(row([-1, -2]), row([-1]))).toBe(0);
});

it("shows five examples", () => {
  const found = measure(...new Array(8).fill(row([-1, -2])));
  expect([found.copies, found.pairs, found.examples.length]).toEqual([7, 28, 5]);
  expect(found.examples[4]).toEqual([5, 0]);
});

it("tells copies whose prompt differs", () => {
  const across = (prompt: Int32Array | undefined, other: Int32Array | undefined) =>
    measure(row([-1], { prompt }), row([-1], { prompt: other })).acrossPrompts;
  expect(across(ids(1, 2), ids(1, 2))).toBe(0);
  expect(across(ids(1, 2), ids(1, 3))).toBe(1);
  expect(across(ids(1, 2), ids(1))).toBe(1);
  expect(across(ids(1), ids(1, 2))).toBe(1);
  expect(across(ids(1, 2), undefined)).toBe(0);
  expect(across(undefined, ids(1, 2))).toBe(0);
});

describe("copies in larger groups", () => {
  /** A row of this group, of values of its own unless said otherwise. */
  let next = 0;
  const of = (group: number, value = -1 - ++next / 64, more: Partial<GivenRow> = {}) =>
    row([value], { group, ...more });
  const groups = (count: number, size: number): GivenRow[] =>
    Array.from({ length: count * size }, (_, k) => of(100 + Math.floor(k / size)));
  const larger = (...rows: GivenRow[]) => measure(...rows).inLargerGroups;
  const copied = [of(1, -5), of(1, -6), of(1, -5)];

  it("are in prompts with more responses than the rule", () => {
    expect(larger(...groups(3, 2), ...copied)).toBe(1);
    // As many as most have, or fewer.
    expect(larger(...groups(3, 3), ...copied)).toBe(0);
    expect(larger(...groups(3, 4), ...copied)).toBe(0);
    expect(larger(...groups(3, 2), of(1, -5), of(1, -6), of(2, -5))).toBe(0);
  });

  it("are said where seven prompts in ten have as many, two at least", () => {
    const others = [of(2), of(2), of(2), of(3), of(3), of(3)];
    // 7 of 10: the copied group and two others have three.
    expect(larger(...groups(7, 2), ...others, ...copied)).toBe(1);
    expect(larger(...groups(6, 2), ...others, ...copied)).toBe(0);
    expect(larger(...groups(5, 1), ...copied)).toBe(0);
    // The rule is the size that most have, whatever comes first.
    expect(larger(...copied, ...groups(3, 2))).toBe(1);
  });

  it("are not said of rows without a prompt", () => {
    const without = copied.map((each) => ({ ...each, hasPrompt: false }));
    expect(larger(...groups(3, 2), ...without)).toBe(0);
  });
});

describe("pairs that chance makes", () => {
  const expected = (...rows: GivenRow[]) => measure(...rows).expectedPairs;
  const one = { rollout: [-1, -2, 0.5, -3], trainer: [-2, -2, -1, -3], mask: [1, 1, 1, 0], group: 7 };

  it("are the probabilities of rows of one prompt, by the surer side", () => {
    // −3 of the rollout, where nothing is above 0, −5 of the trainer.
    expect(expected(one, one)).toBeCloseTo(Math.exp(-3), 9);
    const turned = { ...one, rollout: one.trainer, trainer: one.rollout };
    expect(expected(turned, turned)).toBeCloseTo(Math.exp(-3), 9);
    const other = { rollout: [-1], group: 7 };
    expect(expected(one, other, other)).toBeCloseTo(Math.exp(-3) + 2 * Math.exp(-1), 9);
  });

  it("are none among rows of other prompts, or of none", () => {
    expect(expected(one)).toBe(0);
    expect(expected(one, { ...one, group: 8 })).toBe(0);
    expect(expected({ ...one, hasPrompt: false }, { ...one, hasPrompt: false })).toBe(0);
  });
});

it("counts rows of prompts with others, and those that all say the same", () => {
  const groups = (...rows: GivenRow[]) => {
    const { rowsInGroups, rowsAllSame } = measure(...rows);
    return [rowsInGroups, rowsAllSame];
  };
  const of = (group: number, ...tokens: number[]): GivenRow => ({
    ...{ rollout: tokens.map(() => -1), ids: Int32Array.from(tokens), group },
  });
  expect(groups(of(1, 2, 3), of(1, 2, 3), of(1, 2, 3), of(2, 5))).toEqual([3, 3]);
  expect(groups(of(1, 2, 3), of(1, 2, 4))).toEqual([2, 0]);
  // 1, 23 and 12, 3 are not the same.
  expect(groups(of(1, 1, 23), of(1, 12, 3))).toEqual([2, 0]);
  expect(groups(of(1, 2), of(1, 2), of(2, 3), of(2, 4))).toEqual([4, 2]);
  const without = { rollout: [-1], group: 1 };
  expect(groups(without, without)).toEqual([2, 0]);
});

it("gives all counts of one view", () => {
  const rows = [row([-1, -2], { group: 1 }), row([-1, -2], { group: 1 }), row([-3], { group: 2 })];
  expect(measure(...rows)).toEqual(
    closely({
      ...{
        rows: 3,
        copies: 1,
        copied: [1],
        pairs: 1,
        acrossPrompts: 0,
        inLargerGroups: 0,
        examples: [[1, 0]],
      },
      ...{ expectedPairs: Math.exp(-3), rowsInGroups: 2, rowsAllSame: 2 },
    }),
  );
});
