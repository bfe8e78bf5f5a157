import { pearsonTest, spearmanTest } from "../../core/statistics/correlation.ts";
import { kolmogorovSmirnov } from "../../core/statistics/kolmogorov-smirnov.ts";
import { mannWhitneyU } from "../../core/statistics/mann-whitney.ts";
import type { TestResult } from "../../core/statistics/result.ts";
import { tTest } from "../../core/statistics/t-test.ts";
import { wilcoxonSignedRank } from "../../core/statistics/wilcoxon.ts";
import { encoded, type Fields, numbers, type Runner } from "./case.ts";

export const statisticsRunners: Readonly<Record<string, Runner>> = { stats: statistics };

/** `x` and `y` are independent samples, `x` and `z` pairs; with one or two pairs the result is null. */
function statistics(inputs: Fields): Fields {
  const [x, y, z] = [inputs.x, inputs.y, inputs.z].map(numbers) as [number[], number[], number[]];
  const ofPairs = (test: (a: number[], b: number[]) => TestResult): Fields | null =>
    x.length < 3 ? null : named(test(x, z));
  return {
    ttest_ind: named(tTest(x, y)),
    welch: named(tTest(x, y, { equalVariances: false })),
    mannwhitneyu: named(mannWhitneyU(x, y)),
    wilcoxon: ofPairs(wilcoxonSignedRank),
    pearson: ofPairs(pearsonTest),
    spearman: ofPairs(spearmanTest),
    ks: named(kolmogorovSmirnov(x, y)),
  };
}

function named({ statistic, pValue }: TestResult): Fields {
  return encoded({ statistic, pvalue: pValue });
}
