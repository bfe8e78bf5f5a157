import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rowWindow, scrollToRow } from "./row-window.ts";

describe("the window of rows", () => {
  it("covers what is in sight, and its heights add up to the whole table", () => {
    const pixels = fc.integer({ min: 0, max: 3_000_000 });
    fc.assert(
      fc.property(
        fc.nat(100_000),
        fc.integer({ min: 1, max: 60 }),
        pixels,
        fc.nat(2000),
        (rows, each, at, height) => {
          const scrollTop = Math.min(at, Math.max(0, rows * each - height));
          const { first, end, above, below } = rowWindow(rows, each, scrollTop, height);
          expect(above + (end - first) * each + below).toBe(rows * each);
          expect(first * each <= scrollTop || first === 0).toBe(true);
          expect(end * each >= Math.min(scrollTop + height, rows * each)).toBe(true);
          expect(first % 2).toBe(0);
        },
      ),
    );
  });

  it("scrolls no further than needed to show a row below the head", () => {
    expect(scrollToRow(5, 20, 30, 0, 200)).toBeUndefined();
    expect(scrollToRow(9, 20, 30, 0, 200)).toBe(30);
    expect(scrollToRow(2, 20, 30, 100, 200)).toBe(40);
  });
});
