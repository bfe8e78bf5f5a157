import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LENGTH_BUCKETS, lengthBucket, lengthQuartiles } from "./buckets.ts";
import { DeltaMoments } from "./delta-moments.ts";
import { tokenBudget } from "./token-budget.ts";

/** Normal numbers by Box and Muller from a seeded generator. */
function normals(seed: number): () => number {
  let state = seed >>> 0;
  const uniform = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

function sample(mean: number, within: number, between: number, sequences: number): DeltaMoments {
  const normal = normals(7);
  const moments = new DeltaMoments();
  for (let i = 0; i < sequences; i++) {
    const shift = mean + between * normal();
    const length = 20 + ((i * 37) % 100);
    let [sum, squares] = [0, 0];
    for (let t = 0; t < length; t++) {
      const delta = shift + within * normal();
      sum += delta;
      squares += delta * delta;
    }
    moments.add(length, sum, squares);
  }
  return moments;
}

describe("tokenBudget", () => {
  it("finds the variances that made the data", () => {
    const budget = tokenBudget(sample(-0.004, 0.1, 0.02, 3000))!;
    expect(budget.delta_mean).toBeCloseTo(-0.004, 2);
    expect(budget.delta_variance_within).toBeCloseTo(0.01, 3);
    expect(budget.delta_variance_between / 0.0004).toBeGreaterThan(0.85);
    expect(budget.delta_variance_between / 0.0004).toBeLessThan(1.15);
  });

  it("solves its own equations at any size of mean and variances", () => {
    const size = fc.double({ min: 1e-4, max: 1, noNaN: true });
    fc.assert(
      fc.property(size, size, fc.double({ min: 0, max: 0.5, noNaN: true }), (mean, within, between) => {
        const budget = tokenBudget(sample(mean, within, between, 40))!;
        const spread = (n: number): number =>
          n * budget.delta_variance_within + n * n * budget.delta_variance_between;
        expect(spread(budget.ess_half)).toBeCloseTo(Math.LN2, 9);
        const n = budget.in_bounds;
        expect(n * Math.abs(budget.delta_mean) + Math.sqrt(spread(n))).toBeCloseTo(Math.LN2, 9);
      }),
      { numRuns: 30 },
    );
  });

  it("predicts the ESS of product weights that normal Δ have", () => {
    const normal = normals(3);
    const [moments, sums] = [new DeltaMoments(), [0, 0] as [number, number]];
    const [count, length] = [20_000, 60];
    for (let i = 0; i < count; i++) {
      let [sum, squares] = [0, 0];
      for (let t = 0; t < length; t++) {
        const delta = 0.08 * normal();
        sum += delta;
        squares += delta * delta;
      }
      moments.add(length, sum, squares);
      sums[0] += Math.exp(sum);
      sums[1] += Math.exp(2 * sum);
    }
    const measured = sums[0] ** 2 / (count * sums[1]);
    expect(tokenBudget(moments)!.ess_at_mean_length / measured).toBeCloseTo(1, 1);
  });

  it("lets the spread between sequences grow with the square of their length", () => {
    const budget = tokenBudget(sample(0.01, 0.05, 0.02, 500))!;
    const {
      sequence_length_mean: n,
      delta_variance_within: within,
      delta_variance_between: between,
    } = budget;
    expect(between).toBeGreaterThan(1e-4);
    expect(Math.log(budget.ess_at_mean_length)).toBeCloseTo(-(n * within + n ** 2 * between), 12);
  });

  it("is unknown where every sequence has one token", () => {
    const [single, longer] = [new DeltaMoments(), new DeltaMoments()];
    for (const delta of [0.1, -0.2, 0.3]) {
      single.add(1, delta, delta ** 2);
      longer.add(2, 2 * delta, 2 * delta ** 2);
    }
    expect(tokenBudget(single)).toBeNull();
    expect(tokenBudget(longer)).not.toBeNull();
  });

  it("is infinite where both sides are equal, and unknown for one sequence", () => {
    expect(tokenBudget(sample(0, 0, 0, 5))).toMatchObject({
      ess_half: Number.POSITIVE_INFINITY,
      in_bounds: Number.POSITIVE_INFINITY,
      ess_at_mean_length: 1,
    });
    expect(tokenBudget(sample(0, 0.1, 0, 1))).toBeNull();
  });
});

describe("lengthQuartiles", () => {
  it("covers every length once, in order, with edges that hold what their bucket holds", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1 }), (lengths) => {
        const counts = new Float64Array(LENGTH_BUCKETS);
        for (const length of lengths) counts[lengthBucket(length)]!++;
        const groups = lengthQuartiles(counts);
        expect(groups.length).toBeLessThanOrEqual(4);
        for (const length of lengths)
          expect(groups.filter(({ from, to }) => length >= from && length <= to)).toHaveLength(1);
      }),
    );
  });
});
