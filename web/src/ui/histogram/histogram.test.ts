import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asinhAxis, deltaTicks, spacedTicks } from "./axis.ts";
import { countInto, evenEdges, geometricEdges } from "./bins.ts";

describe("bins", () => {
  it("hold every value; those beyond the ends are in the outermost bins", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -5, max: 5, noNaN: true })), (values) => {
        const edges = evenEdges(-1, 1, 8);
        const counts = countInto(edges, [...values, Number.NaN]);
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(values.length);
        expect(counts[0]).toBe(values.filter((value) => value < edges[1]!).length);
      }),
    );
  });

  it("can be even in the logarithm", () => {
    expect([...geometricEdges(1, 1000, 3)].map(Math.round)).toEqual([1, 10, 100, 1000]);
    expect([...countInto(geometricEdges(1, 1000, 3), [0, 2, 20, 30, 200, 5000], Math.log)]).toEqual([
      2, 2, 2,
    ]);
  });
});

describe("the axis of Δ", () => {
  it("maps values to places and back", () => {
    const axis = asinhAxis(10, 0.01);
    fc.assert(
      fc.property(fc.double({ min: -10, max: 10, noNaN: true }), (value) => {
        expect(axis.value(axis.place(value))).toBeCloseTo(value, 9);
      }),
    );
    expect([axis.place(-10), axis.place(0), axis.place(10)]).toEqual([-1, 0, 1]);
  });

  it("has labels that do not touch", () => {
    const axis = asinhAxis(10, 0.01);
    const ticks = spacedTicks(deltaTicks(10), axis, 0.12);
    expect(ticks).toContain(0);
    expect(ticks).toContain(10);
    const places = ticks.map(axis.place);
    for (let i = 1; i < places.length; i++) expect(places[i]! - places[i - 1]!).toBeGreaterThanOrEqual(0.12);
  });
});
