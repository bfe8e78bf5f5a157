import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { computeImpact, quickExp, quickK3 } from "./impact.ts";
import { computeK3 } from "./scalar.ts";

describe("the impact of a token", () => {
  it("is 0 without advantage, whatever ρ", () => {
    expect([computeImpact(0, 800), computeImpact(0, -3), computeImpact(2, 0)]).toEqual([0, 0, 0]);
    expect([computeImpact(1, 800), computeImpact(-1, 800)]).toEqual([Infinity, -Infinity]);
    expect(computeImpact(0, Number.NaN)).toBeNaN();
    expect(computeImpact(-2, Math.LN2)).toBeCloseTo(-2, 12);
  });

  it("has k3 to the last digits, also where the series serves", () => {
    fc.assert(
      fc.property(fc.double({ min: -2, max: 2, noNaN: true }), (delta) => {
        expect(Math.abs(quickK3(delta) - computeK3(delta))).toBeLessThanOrEqual(1e-13 * computeK3(delta));
      }),
    );
    expect(quickK3(1e-9) / (0.5e-18 + 1e-27 / 6)).toBeCloseTo(1, 14);
  });

  it("has ρ to the last digit but one", () => {
    fc.assert(
      fc.property(fc.double({ min: -0.1, max: 0.1, noNaN: true }), (delta) => {
        expect(Math.abs(quickExp(delta) / Math.exp(delta) - 1)).toBeLessThanOrEqual(2 ** -51);
      }),
    );
    expect([quickExp(800), quickExp(-800), quickExp(0)]).toEqual([Infinity, 0, 1]);
    expect(quickExp(Number.NaN)).toBeNaN();
  });
});
