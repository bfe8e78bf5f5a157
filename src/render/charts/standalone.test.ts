import { expect, test } from "vitest";
import { heatGrid } from "./heat-grid.ts";
import { standaloneSvg } from "./standalone.ts";

test("a chart on its own has colors, paper and a margin", () => {
  const chart = heatGrid(["a"], [{ label: "row", values: [1] }], { title: "t", xLabel: "x", kind: "number" });
  const [, height] = /viewBox="0 0 480 ([\d.]+)"/.exec(chart) ?? [];
  expect(chart).toContain("var(--lr-");
  const own = standaloneSvg(chart);
  expect(own).not.toContain("var(");
  expect(own).toContain("#742a05");
  expect(own).toContain(`viewBox="-10 -10 500 ${Number(height) + 20}" width="500"`);
  expect(own).toContain(
    `><rect x="-10" y="-10" width="500" height="${Number(height) + 20}" fill="#ffffff"/>`,
  );
});
