import { describe, expect, it } from "vitest";
import { type GivenRow, makeView } from "../sample/view.test-data.ts";
import { closely } from "./closely.test-data.ts";
import { orderSteps } from "./order.ts";
import { scanSlices } from "./slices.ts";
import { compareMeans } from "./stats.ts";

const scan = (gaps: readonly number[], more: (r: number) => Partial<GivenRow> = () => ({})) =>
  scanSlices(makeView(gaps.map((_, r) => ({ rollout: [-1], ...more(r) }))), gaps);
const repeat = (pattern: readonly number[], times: number): number[] =>
  Array.from({ length: times }, () => pattern).flat();

describe("a slice", () => {
  it("is every k-th sequence of a step that is farther off than the others", () => {
    const gaps = [1, 1.1, 4, 1, 1.2, 5, 1, 1, 4, 1.1, 1, 6];
    const found = scan(gaps, () => ({ group: 0 }));
    const [ours, theirs] = [
      [4, 5, 4, 6],
      [1, 1.1, 1, 1.2, 1, 1, 1.1, 1],
    ] as const;
    // All of one prompt; periods of 2 and 3 alone have four sequences in each slice.
    expect(found).toEqual(
      closely({
        ...{
          kind: "sequence",
          period: 3,
          offset: 2,
          rows: [2, 5, 8, 11],
          tested: 5,
          ratio: expect.closeTo(Math.sqrt(20), 6),
        },
        z: compareMeans(ours.map(Math.log), theirs.map(Math.log)),
      }),
    );
  });

  it("is every k-th prompt, with the mean of its sequences", () => {
    const gaps = repeat([1, 1.25, 4, 8, 1, 1], 4);
    // Two sequences of each prompt, twelve prompts in turn.
    const found = scan(gaps, (r) => ({ group: Math.floor(r / 2) }));
    const [first, second] = [Math.log(4 * 8) / 2, Math.log(1.25) / 2];
    const levels = [second, second, second, second, 0, 0, 0, 0];
    expect(found).toMatchObject({ kind: "prompt", period: 3, offset: 1 });
    expect(found?.rows).toEqual([2, 3, 8, 9, 14, 15, 20, 21]);
    expect(found?.z).toBeCloseTo(compareMeans([first, first, first, first], levels), 3);
    expect(found?.ratio).toBeCloseTo(Math.exp(first - second / 2), 6);
    // Sequences: periods of 2 to 6, three slices of 7; prompts: of 2 and 3.
    expect(found?.tested).toBe(2 + 3 + 4 + 5 + 6 + 3 + 2 + 3);
  });

  it("has the most a period of eight", () => {
    expect(scan(repeat([9, ...new Array(7).fill(1)], 5))).toMatchObject({ period: 8, offset: 0 });
    expect(scan(repeat([9, ...new Array(8).fill(1)], 5))?.period).not.toBe(9);
  });

  it("needs four sequences within and without", () => {
    expect(scan([1, 2, 1, 2, 1, 2, 1, 2])).toMatchObject({
      kind: "sequence",
      period: 2,
      offset: 1,
      tested: 4,
    });
    expect(scan([1, 2, 1, 2, 1, 2, 1])).toBeNull();
    expect(scan([])).toBeNull();
    expect(scan([1, 2, 1, 2, 1, 2, 1, Number.NaN])).toBeNull();
  });

  it("keeps the place of a sequence without a score", () => {
    const gaps = [1, 4, 1, 4, Number.NaN, Number.NaN, 1, 4, 1, 4];
    expect(scan(gaps)).toMatchObject({ offset: 1, rows: [1, 3, 7, 9], ratio: expect.closeTo(4, 6) });
    // A prompt's score is the mean of the sequences that have one.
    const pairs = repeat([1, Number.NaN, 4, 4], 4);
    expect(scan(pairs, (r) => ({ group: Math.floor(r / 2) }))).toMatchObject({
      ...{ kind: "prompt", period: 2, offset: 1, ratio: expect.closeTo(4, 6) },
    });
  });

  it("counts anew at each step, against that step's level", () => {
    // Seven sequences at each step, the second one's level 100 times as high; two more have no score.
    const gaps = [1, 4, 1, 5, 1, 4, 1, 100, 400, 100, 500, 100, 400, 100, Number.NaN, Number.NaN];
    const found = scan(gaps, (r) => ({ step: r < 7 ? 1 : 2 }));
    expect(found).toMatchObject({ kind: "sequence", period: 2, offset: 1, rows: [1, 3, 5, 8, 10, 12] });
    expect(found?.ratio).toBeCloseTo(4, 6);
    const ours = [4, 5, 4, 4, 5, 4].map(Math.log);
    expect(found?.z).toBeCloseTo(compareMeans(ours, new Array(8).fill(0)), 5);
  });

  it("is told of sequences that do not differ at all", () => {
    expect(scan(new Array(8).fill(0))).toMatchObject({
      ...{ kind: "sequence", period: 2, offset: 0, z: 0, ratio: 1 },
    });
  });
});

describe("the order of a step", () => {
  const order = (...rows: readonly Partial<GivenRow>[]) => [
    ...orderSteps(makeView(rows.map((more) => ({ rollout: [-1], ...more })))),
  ];

  it("is by rank, file and row", () => {
    const found = order(
      { rank: 1, file: "a", row: 0 },
      { rank: 0, file: "b", row: 1 },
      { rank: 0, file: "b", row: 0 },
      { rank: 0, file: "a", row: 5 },
      { rank: 0, file: "c", row: 0 },
      { rank: 1, file: "a", row: 10 },
      { rank: 1, file: "a", row: 9 },
    );
    expect(found).toEqual([[1, [3, 2, 1, 4, 0, 6, 5]]]);
  });

  it("keeps steps apart, and takes an unknown rank for the first", () => {
    expect(order({ step: 2, row: 1 }, { step: 1 }, { step: 2, row: 0 })).toEqual([
      [2, [2, 0]],
      [1, [1]],
    ]);
    expect(order({ rank: 1, row: 0 }, { rank: Number.NaN, row: 1 }, { rank: 0, row: 2 }, { row: 3 })).toEqual(
      [[1, [1, 2, 3, 0]]],
    );
  });
});
