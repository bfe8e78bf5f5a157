import type { CategoryFigures } from "../../results/checkpoints.ts";
import type { CategorySums } from "../summary.ts";
import { computeSum, findMax, findMin } from "./numbers.ts";
import { listTexts } from "./problems.ts";
import type { Checkpoint, KlStudy } from "./report-input.ts";

/**
 * A checkpoint's KL by kind of token, with all tokens weighted equally: mean = Σx / n, std = √(Σx² / n − mean²).
 * Interval: bootstrap over problems of Σx / n. In the order of the settings; kinds without a token are left out.
 */
export function categoryFigures(study: KlStudy, checkpoint: Checkpoint): Record<string, CategoryFigures> {
  const { problems } = checkpoint;
  const texts = listTexts(problems);
  const names = new Set([
    ...study.input.settings.categories,
    ...texts.flatMap((text) => Object.keys(text.categories)),
  ]);
  const collectSums = (name: string): CategorySums[] =>
    texts.flatMap(({ categories }) => {
      const sums = categories[name];
      return sums === undefined || sums.count === 0 ? [] : [sums];
    });
  const byName = [...names]
    .map((name) => ({ name, sums: collectSums(name) }))
    .filter(({ sums }) => sums.length > 0);
  const all = byName.flatMap(({ sums }) => sums);
  const allTokens = computeSum(all.map(({ count }) => count));
  const allKl = computeSum(all.map(({ sum }) => sum));
  const figures = byName.map(({ name, sums }): [string, CategoryFigures] => {
    const count = computeSum(sums.map((one) => one.count));
    const sum = computeSum(sums.map((one) => one.sum));
    const mean = sum / count;
    const squares = computeSum(sums.map((one) => one.sumOfSquares));
    const perProblem = (of: (one: CategorySums) => number): number[] =>
      problems.map((problem) =>
        computeSum(
          problem.texts.map(({ categories }) => (categories[name] === undefined ? 0 : of(categories[name]))),
        ),
      );
    return [
      name,
      {
        count,
        mean_kl: mean,
        std_kl: Math.sqrt(Math.max(0, squares / count - mean ** 2)),
        max_kl: findMax(sums.map(({ max }) => max)),
        min_kl: findMin(sums.map(({ min }) => min)),
        spikes: computeSum(sums.map(({ spikes }) => spikes)),
        share_of_tokens: count / allTokens,
        share_of_kl: allKl > 0 ? sum / allKl : 0,
        mean_kl_interval: study.bootstrap.ratio(
          perProblem((one) => one.sum),
          perProblem((one) => one.count),
        ),
      },
    ];
  });
  return Object.fromEntries(figures);
}
