import { describe, expect, it } from "vitest";
import { type GivenRow, makeView } from "../sample/view.test-data.ts";
import { measureMatches } from "./matches.ts";

const measure = (...rows: readonly GivenRow[]) => measureMatches(makeView(rows));
/** Log-probs that differ from those of every other seed by 0.1 and more at each token. */
const values = (seed: number, length = 8): number[] =>
  Array.from({ length }, (_, t) => -0.3 - ((seed * 0.37 + t * 0.53) % 2) - seed * 0.01);
const row = (
  rollout: readonly number[],
  trainer: readonly number[],
  more: Partial<GivenRow> = {},
): GivenRow => ({
  ...{ rollout, trainer, group: 1 },
  ...more,
});
const NONE = { unfit: 0, rows: 0, matched: 0, sameGroup: 0, examples: [], unfitRows: [] };
const swapped = (one: number, other: number): GivenRow[] => [
  row(values(one), values(other)),
  row(values(other), values(one)),
];
const sound = (seed: number, more: Partial<GivenRow> = {}) => row(values(seed), values(seed), more);

it("finds nothing in rows that fit", () => {
  expect(measure()).toEqual(NONE);
  expect(measure(sound(1), sound(2))).toEqual({ ...NONE, rows: 2 });
});

it("finds rows whose trainer columns were swapped", () => {
  expect(measure(sound(9), ...swapped(1, 2), sound(5))).toEqual({
    ...{
      unfit: 2,
      rows: 4,
      matched: 2,
      sameGroup: 2,
      examples: [
        [1, 2],
        [2, 1],
      ],
      unfitRows: [1, 2],
    },
  });
  const [one, other] = swapped(1, 2) as [GivenRow, GivenRow];
  expect(measure(one, { ...other, group: 2 })).toMatchObject({ matched: 2, sameGroup: 0 });
});

it("shows five examples", () => {
  const found = measure(...swapped(1, 2), ...swapped(3, 4), ...swapped(5, 6));
  expect(found).toMatchObject({ unfit: 6, matched: 6, unfitRows: [0, 1, 2, 3, 4, 5] });
  expect(found.examples).toEqual([
    [0, 1],
    [1, 0],
    [2, 3],
    [3, 2],
    [4, 5],
  ]);
});

describe("a row", () => {
  const by = (delta: number, tokens = 8) =>
    measure(
      row(
        values(1, tokens),
        values(1, tokens).map((c) => c - delta),
      ),
    );

  it("does not fit where its sides differ by more than 0.02 on average, each token held to 1", () => {
    expect(by(0.021)).toEqual({ ...NONE, rows: 1, unfit: 1, unfitRows: [0] });
    expect(by(-0.021).unfit).toBe(1);
    expect(by(0.019)).toEqual({ ...NONE, rows: 1 });
  });

  it("has eight own tokens", () => {
    expect(by(0.5, 7)).toEqual(NONE);
    const given = row(values(1, 9), values(2, 9));
    expect(measure({ ...given, mask: [1, 1, 1, 1, 1, 1, 1, 1, 0] }).rows).toBe(1);
    expect(measure({ ...given, mask: [1, 1, 1, 1, 1, 1, 1, 0, 0] })).toEqual(NONE);
  });
});

describe("a partner", () => {
  it("is of the same step, and unfit itself", () => {
    const [one, other] = swapped(1, 2) as [GivenRow, GivenRow];
    expect(measure(one, { ...other, step: 2 })).toMatchObject({ unfit: 2, matched: 0 });
    // A sound row with the same column is only alike.
    expect(measure(one, sound(1))).toMatchObject({ unfit: 1, matched: 0, unfitRows: [0] });
  });

  it("fits four times as well", () => {
    const near = (share: number) => {
      const ours = values(1);
      // Off by 0.4 from its own trainer, by this from another's.
      const theirs = row(
        ours.map((a) => a - 3),
        ours.map((a) => a + share * 0.4),
      );
      return measure(
        row(
          ours,
          ours.map((a) => a - 0.4),
        ),
        theirs,
      ).matched;
    };
    expect(near(0.24)).toBe(1);
    expect(near(0.26)).toBe(0);
  });

  it("is the one that fits best", () => {
    const ours = values(1);
    const of = (offset: number) =>
      row(
        ours.map((a) => a - 5),
        ours.map((a) => a + offset),
      );
    const found = measure(
      row(
        ours,
        ours.map((a) => a - 1),
      ),
      of(0.2),
      of(0.01),
      of(0.1),
    );
    expect(found.examples[0]).toEqual([0, 2]);
    // Held to 1: the other rows are off by as much as anything is.
    expect(found.unfit).toBe(4);
  });

  it("shares eight own tokens, and two fifths of the longer row", () => {
    const matched = (length: number, mask?: readonly number[]) => {
      const long = values(2, length);
      const [short, other] = [values(1, 8), long.slice(0, 8)];
      const filled = [...short, ...values(3, length).slice(8)];
      return measure(
        row(
          short,
          other.map((c) => c - 1),
        ),
        row(long, filled, mask ? { mask } : {}),
      ).examples.some(([r]) => r === 0);
    };
    expect(matched(8)).toBe(true);
    expect(matched(20)).toBe(true);
    expect(matched(21)).toBe(false);
    expect(matched(9, [0, 1, 1, 1, 1, 1, 1, 1, 1])).toBe(false);
  });

  it("is looked for among the first 384 rows of a step", () => {
    const rows = Array.from({ length: 383 }, (_, k) =>
      row([-1, -1, -1, -1, -1, -1, -1, -1], new Array(8).fill(-1.001), { row: k }),
    );
    const pair = [
      row(new Array(8).fill(-5), new Array(8).fill(-7)),
      row(new Array(8).fill(-7), new Array(8).fill(-5)),
    ];
    expect(measure(...rows.slice(1), ...pair)).toMatchObject({ rows: 384, unfit: 2, matched: 2 });
    expect(measure(...rows, ...pair)).toMatchObject({ rows: 385, unfit: 1, matched: 0 });
  });
});

it("compares own tokens alone", () => {
  const [one, other] = [values(1, 10), values(2, 10)];
  const mask = [0, 1, 1, 1, 1, 1, 1, 1, 1, 1];
  const far = (given: readonly number[]): number[] => [-50, ...given.slice(1)];
  const rows = [row(far(one), other, { mask }), row(far(other), one, { mask })];
  expect(measure(...rows)).toMatchObject({ matched: 2 });
});
