import { describe, expect, it } from "vitest";
import { type GivenRow, makeView } from "../sample/view.test-data.ts";
import { closely } from "./closely.test-data.ts";
import { FARTHEST, measureShifts } from "./shifts.ts";

const measure = (...rows: readonly GivenRow[]) => measureShifts(makeView(rows));
const values = (length: number, seed = 0): number[] =>
  Array.from({ length }, (_, t) => -0.2 - ((t * 0.37 + seed) % 0.9));
/** The rollout's column, and the trainer's so many entries later. */
const moved = (length: number, by: number, seed = 0): GivenRow => {
  const all = values(length + 6, seed);
  return { rollout: all.slice(3, 3 + length), trainer: all.slice(3 - by, 3 - by + length) };
};
const LAGS = [-3, -2, -1, 0, 1, 2, 3];
const mean = (all: readonly number[]): number => all.reduce((sum, value) => sum + value, 0) / all.length;

it("scans no tokens", () => {
  const nothing = { lags: LAGS, cost: LAGS.map(() => 0), best: -3, costInPlace: 0, costAtBest: 0 };
  const none = { ...nothing, tokens: 0, rowsFor: 0, rowsAsked: 0 };
  expect(measure()).toEqual({ all: none, later: none, before: none });
  expect(measure({ rollout: values(6) })).toEqual({ all: none, later: none, before: none });
  expect(FARTHEST).toBe(3);
});

it.each(LAGS)("finds a trainer's column that is %i entries late", (by) => {
  const { all, before, later } = measure(moved(14, by), moved(14, by, 0.4));
  expect(all).toMatchObject({ best: by, tokens: 16, costAtBest: 0, rowsAsked: 2, rowsFor: by === 0 ? 0 : 2 });
  expect(before).toEqual(all);
  expect(later.tokens).toBe(0);
});

it("gives the mean cost of every lag, each token's held to 1", () => {
  const [a, c] = [
    [-0.1, -0.5, -0.3, -0.7, -0.2, -0.6, -0.4, -0.9],
    [-0.2, -0.4, -0.9, -0.1, -5, -0.3, -0.8, -0.6],
  ] as const;
  const cost = LAGS.map((lag) => mean([3, 4].map((i) => Math.min(1, Math.abs(c[i + lag]! - a[i]!)))));
  const { all } = measure({ rollout: a, trainer: c });
  const best = cost.indexOf(Math.min(...cost));
  expect(all).toEqual(
    closely({
      ...{ lags: LAGS, cost, best: LAGS[best]!, costInPlace: cost[3]!, costAtBest: cost[best]! },
      ...{ tokens: 2, rowsFor: 0, rowsAsked: 0 },
    }),
  );
});

describe("rows", () => {
  it("are asked with eight tokens or more", () => {
    expect(measure(moved(13, 1)).all).toMatchObject({ best: 1, tokens: 7, rowsAsked: 0, rowsFor: 0 });
    expect(measure(moved(14, 1)).all).toMatchObject({ best: 1, tokens: 8, rowsAsked: 1, rowsFor: 1 });
  });

  it("are for the best lag where it costs them less than the place", () => {
    const found = measure(moved(14, 1), moved(14, 1, 0.3), moved(14, 0, 0.6)).all;
    expect(found).toMatchObject({ best: 1, rowsAsked: 3, rowsFor: 2 });
    const flat = { rollout: new Array(14).fill(-0.5) };
    expect(measure(moved(20, 1), flat).all).toMatchObject({ best: 1, rowsAsked: 2, rowsFor: 1 });
  });
});

it("takes tokens whose neighbors within three are the policy's own", () => {
  const tokens = (mask: readonly number[]) => measure({ rollout: values(mask.length), mask }).all.tokens;
  const ones = (count: number): number[] => new Array(count).fill(1);
  expect(tokens(ones(20))).toBe(14);
  expect(tokens([...ones(10), 0, ...ones(9)])).toBe(4 + 3);
  expect(tokens([0, ...ones(19)])).toBe(13);
  expect(tokens([...ones(19), 0])).toBe(13);
  expect(measure({ rollout: values(20).map((value, t) => (t === 10 ? Number.NaN : value)) }).all.tokens).toBe(
    7,
  );
});

describe("the first gap of the mask", () => {
  const split = (mask: readonly number[], ...more: GivenRow[]) => {
    const { all, before, later } = measure({ rollout: values(mask.length), mask }, ...more);
    return [all.tokens, before.tokens, later.tokens];
  };
  const ones = (count: number): number[] => new Array(count).fill(1);

  it("parts what comes before it from what comes later", () => {
    expect(split(ones(20))).toEqual([14, 14, 0]);
    expect(split([...ones(10), 0, 0, ...ones(8)])).toEqual([6, 4, 2]);
    expect(split([...ones(10), 0, ...ones(8), 0, ...ones(9)])).toEqual([4 + 2 + 3, 4, 5]);
    // Zeros at the start are none.
    expect(split([0, 0, ...ones(9), 0, ...ones(10)])).toEqual([3 + 4, 3, 4]);
    expect(split([0, 0, ...ones(10)])).toEqual([4, 4, 0]);
    expect(split([...ones(10), 0], { rollout: values(9) })).toEqual([4 + 3, 4 + 3, 0]);
  });

  it("tells a column that is late after it alone", () => {
    const [sound, late] = [moved(14, 0), moved(14, 2, 0.2)];
    const { all, before, later } = measure({
      rollout: [...sound.rollout, -0.3, ...late.rollout],
      trainer: [...sound.trainer!, -0.8, ...late.trainer!],
      mask: [...new Array(14).fill(1), 0, ...new Array(14).fill(1)],
    });
    expect([before.best, later.best]).toEqual([0, 2]);
    expect([before.costAtBest, later.costAtBest]).toEqual([0, 0]);
    expect(all.tokens).toBe(16);
    expect(all.costInPlace).toBeCloseTo(later.costInPlace / 2, 9);
  });

  it("is not a token that is missing or claimed", () => {
    const view = makeView([{ rollout: values(20).map((value, t) => (t === 5 ? Number.NaN : value)) }]);
    view.claim(12);
    const { before, later } = measureShifts(view);
    expect([before.tokens, later.tokens]).toEqual([1, 0]);
  });
});
