import { expect, it } from "vitest";
import {
  type ChartSpec,
  chartRows,
  countUndrawn,
  cutChart,
  drawable,
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

it("cuts a chart to a range of x, extremes included", () => {
  const cut = cutChart(spec, [10, 20]);
  expect(cut.xs).toEqual([10, 20]);
  expect(sayReadout(readout(cut, cut.lines[0]!.values, null))).toBe("most 0.0100 at 10");
});

it("exports the rows with their gaps", () => {
  expect(chartRows(spec)[1]).toEqual({ step: 20, k3: null });
});
