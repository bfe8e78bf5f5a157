import { expect, it } from "vitest";
import { fileName, flatRows, standaloneSvg, toCsv, toJson } from "./export.ts";

it("names files after run and picture, whatever characters their names contain", () => {
  expect(fileName("int8", "Mean |Δ|", "svg")).toBe("int8-Mean.svg");
  expect(fileName("../a/b c", "by turn", "csv")).toBe("a-b-c-by-turn.csv");
  expect(fileName("日本", "k3", "png")).toBe("k3.png");
});

it("writes CSV with every column and digit, and without formulas", () => {
  const rows = [
    { name: 'say "hi", you', mean: 0.1 + 0.2 },
    { name: "=HYPERLINK(1)", mean: Number.NaN, max: Number.POSITIVE_INFINITY },
    { name: "-0.5", mean: -1 },
  ];
  expect(toCsv(rows)).toBe(
    'name,mean,max\r\n"say ""hi"", you",0.30000000000000004,\r\n\'=HYPERLINK(1),NaN,Infinity\r\n-0.5,-1,\r\n',
  );
});

it("writes JSON that keeps non-finite numbers", () => {
  expect(JSON.parse(toJson([{ a: Number.NaN, b: 2, c: null }]))).toEqual([{ a: "NaN", b: 2, c: null }]);
});

it("leaves nested values out of tables", () => {
  expect(flatRows([{ a: 1, b: { c: 2 }, d: [3], e: null }])).toEqual([{ a: 1, e: null }]);
});

it("makes pictures self-contained", () => {
  expect(standaloneSvg('<path fill="var(--lr-blue, #1f66ad)"/>')).toContain('<path fill="#1f66ad"/>');
});
