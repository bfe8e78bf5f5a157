import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ChartSpec, marksAt, readLine, readout, sayPoint, sayReadout, sayX } from "./chart-spec.ts";
import { foldChart } from "./fold-chart.ts";
import { lineChart } from "./line-chart.ts";
import { movingMedian, smoothChart } from "./smooth-chart.ts";

function makeSpec(values: readonly (number | null)[], others: Partial<ChartSpec> = {}): ChartSpec {
  return {
    id: "ess",
    title: "Effective sample size",
    xLabel: "step",
    unit: "share",
    xs: values.map((_, index) => 10 * index),
    lines: [{ label: "ESS", color: "blue", values }],
    scale: "linear",
    kind: "number",
    fromZero: false,
    extreme: "least",
    ...others,
  };
}

const value = fc.option(fc.integer({ min: -50, max: 50 }), { nil: null });
const values = fc.array(value, { minLength: 1, maxLength: 300 });

describe("a chart of more steps than pixels", () => {
  it("stays as it is up to one step for each pixel", () => {
    const spec = makeSpec([1, 2, 3]);
    expect(foldChart(spec, 3)).toBe(spec);
    expect(foldChart(spec, 2)).not.toBe(spec);
  });

  it("has the median and the extremes of equally many steps in each point, and loses none", () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 200 }), (own, pixels) => {
        const spec = makeSpec(own, { band: { label: "ends", low: own, high: own } });
        const { fold, xs, lines, band } = foldChart(spec, pixels);
        if (fold === undefined) {
          expect(own.length).toBeLessThanOrEqual(pixels);
          return;
        }
        expect(xs.length).toBeLessThanOrEqual(Math.max(1, pixels / 3));
        expect(fold.spans[0]![0]).toBe(spec.xs[0]);
        expect(fold.spans.at(-1)![1]).toBe(spec.xs.at(-1));
        const [{ values: medians, ends }] = lines as [(typeof lines)[0]];
        for (const [at, [first, last]] of fold.spans.entries()) {
          const known = own.filter(
            (one, place) => one !== null && place * 10 >= first && place * 10 <= last,
          ) as number[];
          const [low, high] = [ends!.low[at], ends!.high[at]];
          if (known.length === 0) {
            expect([low, high, medians[at]]).toEqual([null, null, null]);
            continue;
          }
          expect(low).toBe(Math.min(...known));
          expect(high).toBe(Math.max(...known));
          expect([band!.low[at], band!.high[at]]).toEqual([low, high]);
          // As many values are at or below the median as at or above it.
          const below = known.filter((one) => one <= medians[at]!).length;
          const above = known.filter((one) => one >= medians[at]!).length;
          expect(2 * Math.min(below, above)).toBeGreaterThanOrEqual(known.length);
          if (at > 0) expect(first).toBe(fold.spans[at - 1]![1] + 10);
        }
      }),
    );
  });

  it("says the range of steps at a point, with the median and the extremes", () => {
    const spec = makeSpec([0.9, 0.5, 0.166, null, 0.7, 0.8], { marks: [{ x: 20, label: "alert" }] });
    const folded = foldChart(spec, 5);
    expect(folded.fold).toEqual({ size: 6, spans: [[0, 50]] });
    expect(sayX(folded, 0)).toBe("steps 0–50");
    expect(sayPoint(folded, 0)).toBe("steps 0–50: ESS median 0.700 (0.166 to 0.900); alert");
    expect(marksAt(folded, 0)).toEqual(["alert"]);
    // Without a crosshair, the page shows the extreme of the whole chart, at its exact step.
    expect(sayReadout(readout(spec, spec.lines[0]!.values, null))).toBe("least 0.166 at 20");
    expect(sayX(spec, 2)).toBe("step 20");
    expect(sayReadout(readLine(spec, spec.lines[0]!, 2))).toBe("0.166");
  });

  it("draws a band and a line, and tells so", () => {
    const svg = lineChart(makeSpec(Array.from({ length: 2000 }, (_, at) => Math.sin(at))));
    expect(svg).toContain("each point is the median of 11 steps, within their extremes");
    expect(svg).toMatch(/<path d="M[^"]*Z" fill="var\(--lr-blue, #2062ad\)" fill-opacity/);
    expect(svg).toContain("step, median of 11 in a band");
  });

  it("ticks steps beyond a limit at the foot", () => {
    const ticks = [10, 20].map((x) => ({ x, label: "" }));
    expect(lineChart(makeSpec([1, 2, 3], { ticks })).match(/v-7/g)).toHaveLength(2);
    expect(lineChart(makeSpec([1, 2, 3]))).not.toContain("v-7");
  });
});

describe("smoothing", () => {
  it("is the median of the known values around each", () => {
    expect(movingMedian([1, 100, 2, 3, null, 5], 3)).toEqual([50.5, 2, 3, 2.5, null, 5]);
    expect(movingMedian([4, 4, 900, 4, 4], 5)).toEqual([4, 4, 4, 4, 4]);
    fc.assert(
      fc.property(values, fc.constantFrom(5, 15, 51), (own, window) => {
        const known = own.filter((one) => one !== null) as number[];
        for (const [at, one] of movingMedian(own, window).entries()) {
          expect(one === null).toBe(own[at] === null);
          if (one !== null) {
            expect(one).toBeGreaterThanOrEqual(Math.min(...known));
            expect(one).toBeLessThanOrEqual(Math.max(...known));
          }
        }
      }),
    );
  });

  it("is named, beside the values, which stay what they are", () => {
    const spec = smoothChart(makeSpec([1, 9, 2, 3, 4]), 3);
    expect(spec.lines.map(({ label }) => label)).toEqual(["ESS", "ESS, moving median of 3 steps"]);
    expect(spec.lines[0]!.values).toEqual([1, 9, 2, 3, 4]);
    expect(sayPoint(spec, 1)).toBe("step 10: ESS 9.00, ESS, moving median of 3 steps 2.00");
    const folded = foldChart(spec, 4);
    expect(folded.lines.map(({ ends }) => ends !== undefined)).toEqual([true, false]);
  });
});
