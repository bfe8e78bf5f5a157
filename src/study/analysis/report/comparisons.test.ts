import { expect, test } from "vitest";
import type { KlComparison } from "../../results/report.ts";
import { comparisons } from "./comparisons.ts";
import { makeStudy, studyText } from "./report.test-data.ts";
import { viewStudy } from "./report-input.ts";

/** Two checkpoints over problems of one token; the second's KL exceeds the first's by these differences. */
function compared(differences: readonly number[], alpha = 0.05): KlComparison {
  const texts = differences.map((_, i) => studyText(`p${i}`, ["x"]));
  const input = makeStudy(texts, [
    { name: "before", step: 1, kl: differences.map((_, i) => [0.4 + i / 1000]) },
    { name: "after", step: 2, kl: differences.map((difference, i) => [0.4 + i / 1000 + difference]) },
  ]);
  const [found, ...more] = comparisons(viewStudy({ ...input, settings: { ...input.settings, alpha } }));
  expect(more).toEqual([]);
  return found!;
}

const RISING = [0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08];

test("has the sign of what rises or falls", () => {
  expect(compared(RISING)).toMatchObject({
    kind: "first-last",
    a: "before",
    b: "after",
    rank_biserial: 1,
    significant: true,
  });
  expect(compared(RISING).mean_difference).toBeCloseTo(0.045, 12);
  const falling = compared(RISING.map((difference) => -difference));
  expect(falling.mean_difference).toBeCloseTo(-0.045, 12);
  expect(falling.median_difference).toBeCloseTo(-0.045, 12);
  expect(falling).toMatchObject({ rank_biserial: -1, significant: true });
  expect(falling.interval!.high).toBeLessThan(0);
});

test("is significant below alpha, not at it", () => {
  // With 8 pairs of one sign, 2 of 256 arrangements.
  expect(compared(RISING).adjusted_p_value).toBe(2 / 256);
  expect(compared(RISING, 2 / 256).significant).toBe(false);
  expect(compared(RISING, 2.01 / 256).significant).toBe(true);
});

test("is not significant where problems move both ways", () => {
  const mixed = compared(RISING.map((difference, i) => (i % 2 === 0 ? difference : -difference)));
  expect(mixed.adjusted_p_value).toBeGreaterThan(0.3);
  expect(mixed.significant).toBe(false);
});

test("has a p-value from six pairs that differ on", () => {
  const six = compared(RISING.slice(0, 6));
  expect(six).toMatchObject({ problems: 6, p_value: 2 / 64, significant: true });
  expect(compared(RISING.slice(0, 5))).toMatchObject({
    p_value: null,
    adjusted_p_value: null,
    significant: false,
  });
  expect(compared([...RISING.slice(0, 5), 0])).toMatchObject({ problems: 6, p_value: null });
});
