import { describe, expect, it } from "vitest";
import { SHAPE, type Shape, type ShapeName } from "../features/shape.ts";
import { weighBeforehand } from "./kin.ts";
import { compareLikeness, logDensity, MOST, SHARE } from "./likeness.ts";
import { BACKGROUND, PROFILES } from "./profiles.ts";

const EMPTY = Object.fromEntries(SHAPE.map((name) => [name, Number.NaN])) as Record<ShapeName, number>;
const compare = (numbers: Partial<Shape> = {}) => compareLikeness({ ...EMPTY, ...numbers });

describe("likeness to causes", () => {
  it("is what is likely beforehand where no number is known, and sums to 1", () => {
    const found = compare();
    expect(found.map(({ kin }) => kin).sort()).toEqual(Object.keys(PROFILES).sort());
    expect(found.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 12);
    const [first, second] = found;
    expect(first!.kin).toBe("stale_weights");
    expect(Math.log(first!.probability / second!.probability)).toBeCloseTo(
      weighBeforehand(first!.kin) - weighBeforehand(second!.kin),
      9,
    );
    expect(found.every(({ clues }) => clues.length === 0)).toBe(true);
  });

  it("goes by how much better than the background a profile fits, held to its share", () => {
    const before = new Map(compare().map(({ kin, probability }) => [kin, Math.log(probability)]));
    for (const [kin, profile] of Object.entries(PROFILES).slice(0, 8)) {
      const [name, place] = Object.entries(profile)[0] as [ShapeName, readonly [number, number]];
      const found = compare({ [name]: place[0] });
      const ratio = logDensity(place[0], place) - logDensity(place[0], BACKGROUND[name]!);
      const weight = SHARE * Math.max(-MOST, Math.min(MOST, ratio));
      const own = found.find((one) => one.kin === kin)!;
      expect(own.clues).toEqual([
        {
          cause: kin,
          weight: expect.closeTo(weight, 9),
          sentence: expect.stringMatching(/^[A-Z−].* is .+; the average for this cause is .+\.$/),
          figures: { [name]: place[0], expected: place[0], spread: place[1] },
          profile: {
            name,
            label: expect.stringMatching(/^[A-Z−].*[^,]$/),
            value: expect.any(String),
            expected: expect.any(String),
          },
        },
      ]);
      // Against a kin that has no place for the number, the odds move by the weight alone.
      const other = Object.entries(PROFILES).find(([, numbers]) => !(name in numbers))?.[0];
      if (other === undefined) continue;
      const odds = (of: ReadonlyMap<string, number>): number => of.get(kin)! - of.get(other)!;
      const after = new Map(found.map((one) => [one.kin, Math.log(one.probability)]));
      expect(odds(after) - odds(before)).toBeCloseTo(weight, 6);
    }
  });

  it("quotes the four numbers that speak loudest, in their own units", () => {
    const [kin, profile] = Object.entries(PROFILES).find(([, numbers]) => Object.keys(numbers).length > 5)!;
    const numbers = Object.fromEntries(Object.entries(profile).map(([name, place]) => [name, place![0]]));
    const { clues } = compare(numbers).find((one) => one.kin === kin)!;
    expect(clues).toHaveLength(4);
    expect(clues.map(({ weight }) => weight)).toEqual(
      clues.map(({ weight }) => weight).sort((a, b) => b - a),
    );
    const first = (given: Partial<Shape>) =>
      compare(given).find((one) => one.kin === kin)!.clues[0]!.sentence;
    // A logarithm is shown as the number itself, a correlation as it is.
    expect(first({ concentration: 1 })).toMatch(
      /^The gap of the worst 1 % of tokens, as a multiple of the median gap, is 10\.0; the average for this cause/,
    );
    expect(first({ neighbors: 0.25 })).toMatch(
      /^The correlation of the gap with that of the token before is 0\.250;/,
    );
  });

  it("is by Student's t with four degrees of freedom: even about the center, with heavy tails", () => {
    const place = [2, 0.5] as const;
    expect(logDensity(2.3, place)).toBeCloseTo(logDensity(1.7, place), 12);
    expect(logDensity(2, place)).toBeCloseTo(Math.LN2, 12);
    // One spread away: (1 + 1/4)^(−5/2).
    expect(logDensity(2.5, place) - logDensity(2, place)).toBeCloseTo(-2.5 * Math.log(1.25), 12);
  });

  it("has profiles and a background for numbers that exist, with spreads above 0", () => {
    for (const profile of [...Object.values(PROFILES), BACKGROUND])
      for (const [name, place] of Object.entries(profile)) {
        expect(SHAPE).toContain(name);
        expect(place![1]).toBeGreaterThan(0);
        expect(place!.every(Number.isFinite)).toBe(true);
      }
  });
});
