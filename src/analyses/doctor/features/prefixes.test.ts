import { describe, expect, it } from "vitest";
import { type GivenRow, makeView } from "../sample/view.test-data.ts";
import { at, closely } from "./closely.test-data.ts";
import { measurePrefixes } from "./prefixes.ts";

const measure = (...rows: readonly GivenRow[]) => measurePrefixes(makeView(rows));
const ids = (...values: number[]) => Int32Array.from(values);
/** A row of prompt 1 whose logits these are. */
const row = (
  rollout: readonly number[],
  trainer: readonly number[],
  tokens: Int32Array,
  more: Partial<GivenRow> = {},
) => ({
  ...{ rollout: rollout.map(at), trainer: trainer.map(at), ids: tokens, group: 1 },
  ...more,
});
const NONE = { pairs: 0, rollout: 0, trainer: 0, between: 0, rolloutEqual: 0, trainerEqual: 0 };

it("compares what a side says of the same tokens in two rows", () => {
  const found = measure(
    row([0, 1, 2, 0], [0.25, 1.5, 2, 0], ids(5, 6, 7, 8)),
    row([0, 1.5, 2.25, 0], [0.25, 1.5, 2.5, 3], ids(5, 6, 7, 9)),
  );
  expect(found).toEqual(
    closely({
      ...{ pairs: 3, rollout: 0.75 / 3, trainer: 0.5 / 3 },
      // Of the first row 0.25, 0.5 and 0, of the second 0.25, 0 and 0.25.
      ...{ between: 1.25 / 2 / 3, rolloutEqual: 1 / 3, trainerEqual: 2 / 3 },
    }),
  );
});

it("holds differences to 1", () => {
  const found = measure(row([0], [4], ids(5)), row([3], [0.5], ids(5)));
  expect(found).toEqual(closely({ ...NONE, pairs: 1, rollout: 1, trainer: 1, between: 1 }));
  const one = measure(row([0], [0.5], ids(5)), row([0], [3], ids(5)));
  expect(one).toEqual(closely({ ...NONE, pairs: 1, trainer: 1, between: 0.75, rolloutEqual: 1 }));
});

describe("pairs", () => {
  const pairs = (...rows: readonly GivenRow[]) => measure(...rows).pairs;
  const given = row([0, 0, 0], [0, 0, 0], ids(1, 2, 3));

  it("are tokens behind equal tokens, up to the end of the shorter row", () => {
    expect(measure()).toEqual(NONE);
    expect(pairs(given)).toBe(0);
    expect(pairs(given, given)).toBe(3);
    expect(pairs(given, row([0, 0, 0], [0, 0, 0], ids(1, 9, 3)))).toBe(1);
    expect(pairs(given, row([0, 0, 0], [0, 0, 0], ids(9, 2, 3)))).toBe(0);
    expect(pairs(given, row([0, 0], [0, 0], ids(1, 2)), row([9], [9], ids(3), { group: 2 }))).toBe(2);
    expect(pairs(row([0, 0], [0, 0], ids(1, 2)), given)).toBe(2);
  });

  it("are of each row and the one before it of the same prompt", () => {
    expect(pairs(given, given, given)).toBe(6);
    expect(pairs(given, { ...given, group: 2 })).toBe(0);
    expect(pairs(given, { ...given, group: 2 }, given)).toBe(3);
    const without = { ...given, hasPrompt: false };
    expect(pairs(without, without)).toBe(0);
    expect(pairs(given, { ...given, ids: undefined }, given)).toBe(3);
  });

  it("are own tokens in both rows, no log-prob of which is too sure", () => {
    const masked = { ...given, mask: [1, 0, 1] };
    expect(pairs(given, masked)).toBe(2);
    expect(pairs(masked, given)).toBe(2);
    for (const side of ["rollout", "trainer"] as const) {
      const of = (value: number): GivenRow => ({ ...given, [side]: [at(0), value, at(0)] });
      expect(pairs(given, of(-1e-5))).toBe(2);
      expect(pairs(of(-1e-5), given)).toBe(2);
      expect(pairs(given, of(-2e-5))).toBe(3);
      expect(pairs(given, of(0))).toBe(2);
    }
  });
});
