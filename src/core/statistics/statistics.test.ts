import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { isLogratioError } from "../base/errors.ts";
import { pearsonTest, spearmanTest } from "./correlation.ts";
import { normalTail, studentAsNormal, studentQuantile95, studentTail } from "./distributions.ts";
import { kolmogorovTail } from "./kolmogorov-distribution.ts";
import { kolmogorovSmirnov } from "./kolmogorov-smirnov.ts";
import { mannWhitneyU } from "./mann-whitney.ts";
import { benjaminiHochberg, holm } from "./multiple-testing.ts";
import { tTest } from "./t-test.ts";
import { wilcoxonSignedRank } from "./wilcoxon.ts";

type Figure = number | string;
interface Expected {
  readonly statistic: Figure;
  readonly pvalue: Figure;
  readonly low?: Figure;
  readonly high?: Figure;
}
interface Samples {
  readonly a: Figure[];
  readonly b: Figure[];
}
type Fixture<K extends string> = Readonly<Record<string, Samples & Readonly<Record<K, Expected>>>>;

const independent =
  fixture<Fixture<"student" | "welch" | "mannWhitney" | "kolmogorovSmirnov">>("independent");
const paired = fixture<Fixture<"wilcoxon" | "pearson" | "spearman">>("paired");
const distributions =
  fixture<Readonly<Record<"student" | "normal" | "kolmogorov", number[][]>>>("distributions");
const corrections =
  fixture<Readonly<Record<string, Readonly<Record<"pValues" | "holm" | "benjaminiHochberg", number[]>>>>>(
    "corrections",
  );

describe("scipy's results, independent samples", () => {
  for (const [name, given] of Object.entries(independent)) {
    const [a, b] = [given.a.map(Number), given.b.map(Number)];
    test(name, () => {
      for (const [expected, result] of [
        [given.student, tTest(a, b)],
        [given.welch, tTest(a, b, { equalVariances: false })],
      ] as const) {
        holds(expected, result);
        near(result.meanDifferenceInterval.low, expected.low);
        near(result.meanDifferenceInterval.high, expected.high);
      }
      holds(given.mannWhitney, mannWhitneyU(a, b));
      holds(given.kolmogorovSmirnov, kolmogorovSmirnov(a, b));
    });
  }
});

describe("scipy's results, pairs", () => {
  for (const [name, given] of Object.entries(paired)) {
    const [a, b] = [given.a.map(Number), given.b.map(Number)];
    test(name, () => {
      holds(given.wilcoxon, wilcoxonSignedRank(a, b));
      holds(given.spearman, spearmanTest(a, b));
      const result = pearsonTest(a, b);
      if ("error" in given.pearson) {
        expect(result.statistic).toBeNaN();
        return;
      }
      holds(given.pearson, result);
      if (Number.isNaN(result.statistic)) return;
      near(result.interval.low, given.pearson.low);
      near(result.interval.high, given.pearson.high);
    });
  }
});

describe("tails", () => {
  test("of Student's t", () => {
    for (const [t, freedom, p] of distributions.student as [number, number, number][]) {
      near(studentTail(t, freedom), p, 1e-11, `t ${t}, ${freedom} degrees`);
      expect(studentTail(-t, freedom)).toBe(studentTail(t, freedom));
    }
  });
  test("of the normal distribution", () => {
    for (const [z, p] of distributions.normal as [number, number][]) near(normalTail(z), p, 1e-12, `z ${z}`);
  });
  test("of Kolmogorov's statistic", () => {
    for (const [d, n, p] of distributions.kolmogorov as [number, number, number][]) {
      near(kolmogorovTail(d, n), p, 1e-9, `d ${d}, n ${n}`);
    }
  });
  test("the quantile inverts the tail", () => {
    for (const freedom of [1, 1.01, 2, 7.7, 100, 1e4, 1e5, 1e6, 1e12]) {
      near(studentTail(studentQuantile95(freedom), freedom), 0.05, 1e-12);
    }
  });
});

describe("corrections for several tests", () => {
  for (const [name, given] of Object.entries(corrections)) {
    test(`statsmodels: ${name}`, () => {
      for (const [i, p] of holm(given.pValues).entries()) near(p, given.holm[i]);
      for (const [i, p] of benjaminiHochberg(given.pValues).entries()) near(p, given.benjaminiHochberg[i]);
    });
  }
  test("a test that could not be run does not count", () => {
    expect([...holm([0.01, Number.NaN, 0.04])]).toEqual([0.02, Number.NaN, 0.04]);
    expect([...benjaminiHochberg([Number.NaN])]).toEqual([Number.NaN]);
    expect(holm([])).toHaveLength(0);
  });
  test("p-values outside 0 to 1 are refused", () => {
    for (const adjust of [holm, benjaminiHochberg]) {
      const error = thrown(() => adjust([0.5, 1.5]));
      expect(isLogratioError(error, "UsageError") && error.message).toContain("number 1 is 1.5");
    }
  });
});

describe("effect sizes", () => {
  test("Cohen's d and Hedges' g by hand", () => {
    const result = tTest([3, 4, 5], [1, 2, 3, 4, 5]);
    near(result.cohenD, 1 / Math.sqrt((2 + 10) / 6));
    // J(6) = Γ(3) / (√3 · Γ(5/2))
    near(result.hedgesG, result.cohenD * (2 / (Math.sqrt(3) * 0.75 * Math.sqrt(Math.PI))));
    const margin = 1.959963984540054 * Math.sqrt(8 / 15 + result.hedgesG ** 2 / 16);
    near(result.hedgesGInterval.low, result.hedgesG - margin);
    near(result.hedgesGInterval.high, result.hedgesG + margin);
  });
  test("rank-biserial of independent samples: its interval lies in −1 to 1 and around the estimate", () => {
    const { rankBiserial, probabilityOfSuperiority, rankBiserialInterval } = mannWhitneyU(
      [1, 2, 3],
      [4, 5, 6, 7],
    );
    expect([rankBiserial, probabilityOfSuperiority, rankBiserialInterval.low]).toEqual([-1, 0, -1]);
    expect(rankBiserialInterval.high).toBeGreaterThan(-1);
    expect(rankBiserialInterval.high).toBeLessThan(0.2);
  });
  test("rank-biserial of pairs", () => {
    // Differences 3, −1, 2, 0: ranks 3 and 2 above, 1 below.
    const result = wilcoxonSignedRank([4, 1, 5, 7], [1, 2, 3, 7]);
    expect([result.pairs, result.statistic, result.rankBiserial]).toEqual([3, 1, 4 / 6]);
    expect(wilcoxonSignedRank([3, -1, 2, 0])).toEqual(result);
  });
  test("where the distribution functions are furthest apart", () => {
    expect(kolmogorovSmirnov([1, 2, 3], [2.5, 3, 4])).toMatchObject({ location: 2, sign: 1 });
    expect(kolmogorovSmirnov([2.5, 3, 4], [1, 2, 3])).toMatchObject({ location: 2, sign: -1 });
  });
});

describe("for any samples", () => {
  const values = fc.array(fc.integer({ min: -6, max: 6 }), { minLength: 3, maxLength: 40 });
  test("the order of the two only turns the sign", () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        const [there, back] = [mannWhitneyU(a, b), mannWhitneyU(b, a)];
        near(there.pValue, back.pValue);
        near(there.rankBiserial, -back.rankBiserial, 1e-9, "", 1e-12);
        near(there.rankBiserialInterval.low, -back.rankBiserialInterval.high, 1e-9, "", 1e-12);
        expect(kolmogorovSmirnov(a, b).pValue).toBe(kolmogorovSmirnov(b, a).pValue);
        near(tTest(a, b).pValue, tTest(b, a).pValue);
      }),
    );
  });
  test("ranks see the order only, and typed arrays are as good as lists", () => {
    fc.assert(
      fc.property(values, (a) => {
        const b = a.map((value, i) => (value * 7 + i * i) % 11);
        const cubes = Float64Array.from(a, (value) => value ** 3);
        near(spearmanTest(cubes, b).statistic, spearmanTest(a, b).statistic, 1e-12, "", 1e-15);
        expect(
          mannWhitneyU(
            cubes,
            Float64Array.from(b, (value) => value ** 3),
          ),
        ).toEqual(mannWhitneyU(a, b));
      }),
    );
  });
  test("Mann-Whitney's U counts pairs", () => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        const wins = a.flatMap((x) => b.map((y) => (x > y ? 1 : x === y ? 0.5 : 0)) as number[]);
        expect(mannWhitneyU(a, b).statistic).toBe(wins.reduce((sum, win) => sum + win, 0));
      }),
    );
  });
});

test("samples of unequal length are not pairs", () => {
  for (const run of [pearsonTest, spearmanTest, wilcoxonSignedRank]) {
    const error = thrown(() => run([1, 2, 3], [1, 2]));
    expect(isLogratioError(error, "LengthMismatchError") && error.message).toMatch(/3 values, the second 2/);
  }
});

test("the mean of equal values is that value", () => {
  const constant = new Array(10).fill(0.1);
  expect(tTest(constant, new Array(7).fill(0.7))).toMatchObject({
    statistic: Number.NEGATIVE_INFINITY,
    pValue: 0,
  });
  expect(pearsonTest(constant, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]).statistic).toBeNaN();
});

function fixture<T>(name: string): T {
  const path = new URL(`../../../test/fixtures/statistics/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(path, "utf8")) as T;
}

function holds(expected: Expected, actual: { readonly statistic: number; readonly pValue: number }): void {
  near(actual.statistic, expected.statistic, 1e-9, "statistic");
  near(actual.pValue, expected.pvalue, 1e-9, "p");
}

function near(actual: number, expected: Figure | undefined, relative = 1e-9, what = "", absolute = 0): void {
  const wanted = Number(expected);
  if (Object.is(actual, wanted) || actual === wanted) return;
  expect(Math.abs(actual - wanted), `${what}: want ${wanted}, got ${actual}`).toBeLessThanOrEqual(
    absolute + relative * Math.abs(wanted),
  );
}

function thrown(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe("a Student's t as a normal z", () => {
  it.each([
    [2, 1],
    [-4, 3],
    [4.66, 11],
    [6, 7],
    [9, 40],
  ])("has the tail of t = %d with %d degrees of freedom", (t, freedom) => {
    const z = studentAsNormal(t, freedom);
    expect(Math.sign(z)).toBe(Math.sign(t));
    const ratio = Math.log(normalTail(z)) / Math.log(studentTail(t, freedom));
    expect(Math.abs(ratio - 1)).toBeLessThan(0.02);
  });
});
