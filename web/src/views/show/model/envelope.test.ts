import { expect, test } from "vitest";
import { formatRange, makeAxis, parseRange } from "./axis.ts";
import { computeEnvelope } from "./envelope.ts";

test("a spike in a hundred thousand tokens survives at 800 pixels", () => {
  const values = new Float64Array(100_000).fill(0.01);
  values[54_321] = -30;
  const { min, max, mean } = computeEnvelope(values, makeAxis(0, 100_000, 800).edges(800));
  expect(Math.min(...min)).toBe(-30);
  expect(Math.max(...max)).toBe(0.01);
  expect(min.indexOf(-30)).toBe(Math.floor((54_321 / 100_000) * 800));
  expect(Math.min(...mean)).toBeGreaterThan(-1);
});

test("missing values leave gaps, infinite ones are marked and not averaged", () => {
  const { min, mean, infinite } = computeEnvelope(
    Float64Array.of(Number.NaN, Number.NaN, 1, Infinity),
    Float64Array.of(0, 2, 4),
  );
  expect([...min]).toEqual([Number.NaN, 1]);
  expect([...mean]).toEqual([Number.NaN, 1]);
  expect([...infinite]).toEqual([0, 1]);
});

test("columns narrower than a token show the token around them", () => {
  const { max } = computeEnvelope(Float64Array.of(1, 2), makeAxis(0, 2, 6).edges(6));
  expect([...max]).toEqual([1, 1, 1, 2, 2, 2]);
});

test("a long prompt takes a tenth of the axis, and places convert to pixels and back", () => {
  const axis = makeAxis(9000, 1000, 1000);
  expect(axis.promptWidth).toBe(100);
  expect(axis.xOf(9000)).toBe(100);
  for (const token of [0, 4500, 8999, 9000, 9500, 9999])
    expect(axis.tokenAt(axis.xOf(token) + 0.005)).toBe(token);
  expect(axis.tokenAt(-5)).toBe(0);
  expect(axis.tokenAt(5000)).toBe(9999);
});

test("ranges in the address", () => {
  expect(parseRange("100-200", 150)).toEqual({ from: 100, to: 149 });
  expect(parseRange("20-10", 150)).toEqual({ from: 10, to: 20 });
  expect(parseRange("500-600", 150)).toBeUndefined();
  expect(parseRange("x", 150)).toBeUndefined();
  expect(formatRange({ from: 1, to: 2 })).toBe("1-2");
});
