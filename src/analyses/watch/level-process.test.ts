import { describe, expect, it } from "vitest";
import { seededRandom } from "../../core/statistics/random.ts";
import { LevelProcess } from "./level-process.ts";

const LEAST = Math.log(1.25);

function normalOf(random: () => number): () => number {
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** @returns the evidence after each level */
function watchLevels(levels: readonly number[], prompts = levels.map(() => 32)) {
  const process = new LevelProcess(LEAST);
  return levels.map((level, at) => process.add(at, level, prompts[at]!));
}

/** Σ a_i b_j (V⁻¹)_ij and ln |V|, by Cholesky's decomposition. */
function factor(covariance: readonly (readonly number[])[]) {
  const n = covariance.length;
  const lower = covariance.map(() => new Array<number>(n).fill(0));
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) {
      let sum = covariance[i]![j]!;
      for (let k = 0; k < j; k++) sum -= lower[i]![k]! * lower[j]![k]!;
      lower[i]![j] = i === j ? Math.sqrt(sum) : sum / lower[j]![j]!;
    }
  const whiten = (values: readonly number[]): number[] => {
    const out: number[] = [];
    values.forEach((value, i) => {
      out.push((value - out.reduce((sum, one, k) => sum + lower[i]![k]! * one, 0)) / lower[i]![i]!);
    });
    return out;
  };
  const product = (a: readonly number[], b: readonly number[]): number => {
    const [x, y] = [whiten(a), whiten(b)];
    return x.reduce((sum, one, i) => sum + one * y[i]!, 0);
  };
  return { product, logDeterminant: 2 * lower.reduce((sum, row, i) => sum + Math.log(row[i]!), 0) };
}

/** The covariance of levels, in units of the variance of η. */
function covary(n: number, persistence: number, noise: number): number[][] {
  return Array.from({ length: n }, (_, i) =>
    Array.from({ length: n }, (_, j) => {
      const shared =
        persistence < 1 ? persistence ** Math.abs(i - j) / (1 - persistence ** 2) : 1e-9 + Math.min(i, j);
      return shared + (i === j ? noise : 0);
    }),
  );
}

/** What the module's comment says, from dense covariances, without a filter. */
function weighDirectly(levels: readonly number[]): number {
  const n = levels.length;
  const ones = levels.map(() => 1);
  const patterns = [[0, 0], ...[0.6, 0.9, 1].flatMap((phi) => [0, 4, 32].map((noise) => [phi, noise]))];
  const fits = patterns.map(([phi, noise]) => {
    const { product, logDeterminant } = factor(covary(n, phi!, noise!));
    const [constants, crossed] = [product(ones, ones), product(ones, levels)];
    // The variance of a forecast from all that is before it.
    const forecast = (at: number): number =>
      Math.exp(
        factor(covary(at + 1, phi!, noise!)).logDeterminant -
          (at > 0 ? factor(covary(at, phi!, noise!)).logDeterminant : 0),
      );
    const residual =
      product(levels, levels) - crossed ** 2 / constants + ((n - 1) * 0.01 ** 2) / forecast(n - 1);
    const log = -(logDeterminant + Math.log(constants) + (n - 1) * Math.log(residual)) / 2;
    return { product, constants, crossed, residual, log, forecast };
  });
  const top = Math.max(...fits.map(({ log }) => log));
  let evidence = 0;
  for (let start = 0; start < n; start++)
    for (const ramp of [1, 10]) {
      const rise = levels.map((_, at) => Math.min(1, Math.max(0, at - start + 1) / ramp));
      let [wealth, size] = [0, 0];
      for (const { product, constants, crossed, residual, log, forecast } of fits) {
        const precision = 1 / (64 * forecast(start));
        const shared = product(rise, ones);
        const information = product(rise, rise) + precision - shared ** 2 / constants;
        const explained = product(rise, levels) - (shared * crossed) / constants;
        const left = residual - explained ** 2 / information;
        const one =
          Math.exp(log - top) * Math.sqrt(precision / information) * (residual / left) ** ((n - 1) / 2);
        wealth += one / fits.length;
        size += (one / fits.length) * (explained / information);
      }
      const share = ((start + 1) ** -0.25 - (start + 2) ** -0.25) / 2;
      if (size / wealth >= LEAST) evidence += share * wealth;
    }
  return Math.log(evidence);
}

describe("evidence that the level of steps rose", () => {
  it("is the ratio of likelihoods averaged over mean, spread and rise", () => {
    const normal = normalOf(seededRandom(3));
    const levels = Array.from({ length: 9 }, (_, at) => (at < 6 ? 0 : 0.8) + 0.2 * normal());
    expect(watchLevels(levels)[8]!.logEvidence).toBeCloseTo(weighDirectly(levels), 6);
  });

  it("depends neither on where the levels lie nor, if they vary by more than 1 %, on their unit", () => {
    const normal = normalOf(seededRandom(4));
    const levels = Array.from({ length: 30 }, (_, at) => (at < 20 ? 0 : 9) + normal());
    const last = (values: readonly number[]) => watchLevels(values).at(-1)!;
    const { logEvidence, since } = last(levels);
    expect(since).toBe(20);
    expect(last(levels.map((level) => level - 700)).logEvidence).toBeCloseTo(logEvidence, 6);
    expect(last(levels.map((level) => 100 * level)).logEvidence).toBeCloseTo(logEvidence, 2);
  });

  it("is on average at most 1 where nothing changes, and hardly ever large", () => {
    const random = seededRandom(5);
    const normal = normalOf(random);
    for (const persistence of [0, 0.75, 0.95, 1]) {
      let [sum, large] = [0, 0];
      const runs = 40;
      for (let run = 0; run < runs; run++) {
        let state = 0;
        const levels = Array.from({ length: 40 }, () => {
          state = persistence * state + 0.2 * normal();
          return state + 0.1 * normal();
        });
        const evidence = watchLevels(levels).map(({ logEvidence }) => Math.exp(logEvidence));
        sum += evidence.at(-1)!;
        if (Math.max(...evidence) >= 20) large++;
      }
      expect(sum / runs).toBeLessThan(1);
      // At most 5 % in expectation.
      expect(large).toBeLessThanOrEqual(4);
    }
  });

  it("finds a rise at once, a rise over ten steps, and one of a level that wanders, at their step", () => {
    const normal = normalOf(seededRandom(6));
    const jump = watchLevels(
      Array.from({ length: 34 }, (_, at) => (at < 30 ? 0 : Math.LN2) + 0.1 * normal()),
    );
    expect(jump[33]).toMatchObject({ since: 30 });
    expect(jump[33]!.logEvidence).toBeGreaterThan(7.6);
    const ramp = watchLevels(
      Array.from(
        { length: 45 },
        (_, at) => Math.log(3) * Math.min(1, Math.max(0, at - 29) / 10) + 0.05 * normal(),
      ),
    );
    expect(Math.max(...ramp.map(({ logEvidence }) => logEvidence))).toBeGreaterThan(7.6);
    let state = 0;
    const wandering = watchLevels(
      Array.from({ length: 45 }, (_, at) => {
        state += 0.1 * normal();
        return state + (at < 40 ? 0 : Math.log(3));
      }),
    );
    expect(wandering[41]).toMatchObject({ since: 40 });
    expect(wandering[41]!.logEvidence).toBeGreaterThan(7.6);
  });

  it("takes neither a fall nor a rise by less than the least for one", () => {
    const normal = normalOf(seededRandom(7));
    const move = (by: number) =>
      watchLevels(Array.from({ length: 60 }, (_, at) => (at < 40 ? 0 : by) + 0.02 * normal()));
    expect(Math.max(...move(-1).map(({ logEvidence }) => logEvidence))).toBeLessThan(0);
    expect(move(0.15).at(-1)!.logEvidence).toBeLessThan(0);
    expect(move(0.4).at(-1)!.logEvidence).toBeGreaterThan(7.6);
  });

  it("trusts a step of few prompts less", () => {
    const normal = normalOf(seededRandom(8));
    const levels = Array.from({ length: 31 }, (_, at) => (at < 30 ? 0 : 0.5) + 0.1 * normal());
    const prompts = (last: number) => levels.map((_, at) => (at < 30 ? 32 : last));
    const [many, few] = [32, 2].map((last) => watchLevels(levels, prompts(last)).at(-1)!.logEvidence);
    expect(few).toBeLessThan(many!);
  });
});
