import { describe, expect, it } from "vitest";
import { type GivenRow, makeView } from "../sample/view.test-data.ts";
import { findForeignRuns, isFirstOwn, isLastOwn, measureBoundaries } from "./boundaries.ts";
import { closely } from "./closely.test-data.ts";

const measure = (...rows: readonly GivenRow[]) => measureBoundaries(makeView(rows));
const NONE = {
  ...{ tokens: 0, share: 0, weight: 0, meanInside: 0, meanOutside: 0, offInside: 0, offOutside: 0 },
  ...{ deltaInside: 0, worst: [] },
};

it("finds nothing in no rows", () => {
  expect(measure()).toEqual({
    ...{
      rowsWithGaps: 0,
      rows: 0,
      gaps: 0,
      toolBefore: [],
      toolAfter: [],
      ownFirstInGap: 0,
      ownLastInGap: 0,
    },
    ending: { id: null, rows: 0, share: 0, unmasked: 0, padded: 0, paddedTokens: [] },
    ...{ first: NONE, last: NONE, turnStart: NONE, laterTurns: NONE },
  });
});

it("tells the first and the last token, and those of later turns", () => {
  // Masked tokens: 0, 3, 4, 7, 9 of the first row and the whole second one but its second token.
  const found = measure(
    {
      rollout: [-1, -1, -1, -1, -1, -1, -1, -1, -1, -1],
      trainer: [-1, -2, -1.5, -1, -1, -1.5, -1.75, -1, -2.25, -1],
      mask: [0, 1, 1, 0, 0, 1, 1, 0, 1, 0],
    },
    { rollout: [-1, -1, -1], trainer: [-1, -0.875, -1], mask: [0, 1, 0] },
  );
  // |Δ| of all: 1, 0.5, 0.5, 0.75, 1.25 and 0.125.
  const total = 4.125;
  expect(found).toEqual(
    closely({
      ...{ rowsWithGaps: 1, rows: 2, gaps: 2, toolBefore: [], toolAfter: [] },
      // Both masked runs hold −1 for both sides.
      ...{ ownFirstInGap: 2, ownLastInGap: 2 },
      ending: { id: null, rows: 0, share: 0, unmasked: 0, padded: 0, paddedTokens: [] },
      first: {
        ...{ tokens: 2, share: 2 / 6, weight: 1.125 / total, meanInside: 1.125 / 2, meanOutside: 3 / 4 },
        ...{ offInside: 1 / 2, offOutside: 1, deltaInside: -0.875 / 2, worst: [1, 11] },
      },
      last: {
        ...{ tokens: 2, share: 2 / 6, weight: 1.375 / total, meanInside: 1.375 / 2, meanOutside: 2.75 / 4 },
        ...{ offInside: 1 / 2, offOutside: 1, deltaInside: -1.125 / 2, worst: [8, 11] },
      },
      turnStart: {
        ...{ tokens: 2, share: 2 / 6, weight: 1.75 / total, meanInside: 0.875, meanOutside: 2.375 / 4 },
        ...{ offInside: 1, offOutside: 3 / 4, deltaInside: -0.875, worst: [8, 5] },
      },
      laterTurns: {
        ...{ tokens: 1, share: 1 / 6, weight: 0.75 / total, meanInside: 0.75, meanOutside: 3.375 / 5 },
        ...{ offInside: 1, offOutside: 4 / 5, deltaInside: -0.75, worst: [6] },
      },
    }),
  );
});

describe("a gap of the mask", () => {
  const gaps = (...masks: readonly (readonly number[])[]) => {
    const found = measure(...masks.map((mask) => ({ rollout: mask.map(() => -1), mask })));
    return [found.gaps, found.rowsWithGaps];
  };

  it("has own tokens on both sides", () => {
    expect(gaps([1, 1, 1])).toEqual([0, 0]);
    expect(gaps([0, 1, 1])).toEqual([0, 0]);
    expect(gaps([1, 1, 0])).toEqual([0, 0]);
    expect(gaps([0, 0, 0])).toEqual([0, 0]);
    expect(gaps([1, 0, 1])).toEqual([1, 1]);
    expect(gaps([1, 0, 0, 1, 0, 1, 0])).toEqual([2, 1]);
    expect(gaps([1, 0], [1, 1])).toEqual([0, 0]);
    expect(gaps([1, 0, 1], [1, 1], [1, 0, 1])).toEqual([2, 2]);
  });

  /** Neighbors of the gap, then its first and last token: log-probs of the two sides. */
  const edges = (before: Pair, first: Pair, last: Pair, after: Pair) => {
    const all = [[-1, -1] as const, before, first, [0, -9] as const, last, after, [-1, -1] as const];
    const { toolBefore, toolAfter, ownFirstInGap, ownLastInGap } = measure({
      rollout: all.map(([a]) => a),
      trainer: all.map(([, c]) => c),
      mask: [1, 1, 0, 0, 0, 1, 1],
    });
    return { toolBefore, toolAfter, ownFirstInGap, ownLastInGap };
  };
  type Pair = readonly [rollout: number, trainer: number];
  const [own, tool]: [Pair, Pair] = [
    [-1, -1],
    [0, -9],
  ];

  it("may have a tool token beside it, or an own one in it", () => {
    const none = { toolBefore: [], toolAfter: [], ownFirstInGap: 0, ownLastInGap: 0 };
    expect(edges(own, tool, tool, own)).toEqual(none);
    expect(edges(tool, tool, tool, own)).toEqual({ ...none, toolBefore: [1] });
    expect(edges(own, tool, tool, tool)).toEqual({ ...none, toolAfter: [5] });
    expect(edges(own, own, tool, own)).toEqual({ ...none, ownFirstInGap: 1 });
    expect(edges(own, tool, own, own)).toEqual({ ...none, ownLastInGap: 1 });
  });

  it.each<[...Pair, number]>([
    [-1, -1, 1],
    [0, -0.2, 0],
    [-3, -2.9, 0],
    [-2.9, -3, 0],
    [-2.9, -2.9, 1],
    [-1, -1.5, 0],
    [-1.5, -1, 0],
    [-1, -1.49, 1],
  ])("holds an own token where both sides find it likely and alike: %f, %f", (a, c, expected) => {
    expect(edges(own, [a, c], tool, own).ownFirstInGap).toBe(expected);
  });
});

describe("foreign runs", () => {
  const runs = (...rows: readonly GivenRow[]) => findForeignRuns(makeView(rows));
  const same = (a: number, c: number, count: number, mask = 1): GivenRow => ({
    ...{ rollout: new Array(count).fill(a), trainer: new Array(count).fill(c) },
    mask: new Array(count).fill(mask),
  });

  it.each([
    [0, -3.1, 3],
    [0, -3, 0],
    [-3.1, -3.1, 3],
    [-3, -4, 0],
    [-4, -3, 0],
    [-0.1, -9, 0],
  ])("of log-probs of %f and %f have %i tokens", (a, c, tokens) => {
    expect(runs(same(a, c, 3)).tokens.length).toBe(tokens);
  });

  it("are three tokens of mask 1 or more, and end with their row", () => {
    expect(runs(same(0, -9, 2))).toEqual({ runs: 0, tokens: [], zeros: 0, expected: 2 });
    expect(runs(same(0, -9, 2), same(0, -9, 1))).toEqual({ runs: 0, tokens: [], zeros: 0, expected: 3 });
    expect(runs(same(0, -9, 3, 0))).toEqual({ runs: 0, tokens: [], zeros: 0, expected: 0 });
    const all = [0, 1, 2, 3, 4, 5, 6];
    expect(runs(same(0, -9, 3), same(-9, -9, 4))).toEqual({ runs: 2, tokens: all, zeros: 3, expected: 0 });
    const between = { rollout: [-1, 0, 0, -9, -1, -9, -9], trainer: [-1, -9, -9, -9, -1, -9, -9] };
    expect(runs(between)).toEqual({ runs: 1, tokens: [1, 2, 3], zeros: 2, expected: 4 * 0.5 ** 3 });
  });

  it("are expected by chance from the unlikely tokens outside of them", () => {
    // Two of eight own tokens; the run of three and the masked tokens are not counted.
    const row = { rollout: [-9, -1, -1, -9, -1, -9, -9, -9, -1, -9, -1, -1, -1] };
    const mask = [1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 1];
    expect(runs({ ...row, mask })).toEqual({ runs: 1, tokens: [5, 6, 7], zeros: 0, expected: 8 * 0.25 ** 3 });
    expect(runs()).toEqual({ runs: 0, tokens: [], zeros: 0, expected: 0 });
  });
});

it("the first and the last own token are so within their row", () => {
  const view = makeView([
    { rollout: [-1, -1, -1, -1], mask: [0, 1, 1, 0] },
    { rollout: [-1, -1] },
    { rollout: [-1, -1], mask: [0, 0] },
    { rollout: [-1] },
  ]);
  const which = (is: (i: number) => boolean): number[] => [0, 1, 2, 3, 4, 5, 6, 7, 8].filter(is);
  expect(which((i) => isFirstOwn(view, i))).toEqual([0, 1, 4, 6, 7, 8]);
  expect(which((i) => isLastOwn(view, i))).toEqual([2, 3, 5, 6, 7, 8]);
});

describe("how rows end", () => {
  const ending = (...rows: readonly GivenRow[]) => measure(...rows).ending;
  const ids = (...values: number[]) => Int32Array.from(values);
  const none = { unmasked: 0, padded: 0, paddedTokens: [] };

  it("is the id that most rows end with", () => {
    const rows = [ids(1, 5), ids(1, 9), ids(5, 9), ids(2, 9)].map((each) => ({
      rollout: [-1, -1],
      ids: each,
    }));
    expect(ending(...rows)).toEqual({ ...none, id: 9, rows: 3, share: 0.75 });
    expect(ending({ rollout: [-1] }, rows[1]!)).toEqual({ ...none, id: 9, rows: 1, share: 0.5 });
  });

  it.each([
    [0, -0.9, 1],
    [0, -1, 0],
    [1, -0.5, 0],
  ])("of mask %i and a trainer's log-prob of %f: %i unmasked", (mask, c, unmasked) => {
    const row = { rollout: [-1, -1], trainer: [-1, c], mask: [1, mask] };
    expect(ending(row)).toEqual({ ...none, id: null, rows: 0, share: 0, unmasked });
    expect(ending({ ...row, ids: ids(4, 7) })).toEqual({ ...none, id: 7, rows: 1, share: 1, unmasked });
  });

  it("leaves out rows that end with another id, and empty ones", () => {
    const row = { rollout: [-1, -1], trainer: [-1, -0.5], mask: [1, 0] };
    const found = ending(
      { ...row, ids: ids(4, 7) },
      { ...row, ids: ids(7, 7) },
      { ...row, ids: ids(7, 4) },
      row,
    );
    expect(found).toEqual({ ...none, id: 7, rows: 2, share: 0.5, unmasked: 2 });
    expect(ending(row, { rollout: [] }).unmasked).toBe(1);
  });

  it("counts padding from the end, never a row's first token", () => {
    const padded = (rollout: number[], trainer: number[], mask?: number[]) =>
      ending({ rollout, trainer, ...(mask && { mask }) });
    const result = (...paddedTokens: number[]) => ({
      ...{ id: null, rows: 0, share: 0, unmasked: 0, padded: paddedTokens.length > 0 ? 1 : 0, paddedTokens },
    });
    expect(padded([-1, 0, 0], [-1, -9, -9])).toEqual(result(2, 1));
    expect(padded([0, 0, 0], [-9, -9, -9])).toEqual(result(2, 1));
    expect(padded([-1, 0, -1, 0], [-1, -9, -1, -9])).toEqual(result(3));
    expect(padded([-1, 0, 0], [-1, -3.1, -3])).toEqual(result());
    expect(padded([-1, -9, -9], [-1, -9, -9])).toEqual(result());
    expect(padded([-1, 0, 0], [-1, -9, -9], [1, 1, 0])).toEqual(result());
    const row = { rollout: [-1, 0], trainer: [-1, -9] };
    expect(ending(row, { rollout: [-1] }, row)).toMatchObject({ padded: 2, paddedTokens: [1, 4] });
  });
});
