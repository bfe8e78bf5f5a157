import { describe, expect, it } from "vitest";
import { type GivenRow, makeView } from "../sample/view.test-data.ts";
import { apart, closely } from "./closely.test-data.ts";
import { findPacking, type Packing } from "./packing.ts";
import { compareMeans } from "./stats.ts";

/** What is found in rows of these gaps; NaN for rows of too few tokens. */
const packed = (
  gaps: readonly number[],
  more: (r: number) => Partial<GivenRow> = () => ({}),
): Packing | null =>
  findPacking(makeView(gaps.map((_, r) => ({ ...apart([1, 1, 1, 1]), ...more(r) }))), gaps);
const repeat = (pattern: readonly number[], times: number): number[] =>
  Array.from({ length: times }, () => pattern).flat();
const logs = (gaps: readonly number[]): number[] => gaps.map((gap) => Math.log(gap + 1e-6));

describe("packs of so many sequences", () => {
  it("are a period whose first rows are sound while the others are not", () => {
    const [sound, other] = [
      [0.1, 0.1, 0.2, 0.1],
      [1, 1.1, 1, 1],
    ] as const;
    expect(packed([0.1, 1, 0.1, 1.1, 0.2, 1, 0.1, 1])).toEqual(
      closely({
        ...{ of: "sequences", size: 2, soundGap: 0.1, otherGap: 1, sound: 4, other: 4 },
        z: compareMeans(logs(other), logs(sound)),
      }),
    );
  });

  it("are found where the sound rows do not differ at all", () => {
    const found = packed(repeat([0, 1, 1, 1], 4));
    expect(found).toMatchObject({ of: "sequences", size: 4, soundGap: 0, sound: 4 });
    expect(found?.z).toBeCloseTo(compareMeans(logs(repeat([1], 12)), logs(repeat([0], 4))), 3);
  });

  it("need four rows of each", () => {
    expect(packed([0.1, 1, 0.1, 1, 0.1, 1, 0.1])).toBeNull();
    expect(packed([1, 0.1, 1, 0.1, 1, 0.1, 1])).toBeNull();
    expect(packed([0.1, 1, 0.1, 1, 0.1, 1, 0.1, Number.NaN])).toBeNull();
  });

  it("are of up to 16 rows, not of 17", () => {
    // Rows of many lengths, so that no budget fits either.
    const lengths = (r: number): Partial<GivenRow> => apart(new Array(4 + ((r * r * 5) % 61)).fill(1));
    expect(packed(repeat([0.1, ...new Array(15).fill(1)], 4), lengths)).toMatchObject({ size: 16 });
    expect(packed(repeat([0.1, ...new Array(16).fill(1)], 4), lengths)?.soundGap).toBeCloseTo(1, 9);
  });

  it("are longer only where that separates by a fifth better", () => {
    // Contrasts: 1 / 0.155 · √8 = 18.2, 1 / 0.175 · √8 = 16.2 and, of every sixth row, 10 · √4 = 20.
    expect(packed(repeat([0.1, 1, 1, 0.21, 1, 1], 4))?.size).toBe(3);
    expect(packed(repeat([0.1, 1, 1, 0.25, 1, 1], 4))?.size).toBe(6);
    expect(packed(repeat([0.1, 1], 8))).toMatchObject({ size: 2, sound: 8, other: 8 });
  });

  it("are counted in the file, the step or the run, whichever separates best", () => {
    const halves = (r: number) => ({ step: r < 7 ? 1 : 2 });
    const byStep = packed(repeat([0.1, 1, 0.1, 1, 0.1, 1, 0.1], 2), halves);
    expect(byStep).toMatchObject({ size: 2, sound: 8, other: 6, soundGap: expect.closeTo(0.1, 9) });
    const byFile = packed(repeat([0.1, 1], 7), halves);
    expect(byFile).toMatchObject({ size: 2, sound: 7, other: 7, soundGap: expect.closeTo(0.1, 9) });
    // Rows that are numbered elsewhere: 1, 3, 5 and so on are the sound ones here.
    const numbered = (r: number) => ({ row: r + 1, step: r < 4 ? 1 : 2 });
    expect(packed(repeat([0.1, 1], 4), numbered)?.soundGap).toBeCloseTo(0.1, 9);
    // Packs of three go on across steps of eight rows, each in a file of its own.
    const files = (r: number) => ({
      row: r % 8,
      step: 1 + Math.floor(r / 8),
      file: `${Math.floor(r / 8)}.npz`,
    });
    const byRun = packed(repeat([0.1, 1, 1], 8), files);
    expect(byRun).toMatchObject({ size: 3, sound: 8, other: 16, soundGap: 0.1, otherGap: 1 });
  });

  it("are not one of three workers: of the rows that are not the first, most are sound", () => {
    const found = packed(repeat([0.1, 0.1, 1], 16));
    expect(found!.otherGap).toBeLessThan(2 * found!.soundGap);
  });
});

describe("packs of up to so many tokens", () => {
  const BUDGET = 60;
  const lengths = Array.from({ length: 48 }, (_, r) => 8 + ((r * 37) % 23));
  /** Whether each row begins a pack, as a trainer fills them: prompts of five tokens count. */
  function fill(budget: number): boolean[] {
    let left = 0;
    return lengths.map((length) => {
      const begins = length + 5 > left;
      left = (begins ? budget : left) - length - 5;
      return begins;
    });
  }
  const begins = fill(BUDGET);
  const row = (r: number): Partial<GivenRow> => ({
    ...apart(new Array(lengths[r]!).fill(1)),
    prompt: new Int32Array(5),
  });

  it("are told with a budget that fills the same packs", () => {
    const gaps = begins.map((isFirst) => (isFirst ? 0.1 : 1));
    const found = packed(gaps, row)!;
    expect(found).toMatchObject({ of: "tokens", soundGap: 0.1, otherGap: 1 });
    expect(found.sound).toBe(begins.filter(Boolean).length);
    expect(fill(found.size)).toEqual(begins);
    expect(Math.abs(found.size - BUDGET)).toBeLessThan(5);
  });

  it("are not told of sound rows at places that no budget gives", () => {
    const gaps = begins.map((_, r) => ((r * r + 3 * r) % 7 < 2 ? 0.1 : 1));
    expect(packed(gaps, row)?.of).not.toBe("tokens");
  });
});
