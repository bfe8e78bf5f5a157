import { describe, expect, test } from "vitest";
import { maxStatisticTest } from "./max-statistic.ts";
import { seededRandom } from "./random.ts";

/** All orders of a few values. */
function* orders(values: readonly number[]): Generator<readonly number[]> {
  if (values.length === 0) yield [];
  for (const [at, value] of values.entries()) {
    const rest = values.filter((_, other) => other !== at);
    for (const order of orders(rest)) yield [value, ...order];
  }
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

describe("maxStatisticTest", () => {
  test("estimates the p of all orders of seven values in three groups", () => {
    const values = [3.1, -1.2, 0.4, 2.5, -0.7, -2.2, -1.9];
    const groups = [0, 1, 1, 0, 2, 2, 2];
    const computeZ = (order: readonly number[]): number[] => {
      const mean = order.reduce((a, b) => a + b) / order.length;
      const variance = order.reduce((a, b) => a + (b - mean) ** 2, 0) / (order.length - 1);
      return [0, 1, 2].map((group) => {
        const mine = order.filter((_, i) => groups[i] === group);
        const sum = mine.reduce((a, b) => a + b, 0);
        const m = mine.length;
        return (sum - m * mean) / Math.sqrt(m * (1 - m / order.length) * variance);
      });
    };
    const observed = computeZ(values);
    const all = [...orders(values)].map((order) => Math.max(...computeZ(order)));
    const exact = observed.map((z) => all.filter((most) => most >= z - 1e-9).length / all.length);
    const { z, p } = maxStatisticTest({
      values: Float64Array.from(values),
      groups: Int32Array.from(groups),
      groupCount: 3,
    });
    for (const group of [0, 1, 2]) {
      expect(z[group]).toBeCloseTo(observed[group]!, 12);
      // Three standard errors; p that is certain to be large is estimated from fewer draws.
      const share = exact[group]!;
      expect(Math.abs(p[group]! - share)).toBeLessThan(
        (share > 0.05 ? 4 : 1) * (3 * Math.sqrt((share * (1 - share)) / 399) + 4 / 400),
      );
    }
  });

  test("finds a worst of 40 groups in about 5 % of runs where none is, heavy tails or not", () => {
    const random = seededRandom(7);
    for (const draw of [() => normal(random), () => Math.exp(2 * normal(random))]) {
      const runs = 300;
      let found = 0;
      for (let run = 0; run < runs; run++) {
        const values = Float64Array.from({ length: 160 }, draw);
        const groups = Int32Array.from(values, (_, i) => i % 40);
        if (Math.min(...maxStatisticTest({ values, groups, groupCount: 40 }, run).p) <= 0.05) found++;
      }
      expect(found / runs).toBeLessThan(0.09);
      expect(found / runs).toBeGreaterThan(0.015);
    }
  });

  test("finds the one group that is off, and only that", () => {
    const random = seededRandom(8);
    const values = Float64Array.from({ length: 200 }, (_, i) => normal(random) + (i % 20 === 13 ? 2 : 0));
    const groups = Int32Array.from(values, (_, i) => i % 20);
    const { p } = maxStatisticTest({ values, groups, groupCount: 20 });
    expect([...p].flatMap((value, group) => (value <= 0.05 ? [group] : []))).toEqual([13]);
  });

  test("within blocks does not see what differs between them", () => {
    const random = seededRandom(9);
    // Group 1 lies in the blocks with the large values only; within a block nothing differs.
    const values: number[] = [];
    const groups: number[] = [];
    const blocks = [0];
    for (let block = 0; block < 60; block++) {
      const level = block < 30 ? 10 : 0;
      for (const group of block < 30 ? [0, 1, 1] : [0, 0, 2]) {
        values.push(level + normal(random));
        groups.push(group);
      }
      blocks.push(values.length);
    }
    const units = {
      values: Float64Array.from(values),
      groups: Int32Array.from(groups),
      groupCount: 3,
    };
    expect(maxStatisticTest(units).p[1]).toBeLessThan(0.01);
    expect(maxStatisticTest({ ...units, blocks: Int32Array.from(blocks) }).p[1]).toBeGreaterThan(0.05);
  });

  test("says nothing of one group, of equal values, or of nothing", () => {
    const one = { values: Float64Array.of(1, 2, 3), groups: Int32Array.of(0, 0, 0), groupCount: 1 };
    expect(maxStatisticTest(one).p[0]).toBe(1);
    const equal = { values: Float64Array.of(1, 1, 1), groups: Int32Array.of(0, 1, 1), groupCount: 2 };
    expect([...maxStatisticTest(equal).p]).toEqual([1, 1]);
    const none = { values: new Float64Array(), groups: new Int32Array(), groupCount: 2 };
    expect([...maxStatisticTest(none).p]).toEqual([1, 1]);
  });
});
