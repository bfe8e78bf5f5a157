import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countScale, exactScale, linearScale, logScale, type Scale, signedLogScale } from "./scale.ts";

const labels = (scale: Scale): string[] => scale.ticks.map((tick) => tick.label);

describe("scales", () => {
  it("put ticks at round values", () => {
    expect(labels(linearScale([0, 0.0172], [0, 100]))).toEqual(["0", "0.005", "0.01", "0.015", "0.02"]);
    expect(labels(linearScale([-2e-5, 0.0144], [0, 100]))).toEqual(["0", "0.005", "0.01", "0.015"]);
    expect(linearScale([-2e-5, 0.0144], [0, 100]).map(-2e-5)).toBe(0);
    expect(labels(linearScale([-0.003, 0.0144], [0, 100]))[0]).toBe("-0.005");
    expect(labels(exactScale([10, 150], [0, 100]))).toEqual(["50", "100", "150"]);
    expect(labels(exactScale([1, 3], [0, 100]))).toEqual(["1", "2", "3"]);
    expect(labels(logScale([0.003, 40], [0, 100]))).toEqual(["1e-3", "0.01", "0.1", "1", "10", "100"]);
    expect(labels(countScale(37_240, [0, 100]))).toEqual(["1", "10", "100", "1 k", "10 k"]);
    expect(labels(signedLogScale([-10, 1], 1e-6, [0, 100]))).toEqual(["−10", "−0.01", "0", "0.01"]);
    expect(labels(signedLogScale([0, 1], 1e-6, [0, 100]))).toEqual([
      "0",
      "1e-5",
      "1e-4",
      "1e-3",
      "0.01",
      "0.1",
      "1",
    ]);
  });

  it("map the ends of the domain to the ends of the range", () => {
    expect(logScale([0.01, 100], [0, 100]).map(1)).toBeCloseTo(50, 9);
    expect(linearScale([0, 10], [200, 0]).map(5)).toBeCloseTo(100, 9);
    expect(signedLogScale([-1, 1], 1e-3, [0, 100]).map(0)).toBeCloseTo(50, 9);
    expect(countScale(999, [100, 0]).map(0)).toBeCloseTo(100, 9);
  });

  it("rise with the value, for any domain", () => {
    const size = fc.double({ min: 1e-6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(size, size, size, (a, b, c) => {
        const [low = 0, middle = 0, high = 0] = [a, b, c].sort((left, right) => left - right);
        for (const scale of [
          linearScale([low, high], [0, 400]),
          logScale([low, high], [0, 400]),
          signedLogScale([-high, high], low, [0, 400]),
        ]) {
          expect(scale.map(low)).toBeLessThanOrEqual(scale.map(middle));
          expect(scale.map(middle)).toBeLessThanOrEqual(scale.map(high));
          expect(scale.ticks.length).toBeGreaterThan(0);
          expect(scale.ticks.length).toBeLessThan(15);
          for (const tick of scale.ticks) expect(Number.isFinite(tick.at)).toBe(true);
        }
      }),
    );
  });
});
