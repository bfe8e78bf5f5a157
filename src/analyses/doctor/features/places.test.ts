import { describe, expect, it } from "vitest";
import { type GivenRow, makeView } from "../sample/view.test-data.ts";
import { apart, at, closely } from "./closely.test-data.ts";
import { gapAt, measurePlaces } from "./places.ts";
import { logit } from "./stats.ts";

const places = (rows: readonly GivenRow[]) => measurePlaces(makeView(rows));
const row = (gaps: readonly number[], more: Partial<GivenRow> = {}): GivenRow => ({
  ...apart(gaps),
  ...more,
});
/** |Δ| of a token whose logits are 0 and this. */
const size = (gap: number): number => Math.abs(at(gap) - at(0));

it.each([
  { a: -1, c: -2, gap: logit(-1) - logit(-2) },
  { a: -2, c: -1, gap: logit(-1) - logit(-2) },
  { a: -1, c: -9, gap: 3 },
  { a: 0, c: -1, gap: undefined },
  { a: -1, c: 0, gap: undefined },
  { a: 0.1, c: -1, gap: undefined },
  { a: -1, c: 0.1, gap: undefined },
  { a: -1e-5, c: -1e-5, gap: undefined },
  { a: -1e-5, c: -2e-5, gap: Math.LN2 },
  { a: -2e-5, c: -1e-5, gap: Math.LN2 },
  { a: -1e-5, c: -1, gap: 3 },
  { a: -1, c: -1e-5, gap: 3 },
])("the gap of $a and $c is $gap, held to 3; none where both are too sure", ({ a, c, gap }) => {
  const found = gapAt(makeView([{ rollout: [a], trainer: [c] }]), 0);
  if (gap === undefined) expect(found).toBeUndefined();
  else expect(found).toBeCloseTo(gap, 4);
});

it("there is no gap at a token of mask 0", () => {
  expect(gapAt(makeView([{ rollout: [-1], trainer: [-2], mask: [0] }]), 0)).toBeUndefined();
});

it("tells where in sequences, and in which rows, the gaps stand", () => {
  const found = places([
    row([0.1, 0.2, 0.3, 0.4, 0.5], {
      prompt: Int32Array.of(7, 8),
      ids: Int32Array.of(7, 1, 2, 3, 8),
      positions: Int32Array.of(2, 3, 4, 6, 7),
    }),
    row([0.6, 0.7, 0.8, 0.9], { prompt: Int32Array.of(5), ids: Int32Array.of(1, 5, 7, 1) }),
    row([1, 1.1, 1.2, 1.3, 1.4, 1.5]),
    row([2, 2.5, 4]),
  ]);
  const bin = (position: number, one: number, other: number) => {
    const gap = (Math.min(3, one) + Math.min(3, other)) / 2;
    return { position, tokens: 2, gap, medianGap: gap, abs: (size(one) + size(other)) / 2 };
  };
  expect(found).toEqual(
    closely({
      bins: [
        bin(0, 1, 2),
        bin(1, 0.6, 1.1),
        bin(1.5, 2.5, 0.1),
        bin(2, 0.7, 1.2),
        bin(2.5, 4, 0.2),
        bin(3, 0.8, 1.3),
        bin(4, 0.3, 0.9),
        bin(4.5, 1.4, 0.4),
        bin(5.5, 1.5, 0.5),
      ],
      kink: expect.any(Object),
      early: (1 + 3 + 4.6 + 7.5) / 15,
      later: (0.5 + 1.4 + 1.5) / 3,
      promptLength: { r: -1, z: -Math.SQRT2 },
      responseLength: { r: 0.5, z: Math.SQRT1_2 },
      packing: null,
      copied: (0.1 + 0.5 + 0.7) / 3,
      written: (1.5 - 0.6 + 3 - 0.7 + 7.5 + 7.5) / 15,
      rowGaps: [0.3, 0.75, 1.25, Number.NaN],
      positionJumps: { tokens: 4, jumps: 1, wrongStarts: 0, rows: 1 },
    }),
  );
});

it("tells nothing of no rows", () => {
  expect(places([])).toEqual({
    ...{ bins: [], kink: { position: NaN, before: NaN, after: NaN, z: 0 }, early: NaN, later: NaN },
    ...{ promptLength: { r: 0, z: 0 }, responseLength: { r: 0, z: 0 }, packing: null },
    ...{ copied: NaN, written: NaN, rowGaps: [], positionJumps: null },
  });
});

it("reads gaps at the policy's own tokens alone", () => {
  const found = places([row([1, 2, 1, 1, 1], { mask: [1, 0, 1, 1, 1] })]);
  expect(found.rowGaps).toEqual(closely([1]));
  expect(found.bins.map(({ position }) => position)).toEqual([0, 2, 3, 4]);
});

describe("bins", () => {
  it.each([
    [16, 16, 1],
    [17, 9, 2],
    [32, 16, 2],
    [33, 11, 3],
  ])("of %i tokens are %i of %i", (tokens, bins, each) => {
    const found = places([row(Array.from({ length: tokens }, (_, t) => (t % 7) / 7))]).bins;
    expect(found.length).toBe(bins);
    expect(found[0]?.tokens).toBe(each);
    expect(found.reduce((sum, bin) => sum + bin.tokens, 0)).toBe(tokens);
  });

  it("have a median that is not the mean", () => {
    const gaps = Array.from({ length: 33 }, (_, t) => (t === 2 ? 1 : 0.1));
    const [first] = places([row(gaps)]).bins;
    expect(first).toEqual(
      closely({ position: 1, tokens: 3, gap: 0.4, medianGap: 0.1, abs: (2 * size(0.1) + size(1)) / 3 }),
    );
  });
});

describe("the kink", () => {
  const kinkOf = (gaps: readonly number[]) => places([row(gaps)]).kink;

  it("is where the level jumps most for the spread on both sides", () => {
    const z = 1 / (Math.sqrt(0.08 / 6) * Math.SQRT1_2);
    const [low, high] = [
      [0.1, 0.3, 0.1, 0.3],
      [1.1, 1.3, 1.1, 1.3],
    ] as const;
    expect(kinkOf([...low, ...high])).toEqual(closely({ position: 4, before: 0.2, after: 1.2, z }));
    expect(kinkOf([...high, ...low])).toEqual(closely({ position: 4, before: 1.2, after: 0.2, z: -z }));
  });

  it("weighs a part by its bins", () => {
    // Squares about the means: 2 · 0.01 and 6 · 0.01, of 8 bins less 2.
    const z = 1 / (Math.sqrt(0.08 / 6) * Math.sqrt(1 / 2 + 1 / 6));
    const found = kinkOf([0.1, 0.3, 1.1, 1.3, 1.1, 1.3, 1.1, 1.3]);
    expect(found).toEqual(closely({ position: 2, before: 0.2, after: 1.2, z }));
    const last = kinkOf([0.1, 0.3, 0.1, 0.3, 0.1, 0.3, 1.1, 1.3]);
    expect(last).toEqual(closely({ position: 6, before: 0.2, after: 1.2, z }));
  });

  it("has two bins at least on each side", () => {
    expect(kinkOf([3, 0.1, 0.2, 0.1, 0.2, 0.1]).position).toBe(2);
    expect(kinkOf([0.1, 0.2, 0.1, 0.2, 0.1, 3]).position).toBe(4);
    const none = { position: NaN, before: NaN, after: NaN, z: 0 };
    expect(kinkOf([0.1, 0.5, 1])).toEqual(none);
    expect(kinkOf([0.5, 0.5, 0.5, 0.5])).toEqual(none);
    expect(kinkOf([0.1, 0.3, 1.1, 1.3]).position).toBe(2);
    // Without any spread.
    expect(kinkOf([0.1, 0.1, 1, 1]).z).toBeGreaterThan(1e9);
  });
});

describe("position jumps", () => {
  const jumps = (...given: Partial<GivenRow>[]) =>
    places(given.map((more) => row([1, 1, 1], more))).positionJumps;

  it.each([
    { positions: [5, 6, 7], prompt: 5, expected: { tokens: 2, jumps: 0, wrongStarts: 0, rows: 1 } },
    { positions: [4, 6, 6], prompt: 5, expected: { tokens: 2, jumps: 2, wrongStarts: 1, rows: 1 } },
    { positions: [0, 1, 0], prompt: undefined, expected: { tokens: 2, jumps: 1, wrongStarts: 0, rows: 1 } },
  ])("of $positions behind $prompt tokens", ({ positions, prompt, expected }) => {
    const more = prompt === undefined ? {} : { prompt: new Int32Array(prompt) };
    expect(jumps({ positions: Int32Array.from(positions), ...more })).toEqual(expected);
  });

  it("add up over rows, without those that record none", () => {
    const positions = Int32Array.of(1, 3, 4);
    expect(jumps({ positions }, {}, { positions: new Int32Array(0) }, { positions })).toEqual({
      ...{ tokens: 4, jumps: 2, wrongStarts: 0, rows: 2 },
    });
    expect(jumps({}, { positions: new Int32Array(0) })).toBeNull();
  });
});
