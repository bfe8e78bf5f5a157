import { expect, it } from "vitest";
import {
  axisEnds,
  type ChartSpec,
  chartRows,
  countUndrawn,
  cutChart,
  drawable,
  isolated,
  readout,
  sayPoint,
  sayReadout,
} from "./chart-spec.ts";
import { lineChart } from "./line-chart.ts";

const spec: ChartSpec = {
  id: "kl",
  title: "KL",
  unit: "nats",
  xLabel: "step",
  xs: [10, 20, 30],
  lines: [{ label: "k3", colour: "blue", values: [0.01, null, 0.5] }],
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
  expect(isolated([null, 1, null, 2, 3, null, 4])).toEqual([1, 6]);
  const xs = Array.from({ length: 500 }, (_, index) => index);
  const values = xs.map((x) => (x === 250 ? 1 : null));
  expect(lineChart({ ...spec, xs, lines: [{ label: "a", colour: "blue", values }] })).toContain("<circle");
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

it("keeps the ends of axes around the values", () => {
  expect(axisEnds(spec)[0]).toBe(0);
  expect(axisEnds(spec)[1]).toBeGreaterThan(0.5);
  expect(axisEnds({ ...spec, scale: "log" })).toEqual([0.01, 1]);
  expect(axisEnds({ ...spec, lines: [] })).toEqual([0, 1.06]);
});

it("cuts a chart to a range of x, extremes included", () => {
  const cut = cutChart(spec, [10, 20]);
  expect(cut.xs).toEqual([10, 20]);
  expect(sayReadout(readout(cut, cut.lines[0]!.values, null))).toBe("most 0.0100 at 10");
});

it("exports the rows with their gaps", () => {
  expect(chartRows(spec)[1]).toEqual({ step: 20, k3: null });
});

it("never hides a spike among more steps than pixels", () => {
  const xs = Array.from({ length: 5000 }, (_, index) => index);
  const values = xs.map((x) => (x === 2713 ? 100 : 1));
  const svg = lineChart({ ...spec, xs, lines: [{ label: "max", colour: "orange", values }] });
  const [, band = ""] = /d="(M[^"]+Z)"/.exec(svg) ?? [];
  const heights = [...band.matchAll(/[ML][\d.]+ ([\d.]+)/g)].map(([, y]) => Number(y));
  expect(Math.min(...heights)).toBeLessThan(80);
  expect(svg).toContain("most 100 at 2713");
});
