import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isLogratioError } from "../base/errors.ts";
import { clusteredDifference, clusteredShare, wilson } from "./clusters.ts";
import { driftTest } from "./drift.ts";
import { poissonBinomialTail } from "./poisson-binomial.ts";
import { tTest } from "./t-test.ts";
import { exactSignedRank, wilcoxonSignedRank } from "./wilcoxon.ts";

interface Difference {
  readonly values: number[];
  readonly first: number[];
  readonly clusters: number[];
  readonly difference: number;
  readonly standardError: number;
  readonly degreesOfFreedom: number;
  readonly statistic: number;
  readonly pvalue: number;
  readonly low: number;
  readonly high: number;
}
interface Fixture {
  readonly differences: readonly Difference[];
  readonly share: Readonly<Record<"share" | "low" | "high" | "draws", number>> & {
    readonly hits: number[];
    readonly clusters: number[];
  };
  readonly mean: Readonly<Record<"statistic" | "pvalue" | "low" | "high", number>> & {
    readonly values: number[];
  };
  readonly signedRanks: readonly { readonly differences: number[]; readonly pvalue: number }[];
  readonly poissonBinomial: { readonly chances: number[]; readonly tails: number[] };
}

/** What matrices, statsmodels and scipy said (scripts/fixtures/statistics.py). */
const path = new URL("../../../test/fixtures/statistics/clusters.json", import.meta.url);
const expected = JSON.parse(readFileSync(path, "utf8")) as Fixture;
const near = (value: number) => expect.closeTo(value, 10);

describe("values in clusters", () => {
  test.each(expected.differences)(
    "a difference has the variance and the degrees of freedom of CR2's definition",
    (given) => {
      const found = clusteredDifference(given.values, given.first, given.clusters);
      expect(found).toMatchObject({
        statistic: near(given.statistic),
        pValue: near(given.pvalue),
        difference: near(given.difference),
        standardError: near(given.standardError),
        degreesOfFreedom: near(given.degreesOfFreedom),
        clusters: new Set(given.clusters).size,
        interval: { low: near(given.low), high: near(given.high) },
      });
    },
  );

  test("a difference of values that are all their own clusters is close to Welch's", () => {
    const [a, b] = [
      [3, 5, 4, 6, 8],
      [1, 2, 2, 5],
    ];
    const values = [...a, ...b];
    const found = clusteredDifference(
      values,
      values.map((_, i) => i < a.length),
      values.map((_, i) => i),
    );
    const welch = tTest(a, b, { equalVariances: false });
    expect(found.difference).toBeCloseTo(welch.meanDifference, 12);
    expect(Math.abs(found.statistic / welch.statistic - 1)).toBeLessThan(0.1);
    expect([found.clustersA, found.clustersB]).toEqual([5, 4]);
  });

  test("a share has Wilson's interval for the draws that its clusters are worth", () => {
    const { hits, clusters, share, low, high, draws } = expected.share;
    expect(clusteredShare(hits, clusters)).toEqual({
      share: near(share),
      clusters: new Set(clusters).size,
      draws: near(draws),
      interval: { low: near(low), high: near(high) },
    });
  });

  test("saying everything ten times adds nothing", () => {
    const { hits, clusters } = expected.share;
    const ten = <T>(values: readonly T[]): T[] => values.flatMap((value) => new Array<T>(10).fill(value));
    const [once, often] = [clusteredShare(hits, clusters), clusteredShare(ten(hits), ten(clusters))];
    expect(often.interval.low).toBeCloseTo(once.interval.low, 12);
    expect(often.draws).toBeCloseTo(once.draws, 9);
  });

  test("a share of 1 is as certain as its clusters are many", () => {
    const six = clusteredShare([1, 1, 1, 1, 1, 1, 1, 1], [1, 1, 2, 3, 4, 5, 6, 6]);
    expect(six).toMatchObject({ share: 1, draws: 6, clusters: 6 });
    expect(six.interval.high).toBe(1);
    expect(six.interval.low).toBeCloseTo(1 / (1 + 2.570581835636314 ** 2 / 6), 12);
    expect(clusteredShare([1, 1], [4, 4]).interval).toEqual({ low: 0, high: 1 });
    expect(clusteredShare([], []).interval.low).toBeNaN();
  });

  test("too few values, an empty group, NaN: nothing is known", () => {
    for (const [values, first, clusters] of [
      [
        [1, 2],
        [1, 0],
        [1, 2],
      ],
      [
        [1, 2, 3],
        [1, 1, 1],
        [1, 2, 3],
      ],
      [
        [1, Number.NaN, 3, 4],
        [1, 1, 0, 0],
        [1, 2, 3, 4],
      ],
      [
        [1, 2, 3],
        [1, 1, 0],
        [7, 7, 7],
      ],
    ] as const)
      expect(clusteredDifference(values, first, clusters).pValue).toBeNaN();
    try {
      clusteredShare([1], []);
      expect.unreachable();
    } catch (error) {
      expect(isLogratioError(error, "UsageError")).toBe(true);
    }
  });

  test("wilson is Wilson's interval", () => {
    // statsmodels.stats.proportion.proportion_confint(8, 10, method="wilson")
    expect(wilson(0.8, 10)).toEqual({ low: near(0.49016247153664183), high: near(0.9433178485456247) });
    expect(wilson(1, 4).high).toBe(1);
  });
});

describe("one sample", () => {
  test("the mean against 0 is scipy's", () => {
    const { values, statistic, pvalue, low, high } = expected.mean;
    // Over even steps, a path drifts by the mean of its increments.
    const path = [0];
    for (const value of values) path.push(path.at(-1)! + value);
    const found = driftTest([...path.keys()], path);
    expect(found).toMatchObject({ statistic: near(statistic), pValue: near(pvalue) });
    expect(found.interval).toEqual({ low: near(low), high: near(high) });
  });
});

describe("drift of a path", () => {
  test("over uneven steps is statsmodels' regression through the origin", () => {
    // statsmodels 0.15.0: OLS(d / sqrt(h), sqrt(h)) of these
    const found = driftTest([0, 1, 3, 4, 8], [0, 1, 2, 2.5, 5]);
    expect(found.statistic).toBeCloseTo(7.071067811865475, 10);
    expect(found.pValue).toBeCloseTo(0.005815647592906197, 10);
    expect(driftTest([1, 2, 3], [4, 4, 4]).pValue).toBeNaN();
    expect(driftTest([1, 2], [4, 5]).pValue).toBeNaN();
  });
});

describe("exact tails", () => {
  test.each(expected.signedRanks)("signed ranks", ({ differences, pvalue }) => {
    const found = exactSignedRank(differences);
    expect(found.pValue).toBeCloseTo(pvalue, 12);
    expect({ ...found, pValue: 0 }).toEqual({ ...wilcoxonSignedRank(differences), pValue: 0 });
  });

  test("signed ranks of more than 25 pairs are approximated", () => {
    const differences = Array.from({ length: 26 }, (_, i) => i - 8.3);
    expect(exactSignedRank(differences)).toEqual(wilcoxonSignedRank(differences));
    expect(exactSignedRank(differences.slice(1)).pValue).not.toBe(
      wilcoxonSignedRank(differences.slice(1)).pValue,
    );
    expect(exactSignedRank([0, 0]).pValue).toBeNaN();
    expect(exactSignedRank([1, Number.NaN]).pValue).toBeNaN();
  });

  test("signed ranks never reject more often than they say", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -4, max: 4 }), { minLength: 1, maxLength: 9 }), (sizes) => {
        const flips = Array.from({ length: 2 ** sizes.length }, (_, bits) =>
          exactSignedRank(sizes.map((size, i) => ((bits >> i) & 1 ? size : -size))),
        );
        const known = flips.filter(({ pValue }) => !Number.isNaN(pValue));
        for (const level of [0.05, 0.2])
          expect(known.filter(({ pValue }) => pValue <= level).length).toBeLessThanOrEqual(
            level * flips.length,
          );
      }),
    );
  });

  test("trials with chances of their own", () => {
    const { chances, tails } = expected.poissonBinomial;
    tails.forEach((tail, count) => {
      expect(poissonBinomialTail(chances, count)).toBeCloseTo(tail, 12);
    });
    expect([poissonBinomialTail([], 0), poissonBinomialTail([], 1), poissonBinomialTail([1, 1], 2)]).toEqual([
      1, 0, 1,
    ]);
  });
});
