import { describe, expect, it } from "vitest";
import { bar, chooseScale, sparkline } from "./bars.ts";

describe("sparkline", () => {
  it("stands on 0, so that a flat series looks flat", () => {
    expect(sparkline([1, 1.02, 0.99], 10, true)).toBe("███");
    expect(sparkline([1, 2, 3, 4, 5, 6, 7, 8], 8, true)).toBe("▁▂▃▄▅▆▇█");
    expect(sparkline([1, 2, 3, 4, 5, 6, 7, 8], 8, false)).toBe(".:-=+*#@");
  });

  it("keeps a spike of one step among many, and gaps", () => {
    const values = Array.from({ length: 1000 }, (_, index) => (index === 777 ? 100 : 1));
    expect(sparkline(values, 10, true)).toBe("▁▁▁▁▁▁▁█▁▁");
    expect(sparkline([1, Number.NaN, 1], 3, true)).toBe("█ █");
  });

  it("draws zeros, nothing, and infinities", () => {
    expect(sparkline([0, 0], 5, true)).toBe("▁▁");
    expect(sparkline([], 5, true)).toBe("");
    expect(sparkline([1, Number.POSITIVE_INFINITY], 5, true)).toBe("██");
    expect(sparkline([Number.NaN, Number.NaN], 5, true)).toBe("  ");
  });
});

describe("sparkline over decades", () => {
  it("is logarithmic where values are decades apart", () => {
    expect(chooseScale([1, 99])).toBe("linear");
    expect(chooseScale([1e-9, 0.01, 1, 0])).toBe("log");
    expect(chooseScale([0, 3, Number.NaN, Number.POSITIVE_INFINITY])).toBe("linear");
    expect(chooseScale([])).toBe("linear");
  });

  it("shows every decade, zeros at the bottom, infinities at the top, and gaps", () => {
    expect(sparkline([1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1], 8, true, "log")).toBe("▁▂▃▄▅▆▇█");
    expect(sparkline([1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1], 8, true)).toBe("▁▁▁▁▁▁▁█");
    expect(sparkline([0, 1, Number.NaN, 1000, Number.POSITIVE_INFINITY], 5, true, "log")).toBe("▁▁ ██");
  });
});

it("bar is as long as its share, to an eighth of a column", () => {
  expect(bar(1, 4, true)).toBe("████");
  expect(bar(0.53125, 4, true)).toBe("██▏");
  expect(bar(0.001, 4, true)).toBe("▏");
  expect(bar(0, 4, true)).toBe("");
  expect(bar(Number.NaN, 4, true)).toBe("");
  expect(bar(0.5, 4, false)).toBe("##");
});
