import { describe, expect, it } from "vitest";
import { PoissonBootstrap } from "./poisson-bootstrap.ts";

/** Sequences of 10 tokens whose sums are normal around `mean` with deviation `deviation` (seeded). */
function sequences(count: number, mean: number, deviation: number): number[][] {
  let state = 7;
  const uniform = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  return Array.from({ length: count }, () => [
    10,
    mean + deviation * Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()),
  ]);
}

const meanOf = (sums: Float64Array): number => (sums[1] as number) / (sums[0] as number);

describe("PoissonBootstrap", () => {
  it("gives the interval that theory gives for a mean of independent sequences", () => {
    const bootstrap = new PoissonBootstrap(2);
    for (const sequence of sequences(2000, 5, 2)) bootstrap.add(sequence);
    const { low, high } = bootstrap.interval(meanOf);
    const width = (2 * 1.96 * 0.2) / Math.sqrt(2000);
    expect(high - low).toBeGreaterThan(0.85 * width);
    expect(high - low).toBeLessThan(1.15 * width);
    expect(low).toBeLessThan(0.5);
    expect(high).toBeGreaterThan(0.5);
  });

  it("does not depend on order or sharding", () => {
    const all = sequences(50, 1, 1);
    const whole = new PoissonBootstrap(2);
    for (const sequence of all) whole.add(sequence);
    const [left, right] = [new PoissonBootstrap(2), new PoissonBootstrap(2)];
    for (const sequence of all.slice(0, 13).reverse()) left.add(sequence);
    for (const sequence of all.slice(13)) right.add(sequence);
    right.merge(PoissonBootstrap.fromJSON(JSON.parse(JSON.stringify(left))));
    const [a, b] = [whole.interval(meanOf), right.interval(meanOf)];
    expect(b.low).toBeCloseTo(a.low, 12);
    expect(b.high).toBeCloseTo(a.high, 12);
  });

  it("says NaN where a statistic does not exist", () => {
    expect(new PoissonBootstrap(2).interval(meanOf)).toEqual({ low: Number.NaN, high: Number.NaN });
  });

  it("refuses to merge bootstraps of another shape", () => {
    expect(() => new PoissonBootstrap(2).merge(new PoissonBootstrap(3))).toThrow(
      "Cannot merge bootstraps: 2 columns × 400 replicates here, 3 × 400 there",
    );
  });
});
