import { describe, expect, it } from "vitest";
import { type GivenRow, makeView } from "../sample/view.test-data.ts";
import { measureMissing } from "./missing.ts";

const NONE = { tokens: 0, share: 0, rows: 0, rowsToEnd: 0, rowsWhole: 0, first: [] };
const measure = (...rows: readonly GivenRow[]) => measureMissing(makeView(rows));
/** Of the rollout, where 1 stands for a missing token. */
const missing = (...rows: readonly (readonly number[])[]) =>
  measure(
    ...rows.map((row) => ({ rollout: row.map((is) => (is === 1 ? NaN : -1)), trainer: row.map(() => -1) })),
  ).rollout;

it("finds nothing where nothing is missing", () => {
  expect(measure()).toEqual({ rollout: NONE, trainer: NONE });
  expect(measure({ rollout: [-1, 0] })).toEqual({ rollout: NONE, trainer: NONE });
});

it("counts NaN and infinite log-probs of each side at tokens with mask 1", () => {
  const found = measure(
    { rollout: [-1, NaN, -1, NaN], trainer: [-1, -1, -1, -1], mask: [1, 1, 1, 0] },
    { rollout: [-1, -1, -1], trainer: [Number.NEGATIVE_INFINITY, -1, Number.POSITIVE_INFINITY] },
  );
  expect(found).toEqual({
    rollout: { tokens: 1, share: 1 / 6, rows: 1, rowsToEnd: 0, rowsWhole: 0, first: [1] },
    trainer: { tokens: 2, share: 2 / 6, rows: 1, rowsToEnd: 0, rowsWhole: 0, first: [4, 6] },
  });
});

describe("rows with missing log-probs", () => {
  it("miss all of them, or those from one token to the end", () => {
    expect(missing([1, 1])).toEqual({ ...NONE, tokens: 2, share: 1, rows: 1, rowsWhole: 1, first: [0] });
    expect(missing([0, 1, 1])).toMatchObject({ tokens: 2, rows: 1, rowsToEnd: 1, rowsWhole: 0, first: [1] });
    expect(missing([1, 1, 0])).toMatchObject({ tokens: 2, rows: 1, rowsToEnd: 0, rowsWhole: 0, first: [0] });
    expect(missing([1, 0, 1])).toMatchObject({ tokens: 2, rowsToEnd: 0, rowsWhole: 0, first: [0, 2] });
    expect(missing([0, 0], [0, 1], [1])).toMatchObject({ tokens: 2, rows: 2, rowsToEnd: 1, rowsWhole: 1 });
  });

  it("are judged by their tokens with mask 1", () => {
    const of = (mask: readonly number[]) => measure({ rollout: [-1, NaN, NaN, -1], mask }).rollout;
    expect(of([0, 1, 1, 0])).toMatchObject({ rowsWhole: 1, share: 1 });
    expect(of([1, 1, 1, 0])).toMatchObject({ rowsToEnd: 1, rowsWhole: 0 });
    expect(of([1, 0, 0, 1])).toEqual(NONE);
  });

  it("are shown by the first token of a run, five of them at most", () => {
    expect(missing([1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1]).first).toEqual([0, 3, 5, 8, 10]);
    expect(missing([0, 1], [1]).first).toEqual([1, 2]);
  });
});
