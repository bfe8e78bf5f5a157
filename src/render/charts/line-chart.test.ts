import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChartSpec } from "./chart-spec.ts";
import { type Column, foldColumns, lineChart } from "./line-chart.ts";
import { lineLayout } from "./line-layout.ts";

/** A chart of one line. */
function makeSpec(values: readonly (number | null)[], others: Partial<ChartSpec> = {}): ChartSpec {
  return {
    id: "mean",
    title: "Mean |Δ| by step",
    xLabel: "step",
    unit: "nats",
    xs: values.map((_, index) => index + 1),
    lines: [{ label: "mean |Δ|", color: "blue", values }],
    scale: "linear",
    kind: "number",
    fromZero: true,
    extreme: "most",
    ...others,
  };
}

/** Every point that the paths and circles of a drawing go through. */
function findCorners(svg: string): [x: number, y: number][] {
  const corners: [number, number][] = [];
  for (const [, path = ""] of svg.matchAll(/ d="([^"]+)"/g)) {
    let across = Number.NaN;
    for (const [, command, first, second] of path.matchAll(/([MLV])(-?[\d.]+)(?: (-?[\d.]+))?/g)) {
      if (command !== "V") across = Number(first);
      corners.push([across, Number(command === "V" ? first : (second ?? Number.NaN))]);
    }
  }
  for (const [, x, y] of svg.matchAll(/<circle cx="(-?[\d.]+)" cy="(-?[\d.]+)"/g))
    corners.push([Number(x), Number(y)]);
  return corners.filter(([, y]) => !Number.isNaN(y));
}

describe("lineChart", () => {
  it("goes through a spike among more steps than pixels, in little text", () => {
    const values = Array.from({ length: 100_000 }, (_, x) => (x === 27_130 ? 100 : Math.sin(x)));
    const spec = makeSpec(values);
    const svg = lineChart(spec);
    const { x, y } = lineLayout(spec);
    const spike = findCorners(svg).find(([, down]) => Math.abs(down - y.map(100)) < 0.1);
    expect(Math.abs(spike![0] - x.map(27_131))).toBeLessThanOrEqual(1.6);
    expect(svg).toContain("mean |Δ|: most 100 at 27131");
    expect(svg).not.toContain("<circle");
    expect(svg.length).toBeLessThan(30_000);
  });

  it("breaks the line where a value is missing, and tells each step's values", () => {
    const svg = lineChart(makeSpec([1, null, 1, 1]));
    expect(svg.match(/<path d="M[^"]*M[^"]*L[^"]*"/)).not.toBeNull();
    expect(svg).toContain("<title>step 3: mean |Δ| 1.00</title>");
  });

  it("draws one step as a point and says when there is nothing", () => {
    expect(lineChart(makeSpec([2], { xs: [5] }))).toContain("<circle");
    expect(lineChart(makeSpec([]))).toContain("no values");
    expect(lineChart(makeSpec([0], { scale: "log" }))).toContain("no values");
  });

  it("leaves to its page what the page says itself, and still describes itself", () => {
    const bare = lineChart(makeSpec([0.125, 0.25]), { width: 400, height: 168, bare: true });
    expect(bare).toContain(
      'width="400" height="168" role="img" aria-label="Mean |Δ| by step. mean |Δ|: most',
    );
    expect(bare).not.toContain("<title>");
    expect(bare).not.toMatch(/>(?:step|nats|mean[^<]*)<\/text>/);
    // The line is the same as in the whole chart of this size.
    expect(bare.match(/<circle/g)).toHaveLength(2);
  });

  it("keeps every point and band inside its plot, whatever the values and the size", () => {
    const value = fc.option(fc.double({ min: -1e12, max: 1e12, noNaN: true }), { nil: null });
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 900 }),
        fc.constantFrom("linear" as const, "log" as const),
        fc.boolean(),
        fc.record({
          width: fc.integer({ min: 120, max: 900 }),
          height: fc.integer({ min: 96, max: 300 }),
          bare: fc.boolean(),
        }),
        (values, scale, fromZero, size) => {
          const spec = makeSpec(values, {
            scale,
            fromZero,
            band: { label: "ends", low: values.map((one) => one && one / 2), high: values },
          });
          const { width, plot } = lineLayout(spec, size);
          const around = [plot.left, plot.right, plot.top, plot.bottom] as const;
          const [left, right, top, bottom] = size.bare ? around : [0, width, 0, plot.bottom];
          for (const [x, y] of findCorners(lineChart(spec, size))) {
            expect(x).toBeGreaterThanOrEqual(left);
            expect(x).toBeLessThanOrEqual(Math.max(right, plot.right) + 0.5);
            expect(y).toBeGreaterThanOrEqual(top);
            expect(y).toBeLessThanOrEqual(bottom + 0.5);
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe("foldColumns", () => {
  const all = (pieces: readonly Column[][]): Column[] => pieces.flat();

  it("keeps the least and the greatest value, in at most two columns for each pixel", () => {
    const value = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }), { nil: null });
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 400 }),
        fc.integer({ min: 1, max: 300 }),
        fc.boolean(),
        (values, room, joins) => {
          const places = values.map((_, index) => (index / values.length) * room);
          const columns = all(foldColumns(places, values, values, joins));
          const known = values.filter((one) => one !== null);
          expect(Math.min(...columns.map(({ low }) => low))).toBe(Math.min(...known));
          expect(Math.max(...columns.map(({ high }) => high))).toBe(Math.max(...known));
          expect(columns.length).toBeLessThanOrEqual(2 * room + 1);
          for (const [index, { at }] of columns.entries())
            if (index > 0) expect(at - columns[index - 1]!.at).toBeGreaterThanOrEqual(0.5);
        },
      ),
    );
  });

  it("leaves values that are apart as they are, in the pieces that gaps leave", () => {
    const values = [1, 2, null, 4];
    const places = [0, 10, 20, 30];
    const lengths = (pieces: readonly Column[][]): number[] => pieces.map(({ length }) => length);
    expect(lengths(foldColumns(places, values, values))).toEqual([2, 1]);
    expect(lengths(foldColumns(places, values, values, true))).toEqual([3]);
    expect(all(foldColumns(places, values, values)).map(({ low }) => low)).toEqual([1, 2, 4]);
  });

  it("says in which order a column has its ends, and breaks for no gap that is narrower than a pixel", () => {
    const column = { at: 0, low: 1, high: 9 };
    expect(foldColumns([0, 0.1, 0.2], [9, null, 1], [9, null, 1])).toEqual([[{ ...column, rises: false }]]);
    expect(foldColumns([0, 0.1, 0.2], [1, null, 9], [1, null, 9])).toEqual([[{ ...column, rises: true }]]);
  });
});

describe("zones and points of a chart", () => {
  const zones = [
    { level: "normal", from: 0 },
    { level: "elevated", from: 0.02 },
    { level: "high", from: 0.1 },
  ] as const;
  const spec = makeSpec([0.002, 0.004, 0.002], {
    scale: "log",
    zones,
    points: [
      { x: 2, label: "step 2: <k3> 0.5" },
      { x: 3, label: "" },
    ],
  });

  it("are bands without gaps from the foot up, as far as the second, whatever the values", () => {
    const svg = lineChart(spec, { bare: true });
    const { plot } = lineLayout(spec, { bare: true });
    const bands = [
      ...svg.matchAll(
        /<rect x="[\d.]+" y="([\d.]+)" width="[\d.]+" height="([\d.]+)" fill="var\(--level-(\w+)/g,
      ),
    ];
    expect(bands.map(([, , , level]) => level)).toEqual(["normal", "elevated"]);
    const [normal, elevated] = bands.map(([, y, height]) => [Number(y), Number(y) + Number(height)] as const);
    expect(normal![1]).toBeCloseTo(plot.bottom, 1);
    expect(elevated![1]).toBeCloseTo(normal![0], 1);
    expect(elevated![0]).toBeCloseTo(plot.top, 1);
  });

  it("are dots on the line, with escaped words where they have some", () => {
    const svg = lineChart(spec, { bare: true });
    const { x, y } = lineLayout(spec, { bare: true });
    const dots = [...svg.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)" r="4.5"/g)].map(([, ...at]) =>
      at.map(Number),
    );
    expect(dots.map(([across]) => across)).toEqual(
      [x.map(2), x.map(3)].map((at) => Math.round(at * 100) / 100),
    );
    expect(dots[0]![1]).toBeCloseTo(y.map(0.004), 1);
    expect(svg.match(/>step 2: &lt;k3&gt; 0.5</g)).toHaveLength(1);
  });

  it("have their words above the line", () => {
    const wordsOf = (values: readonly number[], x: number): readonly [words: number, dot: number] => {
      const marked = { ...spec, ...makeSpec(values), scale: "log", points: [{ x, label: "worst" }] } as const;
      const [, down] = /<text [^>]*y="([\d.]+)"[^>]*>worst</.exec(lineChart(marked, { bare: true })) ?? [];
      return [Number(down), lineLayout(marked, { bare: true }).y.map(values[x - 1]!)];
    };
    // It falls from the dot at the left and rises to the one at the right.
    for (const [values, x] of [
      [[0.04, 0.039, 0.02], 1],
      [[0.02, 0.039, 0.04], 3],
    ] as const) {
      const [words, dot] = wordsOf(values, x);
      expect(words).toBeLessThan(dot - 4.5);
    }
  });
});
