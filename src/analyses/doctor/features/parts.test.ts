import { describe, expect, it } from "vitest";
import { type GivenRow, makeView } from "../sample/view.test-data.ts";
import { closely } from "./closely.test-data.ts";
import { measureParts } from "./parts.ts";

/** Parts by name: the scores of their rows. */
type Given = readonly (readonly [name: Partial<GivenRow>, scores: readonly number[]])[];

const parts = (given: Given, useMean?: boolean) => {
  const rows = given.flatMap(([name, scores]) => scores.map((score) => ({ name, score })));
  const view = makeView(rows.map(({ name }) => ({ rollout: [-1], step: Number.NaN, ...name })));
  return measureParts(
    view,
    rows.map(({ score }) => score),
    useMean,
  );
};
const steps = (...levels: readonly (readonly number[])[]): Given =>
  levels.map((scores, k) => [{ step: k + 1 }, scores]);
const flat = (level: number, count = 4): number[] => new Array(count).fill(level);
/** z of Mann and Whitney's statistic: the odd part's rows above all of so many others. */
const above = (n: number, m: number): number => (n * m) / 2 / Math.sqrt((n * m * (n + m + 1)) / 12);

it("compares the one part that is above the others: a rank, an environment", () => {
  const found = parts([
    [{ rank: 1 }, [0.1, 0.2, 0.3, 0.8]],
    [{ rank: 0 }, [1, 1.1, 1.2, 1.9, 9]],
    [{ rank: 2 }, [0.5, 0.5, 0.5, 0.5]],
    [{ rank: 3 }, [7, 7, 7]],
  ]);
  const odd = { name: "0", value: 0, rows: 5, level: 1.2 };
  const [low, middle] = [
    { name: "1", value: 1, rows: 4, level: 0.25 },
    { name: "2", value: 2, rows: 4, level: 0.5 },
  ];
  // Ranks of the odd part's five among 16 (a part of three rows counts here): 9 to 12, and 16.
  const z = (58 - 15 - 27.5) / Math.sqrt((55 * 17) / 12);
  expect(found).toEqual(
    closely([
      {
        ...{ kind: "rank", parts: [low, odd, middle], odd: [odd], oddLevel: 1.2, restLevel: 0.375 },
        ...{ ratio: 1.2 / (0.375 + 1e-9), spreadOfRest: 0.5 / (0.375 + 1e-9) - 1, z },
        trend: { r: 0, z: 0 },
      },
    ]),
  );
});

it("compares environments by name, whatever their number", () => {
  const [found] = parts([
    [{ environment: "math" }, flat(1)],
    [{ environment: "code" }, flat(4)],
    [{}, flat(99)],
  ]);
  expect(found).toMatchObject({ kind: "environment", odd: [{ name: "code", value: Number.NaN, level: 4 }] });
  expect(found?.parts.map(({ name }) => name)).toEqual(["math", "code"]);
  expect(found?.z).toBeCloseTo(above(4, 4), 9);
});

it("compares steps and versions in their order, with the trend of their levels", () => {
  const [found] = parts([...steps(flat(1), flat(2), flat(3), flat(9))].reverse());
  const part = (value: number, level: number) => ({ name: String(value), value, rows: 4, level });
  expect(found).toEqual(
    closely({
      ...{ kind: "step", parts: [part(1, 1), part(2, 2), part(3, 3), part(4, 9)], odd: [part(4, 9)] },
      ...{
        oddLevel: 9,
        restLevel: 2,
        ratio: 9 / (2 + 1e-9),
        spreadOfRest: 3 / (2 + 1e-9) - 1,
        z: above(4, 12),
      },
      trend: { r: 1, z: Math.sqrt(3) },
    }),
  );
  const versions = [3, 1, 2].map(
    (version) => [{ versions: Int32Array.of(version, 9) }, flat(version)] as const,
  );
  const [byVersion] = parts(versions);
  expect(byVersion).toMatchObject({ kind: "version", trend: { r: expect.closeTo(1, 9) } });
  expect(byVersion?.parts.map(({ value }) => value)).toEqual([1, 2, 3]);
});

describe("the odd steps", () => {
  const odd = (...levels: number[]) => parts(steps(...levels.map((level) => flat(level))))[0]?.odd;
  const values = (...levels: number[]) => odd(...levels)?.map(({ value }) => value);

  it("are one, or all from one on, whichever the cleaner cut", () => {
    expect(values(1, 1, 5, 1)).toEqual([3]);
    expect(values(5, 1, 1, 1)).toEqual([1]);
    expect(values(1, 1, 5, 5)).toEqual([3, 4]);
    expect(values(1, 5, 5, 5)).toEqual([2, 3, 4]);
    expect(values(1, 4, 5, 6)).toEqual([2, 3, 4]);
    expect(values(1, 1, 1, 5)).toEqual([4]);
    expect(values(1, 5)).toEqual([2]);
  });

  it("are never all", () => {
    expect(values(1, 1)?.length).toBe(1);
    expect(values(0, 0, 0)?.length).toBe(1);
  });
});

it("needs two parts of four rows with a score", () => {
  expect(parts([])).toEqual([]);
  expect(parts(steps(flat(1)))).toEqual([]);
  expect(parts(steps(flat(1), flat(2, 3)))).toEqual([]);
  expect(parts(steps(flat(1), [2, 2, 2, Number.NaN]))).toEqual([]);
  expect(parts(steps(flat(1), [2, 2, 2, Number.POSITIVE_INFINITY]))).toEqual([]);
  expect(parts(steps(flat(1), flat(2))).length).toBe(1);
  expect(parts([[{}, flat(1, 9)]])).toEqual([]);
});

it("takes medians of rows, or means where most rows are 0", () => {
  const given = steps([0, 0, 0, 4], [0, 0, 0, 0]);
  expect(parts(given)[0]?.parts.map(({ level }) => level)).toEqual([0, 0]);
  expect(parts(given, true)[0]?.parts.map(({ level }) => level)).toEqual([1, 0]);
  const [found] = parts(given, true);
  expect(found?.ratio).toBeCloseTo(1e9, -1);
  expect(found?.spreadOfRest).toBe(-1);
});

it("gives a negative z where the odd part's rows rank below the others'", () => {
  // Its median is the larger; of its four rows two are the smallest of all eight, and two the largest.
  const [found] = parts([
    [{ rank: 0 }, [-5, -4, 3, 3.1]],
    [{ rank: 1 }, [-1, -1.1, -1.2, -1.3]],
  ]);
  expect(found?.odd.map(({ name }) => name)).toEqual(["0"]);
  expect(found?.z).toBeCloseTo(0, 9);
  const [lower] = parts([
    [{ rank: 0 }, [-5, -4, -3, 3, 3.1, -9, 3.2, 3.3]],
    [{ rank: 1 }, [-1, -1.1, -1.2, -1.3]],
  ]);
  expect(lower?.z).toBeCloseTo(0, 9);
  const [below] = parts([
    [{ rank: 0 }, [-5, -4, 0.1, 0.2, 0.3]],
    [{ rank: 1 }, [-3, -2, 0, 1, 2]],
  ]);
  // Ranks 1, 2, 6, 7 and 8 of ten.
  expect(below?.z).toBeCloseTo((24 - 15 - 12.5) / Math.sqrt((25 * 11) / 12), 9);
});
