import { describe, expect, it } from "vitest";
import { seededRandom } from "../../core/statistics/random.ts";
import { predictRun } from "./corridor.ts";

const random = seededRandom(17);
const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

const linear = (values: readonly number[], errors: readonly (number | null)[] = values.map(() => null)) => ({
  scale: "linear" as const,
  values,
  errors,
});

describe("a corridor", () => {
  it("is the prediction interval of Student's t", () => {
    // scipy: m ± t.ppf(0.975, 4) * s * sqrt(1 + 1/5) of [1, 2, 3, 4, 5], s = sqrt(2.5)
    const { low, high } = predictRun(linear([1, 2, 3, 4, 5]), 0.05)!;
    const half = 2.7764451051977987 * Math.sqrt(2.5) * Math.sqrt(1.2);
    expect(low).toBeCloseTo(3 - half, 9);
    expect(high).toBeCloseTo(3 + half, 9);
  });

  it.each([
    ["few runs", 3, 0.05],
    ["ten runs", 10, 0.01],
    ["many runs", 40, 0.2],
  ])("leaves out one more run at its rate: %s", (_, runs, alpha) => {
    const tries = 6000;
    let outside = 0;
    for (let at = 0; at < tries; at++) {
      const scale = Math.exp(3 * normal());
      const draw = (): number => Math.exp(scale * normal());
      const corridor = predictRun(
        { scale: "log", values: Array.from({ length: runs }, draw), errors: [] },
        alpha,
      )!;
      const next = draw();
      if (next < corridor.low || next > corridor.high) outside++;
    }
    // Four standard errors; a floor of 1 % and an overflow can only make it wider.
    const error = Math.sqrt((alpha * (1 - alpha)) / tries);
    expect(outside / tries).toBeLessThan(alpha + 4 * error);
    expect(outside / tries).toBeGreaterThan(0.8 * alpha - 4 * error);
  });

  it("keeps its rate for a run that is known less well than those before", () => {
    const [tries, alpha, runs] = [6000, 0.05, 6];
    let outside = 0;
    for (let at = 0; at < tries; at++) {
      const draw = (error: number): number => normal() + error * normal();
      const values = Array.from({ length: runs }, () => draw(1));
      const history = linear(
        values,
        values.map(() => 1),
      );
      const { low, high } = predictRun(history, alpha, { error: 4, clusters: 40 })!;
      const next = draw(4);
      if (next < low || next > high) outside++;
    }
    expect(Math.abs(outside / tries - alpha)).toBeLessThan(0.015);
  });

  it("is not made wider by a run that is known better", () => {
    const history = linear([1, 2, 3, 4], [1, 1, null, 1]);
    expect(predictRun(history, 0.05, { error: 0.5, clusters: 40 })).toEqual(predictRun(history, 0.05));
    const wide = predictRun(history, 0.05, { error: 5, clusters: 40 })!;
    expect(wide.high - wide.low).toBeGreaterThan(10);
  });

  it("needs three runs", () => {
    expect(predictRun(linear([1, 2]), 0.05)).toBeUndefined();
  });

  it("of runs that agree is 1 % to either side, and of runs that are all 0 it is 0", () => {
    const { low, high } = predictRun({ scale: "log", values: [2, 2, 2], errors: [] }, 0.05)!;
    expect([low, high]).toEqual([expect.closeTo(2 / 1.01, 3), expect.closeTo(2 * 1.01, 3)]);
    const zero = predictRun({ scale: "log", values: [0, 0, 0], errors: [] }, 0.05);
    expect(zero).toEqual({ scale: "linear", runs: 3, low: 0, high: 0 });
  });

  it("of what is 1 in a perfect run stays below 1, its ends in order", () => {
    const { low, high } = predictRun({ scale: "below_one", values: [0.99, 0.995, 0.98], errors: [] }, 0.01)!;
    expect(low).toBeLessThan(0.98);
    expect(high).toBeGreaterThan(0.995);
    expect(high).toBeLessThan(1);
  });
});
