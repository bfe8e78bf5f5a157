import { describe, expect, it } from "vitest";
import {
  type ChartSpec,
  chartRows,
  countUndrawn,
  cutChart,
  drawable,
  marksAt,
  nextMark,
  readout,
  sayPoint,
  sayReadout,
} from "./chart-spec.ts";
import { lineChart } from "./line-chart.ts";
import { lineLayout } from "./line-layout.ts";

const spec: ChartSpec = {
  id: "kl",
  title: "KL",
  unit: "nats",
  xLabel: "step",
  xs: [10, 20, 30],
  lines: [{ label: "k3", color: "blue", values: [0.01, null, 0.5] }],
  scale: "linear",
  kind: "number",
  fromZero: true,
  extreme: "most",
};

it("draws a gap where a value is missing, and nothing at 0 for it", () => {
  expect(drawable([1, null, Number.NaN, 0], "linear")).toEqual([1, null, null, 0]);
  expect(drawable([1, null, -1, 0], "log")).toEqual([1, null, null, null]);
  const svg = lineChart(spec);
  expect(svg.match(/<circle/g)).toHaveLength(2);
  expect(svg).toMatch(/d="M[\d. ]+M[\d. ]+" fill="none"/);
});

it("shows values between two gaps as points", () => {
  const xs = Array.from({ length: 500 }, (_, index) => index);
  const values = xs.map((x) => (x === 250 ? 1 : null));
  expect(lineChart({ ...spec, xs, lines: [{ label: "a", color: "blue", values }] })).toContain("<circle");
});

it("counts what a logarithmic axis leaves out", () => {
  const signed = { ...spec, lines: [{ ...spec.lines[0]!, values: [0, -1, 2] }] };
  expect(countUndrawn(signed)).toBe(0);
  expect(countUndrawn({ ...signed, scale: "log" })).toBe(2);
});

it("says numbers: the extreme, or the place of the crosshair", () => {
  expect(sayReadout(readout(spec, spec.lines[0]!.values, null))).toBe("most 0.500 at 30");
  expect(readout(spec, spec.lines[0]!.values, 1).value).toBe("–");
  expect(sayPoint(spec, 0)).toBe("step 10: k3 0.0100");
});

it("cuts a chart to a range of x, extremes included", () => {
  const cut = cutChart(spec, [10, 20]);
  expect(cut.xs).toEqual([10, 20]);
  expect(sayReadout(readout(cut, cut.lines[0]!.values, null))).toBe("most 0.0100 at 10");
});

it("exports the rows with their gaps", () => {
  expect(chartRows(spec)[1]).toEqual({ step: 20, k3: null });
});

describe("marks", () => {
  const marked: ChartSpec = {
    ...spec,
    marks: [
      { x: 10, label: "alert: far off" },
      { x: 30, label: "alert: <b>" },
      { x: 30, label: "alert: again" },
    ],
  };

  it("are drawn once for each x, behind the lines, with what they say as text", () => {
    const svg = lineChart(marked);
    expect(svg.match(/stroke-dasharray="3 3"/g)).toHaveLength(2);
    expect(svg).toContain("<title>alert: &lt;b&gt;; alert: again</title>");
    const x = lineLayout(marked).x.map(30);
    expect(svg).toContain(`M${Math.round(x * 10) / 10} `);
    expect(svg.indexOf("3 3")).toBeLessThan(svg.indexOf('stroke-width="1.6"'));
    expect(lineChart(spec)).not.toContain("3 3");
  });

  it("are said with their x, and only those within a part of the chart are kept", () => {
    expect(sayPoint(marked, 0)).toBe("step 10: k3 0.0100; alert: far off");
    expect(marksAt(marked, 1)).toEqual([]);
    expect(cutChart(marked, [20, 30]).marks?.map(({ x }) => x)).toEqual([30, 30]);
  });

  it("are found one after the other in both directions", () => {
    const seen = [null, 0, 1, 2].map((at) => [nextMark(marked, at, true), nextMark(marked, at, false)]);
    expect(seen).toEqual([
      [0, 2],
      [2, undefined],
      [2, 0],
      [undefined, 0],
    ]);
    expect(nextMark(spec, null, true)).toBeUndefined();
  });
});
