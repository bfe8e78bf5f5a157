import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { groupedBars } from "./grouped-bars.ts";
import { heatGrid } from "./heat-grid.ts";
import { heatStrip } from "./heat-strip.ts";
import { histogramChart } from "./histogram-chart.ts";
import { intervalBars } from "./interval-bars.ts";
import { intervalLine } from "./interval-line.ts";
import { lineChart } from "./line-chart.ts";
import { mirroredChart } from "./mirrored-chart.ts";
import { tailChart } from "./tail-chart.ts";

const HOSTILE = '"><script>alert(1)</script>';

/** Tags opened and not closed, in order; empty for well-formed markup. */
function unclosed(svg: string): string[] {
  const open: string[] = [];
  for (const [, slash, name = "", , self] of svg.matchAll(
    /<(\/?)([a-z]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/g,
  )) {
    if (slash) expect(open.pop()).toBe(name);
    else if (!self) open.push(name);
  }
  expect(svg.match(/</g)?.length).toBe(svg.match(/<\/?[a-z]+(?:\s+[\w:-]+="[^"<]*")*\s*\/?>/g)?.length);
  return open;
}

const charts = {
  line: (label: string) =>
    lineChart({
      id: "mean",
      title: label,
      unit: label,
      xLabel: label,
      xs: [1, 2, 3],
      lines: [{ label, color: "teal", values: [0.1, Number.NaN, 0.3] }],
      band: { label, low: [0, null, 0.1], high: [0.2, null, 0.4] },
      scale: "linear",
      kind: "number",
      fromZero: true,
      extreme: "most",
    }),
  mirrored: (label: string) =>
    mirroredChart(
      { label, color: "blue", counts: [1, 2, 0], median: 0.02 },
      { label: "b", color: "orange", counts: [0, 1, 4], median: Number.NaN },
      { title: label, xLabel: label, edges: [0.01, 0.1, 1, 10], axis: "log", heights: "share" },
    ),
  histogram: (label: string) =>
    histogramChart({ title: label, xLabel: label, edges: [-1, -0.1, 0.1, 1], counts: [2, 30, 4] }),
  tail: (label: string) =>
    tailChart([{ threshold: 0.1, tokens: 9, share: 0.09, positive: 0, negative: 9 }], { title: label }),
  bars: (label: string) =>
    groupedBars([label, "b"], [{ label, color: "grey", kind: "share", values: [0.4, Number.NaN] }], {
      title: label,
    }),
  intervals: (label: string) =>
    intervalBars(
      [
        { label, value: 2, low: 1, high: 3, color: "blue" },
        { label: "b", value: null, low: null, high: null, color: "grey" },
      ],
      { title: label, unit: label, kind: "number" },
    ),
  band: (label: string) =>
    intervalLine(
      [
        { x: 1, name: label, value: 2, low: 1, high: 3 },
        { x: 2, name: label, value: null, low: null, high: null },
        { x: 3, name: label, value: 2.5, low: null, high: null },
      ],
      [{ label, value: 1 }],
      { title: label, label, color: "blue", xLabel: label, unit: label },
    ),
  grid: (label: string) =>
    heatGrid([label, "b"], [{ label, values: [0.4, Number.NaN] }], {
      title: label,
      xLabel: label,
      kind: "number",
    }),
  heat: (label: string) =>
    heatStrip([label, "b"], [{ label, kind: "signed", values: [-0.4, Number.NaN] }], {
      title: label,
      xLabel: label,
    }),
};

describe.each(Object.entries(charts))("%s chart", (_, draw) => {
  it("is well-formed, described, colored by variables and free of foreign markup", () => {
    const svg = draw(HOSTILE);
    expect(unclosed(svg)).toEqual([]);
    expect(svg).not.toContain("<script");
    expect(svg).toMatch(/^<svg [^>]*role="img" aria-label="[^"]+"/);
    expect(svg).toContain("<title>");
    expect(svg).toContain("var(--lr-");
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  });
});

describe("mirroredChart", () => {
  const draw = (above: readonly number[], below: readonly number[], axis: "log" | "signed") =>
    mirroredChart(
      { label: "right", color: "blue", counts: above, median: 0.5 },
      { label: "wrong", color: "orange", counts: below },
      {
        title: "t",
        xLabel: "x",
        edges: axis === "log" ? [0.1, 0.3, 1, 3, 10] : [-1, -0.1, 0, 0.1, 1],
        axis,
        heights: "share",
      },
    );

  it("draws a bar for every count above 0, the first side up, the second down, all inside", () => {
    const count = fc.integer({ min: 0, max: 1e6 });
    const counts = fc.tuple(count, count, count, count).filter((each) => each.some((one) => one > 0));
    fc.assert(
      fc.property(
        counts,
        counts,
        fc.constantFrom("log" as const, "signed" as const),
        (above, below, axis) => {
          const svg = draw(above, below, axis);
          const bars = [
            ...svg.matchAll(/<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/g),
          ].map(([, ...numbers]) => numbers.map(Number) as [number, number, number, number]);
          expect(bars).toHaveLength([...above, ...below].filter((one) => one > 0).length);
          const middle = Number(/d="M8 ([\d.]+)H468"/.exec(svg)?.[1]);
          const up = bars.filter(([, y]) => y < middle - 0.01);
          expect(up).toHaveLength(above.filter((one) => one > 0).length);
          for (const [x, y, width, height] of bars) {
            expect(x).toBeGreaterThanOrEqual(8);
            expect(x + width).toBeLessThanOrEqual(468.01);
            expect(y).toBeGreaterThan(40);
            expect(y + height).toBeLessThanOrEqual(216.01);
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it("says when a side has nothing", () => {
    expect(draw([0, 0, 0, 0], [1, 0, 0, 0], "log")).toContain("no values on one side");
  });
});

it("histogramChart counts both sides, cuts empty ends and takes a bar at 0", () => {
  const svg = histogramChart({
    title: "Δ",
    xLabel: "nats",
    edges: [-1, -0.1, -0.01, 0.01, 0.1, 1],
    counts: [0, 5, 1000, 7, 0],
  });
  expect(svg).toContain("below 0: 5");
  expect(svg).toContain("around 0: 1,000");
  expect(svg).toContain("above 0: 7");
  expect(svg.match(/<rect/g)).toHaveLength(3);
  expect(histogramChart({ title: "|Δp|", xLabel: "", edges: [0, 1e-3, 1], counts: [3, 4] })).toContain(
    "<title>0 to 0.001: 3 (42.9 %)</title>",
  );
  expect(histogramChart({ title: "Δ", xLabel: "nats", edges: [], counts: [] })).toContain("no values");
});

it("tailChart draws each tail as far as it reaches", () => {
  const point = (threshold: number, positive: number, negative: number) => {
    const tokens = positive + negative;
    return { threshold, tokens, share: tokens / 1e4, positive, negative };
  };
  const svg = tailChart([point(0.01, 50, 40), point(0.1, 2, 9), point(1, 0, 3), point(10, 0, 0)], {
    title: "tail",
  });
  expect(svg).toContain("Δ &gt; τ: 0 above 1");
  expect(svg).toContain("Δ &lt; −τ: 3 above 1");
  expect(svg.match(/<circle/g)).toHaveLength(8);
  expect(tailChart([], { title: "tail" })).toContain("no token is above a threshold");
});

describe("intervalLine", () => {
  const options = { title: "t", label: "mean KL", color: "blue", xLabel: "step", unit: "nats" } as const;
  const point = (x: number, value: number | null) => ({
    x,
    name: `s${x}`,
    value,
    low: value === null ? null : value / 2,
    high: value === null ? null : value * 2,
  });

  it("draws the interval as a band and tells every point", () => {
    const svg = intervalLine([point(1, 0.1), point(2, 0.2)], [], options);
    expect(svg).toContain('fill-opacity="0.2"');
    expect(svg).toContain("<title>s2 0.200 (0.100 to 0.400)</title>");
    expect(svg).toContain("band: 95 % interval");
  });

  it("leaves out what is not known rather than drawing 0, and keeps level names apart", () => {
    const svg = intervalLine(
      [point(1, 0.1), point(2, null)],
      [
        { label: "sft", value: 0.05 },
        { label: "base", value: 0.0501 },
      ],
      options,
    );
    expect(svg.match(/<circle/g)).toHaveLength(1);
    const heights = [...svg.matchAll(/y="([\d.]+)"[^>]*>(?:sft|base) /g)].map(([, y]) => Number(y));
    expect(Math.abs(heights[0]! - heights[1]!)).toBeGreaterThanOrEqual(12);
    expect(intervalLine([point(1, null)], [], options)).toContain("no values");
  });
});

describe("heatGrid and intervalBars", () => {
  it("keep what is not known apart from 0", () => {
    const grid = heatGrid(["a", "b"], [{ label: "row", values: [0, Number.NaN] }], {
      title: "t",
      xLabel: "x",
      kind: "number",
    });
    expect(grid).toContain("<title>row, a: 0</title>");
    expect(grid).toContain("<title>row, b: not known</title>");
    const bars = intervalBars(
      [
        { label: "a", value: 0.5, low: 0.4, high: 0.6, color: "blue" },
        { label: "b", value: null, low: null, high: null, color: "blue" },
      ],
      { title: "t", unit: "nats", kind: "number" },
    );
    expect(bars).toContain("<title>a: 0.500, 0.400 to 0.600</title>");
    expect(bars).toContain("<title>b: not known</title>");
    expect(bars.match(/<rect/g)).toHaveLength(1);
  });
});
