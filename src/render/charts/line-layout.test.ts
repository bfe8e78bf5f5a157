import fc from "fast-check";
import { expect, it } from "vitest";
import type { ChartSpec } from "./chart-spec.ts";
import { lineLayout, placeAt } from "./line-layout.ts";

function makeSpec(
  xs: readonly number[],
  values: readonly (number | null)[],
  others: Partial<ChartSpec> = {},
) {
  return {
    id: "kl",
    title: "KL",
    unit: "nats",
    xLabel: "step",
    xs,
    lines: [{ label: "k3", color: "blue", values }],
    scale: "linear",
    kind: "number",
    fromZero: true,
    extreme: "most",
    ...others,
  } satisfies ChartSpec;
}

const steps = fc.uniqueArray(fc.integer({ min: -1e6, max: 1e6 }), { minLength: 1, maxLength: 200 });
const size = fc.record({
  width: fc.integer({ min: 120, max: 1200 }),
  height: fc.integer({ min: 96, max: 300 }),
  bare: fc.boolean(),
});

it("leads from x to a pixel inside the plot and back to the same x and place", () => {
  fc.assert(
    fc.property(steps, size, (unsorted, of) => {
      const xs = unsorted.toSorted((a, b) => a - b);
      const layout = lineLayout(
        makeSpec(
          xs,
          xs.map(() => 1),
        ),
        of,
      );
      const { x, plot } = layout;
      const span = Math.max(2, xs.at(-1)! - xs[0]!);
      for (const [index, value] of xs.entries()) {
        const at = x.map(value);
        expect(at).toBeGreaterThanOrEqual(plot.left);
        expect(at).toBeLessThanOrEqual(plot.right);
        expect(Math.abs(x.valueAt(at) - value)).toBeLessThanOrEqual(span * 1e-9);
        expect(placeAt(layout, xs, at)).toBe(index);
      }
    }),
    { numRuns: 100 },
  );
});

it("finds the nearest x of any pixel, the ends beyond them", () => {
  fc.assert(
    fc.property(steps, size, fc.double({ min: -50, max: 1300, noNaN: true }), (unsorted, of, pixel) => {
      const xs = unsorted.toSorted((a, b) => a - b);
      const layout = lineLayout(
        makeSpec(
          xs,
          xs.map(() => 1),
        ),
        of,
      );
      const found = xs[placeAt(layout, xs, pixel)!]!;
      const apart = (x: number): number => Math.abs(layout.x.map(x) - pixel);
      expect(apart(found)).toBeLessThanOrEqual(Math.min(...xs.map(apart)) + 1e-6);
    }),
    { numRuns: 200 },
  );
  expect(placeAt(lineLayout(makeSpec([], [])), [], 10)).toBeNull();
});

it("keeps the axes of small multiples above each other", () => {
  const of = { width: 390, height: 168, bare: true };
  const lefts = [0.0125, 3, 512, 99_000].map((most) => lineLayout(makeSpec([1, 2], [0, most]), of).plot.left);
  expect(new Set(lefts).size).toBe(1);
});

it("makes room for every row of the legend, unless the page has it", () => {
  const lines = Array.from({ length: 9 }, (_, index) => ({
    label: `environment ${index}`,
    color: "blue" as const,
    values: [1, 2],
  }));
  const spec = makeSpec([1, 2], [], { lines });
  const whole = lineLayout(spec, { width: 480, height: 250 });
  expect(whole.height).toBeGreaterThan(250);
  expect(whole.plot.bottom - whole.plot.top).toBe(250 - 62 - 34);
  expect(lineLayout(spec, { width: 480, height: 250, bare: true }).height).toBe(250);
});

it("has axes from 0 for figures, around them for those near 1, and whole decades on a logarithmic one", () => {
  const ticks = (others: Partial<ChartSpec>) =>
    lineLayout(makeSpec([1, 2], [0.91, 0.98], others)).y.ticks.map(({ label }) => label);
  expect(ticks({})[0]).toBe("0");
  expect(ticks({ fromZero: false })[0]).toBe("0.91");
  expect(ticks({ scale: "log" })).toEqual(["0.1", "1"]);
  const ofShares = makeSpec([1, 2], [1, 1], { kind: "near-one", fromZero: false });
  expect(
    lineLayout(ofShares)
      .y.ticks.map(({ label }) => label)
      .slice(-1),
  ).toEqual(["1"]);
  expect(lineLayout(ofShares).y.ticks[0]?.label).toBe("0");
  expect(lineLayout(makeSpec([], [])).y.ticks.map(({ label }) => label)).toContain("1");
});
