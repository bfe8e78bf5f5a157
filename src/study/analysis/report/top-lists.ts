/**
 * The tables of the published analysis: problems by their number of spikes, problems and tokens by KL.
 *
 * @module
 */

import type { SpikeRange } from "../../results/checkpoints.ts";
import type { ProblemFigures, TopProblems } from "../../results/report.ts";
import type { TokenFigures } from "../../results/texts.ts";
import { byText, computeSum, finite } from "./numbers.ts";
import { countSpikes, listTexts, problemMean } from "./problems.ts";
import type { Checkpoint, KlStudy } from "./report-input.ts";

const RANGES: readonly (readonly [string, (spikes: number) => boolean])[] = [
  ["0", (spikes) => spikes === 0],
  ["1-5", (spikes) => spikes >= 1 && spikes <= 5],
  ["6-10", (spikes) => spikes >= 6 && spikes <= 10],
  [">10", (spikes) => spikes > 10],
];

/** How many problems have how many spikes. */
export function spikeDistribution({ problems }: Checkpoint): SpikeRange[] {
  const counts = problems.map(countSpikes);
  return RANGES.map(([range, within]) => {
    const inRange = counts.filter(within).length;
    return { range, problems: inRange, share: problems.length === 0 ? 0 : inRange / problems.length };
  });
}

/** Problems with equal figures are sorted by the other figure, then by name. */
export function topProblems(study: KlStudy, { problems }: Checkpoint): TopProblems {
  const figures = problems.map(
    (problem): ProblemFigures => ({
      problem: problem.name,
      spikes: countSpikes(problem),
      mean_kl: problemMean(problem, ({ meanKl }) => meanKl),
    }),
  );
  const top = (of: (a: ProblemFigures, b: ProblemFigures) => number): ProblemFigures[] =>
    [...figures].sort((a, b) => of(a, b) || byText(a.problem, b.problem)).slice(0, study.sizes.topProblems);
  return {
    by_spikes: top((a, b) => b.spikes - a.spikes || b.mean_kl - a.mean_kl),
    by_mean_kl: top((a, b) => b.mean_kl - a.mean_kl || b.spikes - a.spikes),
  };
}

/** Tokens by their text, those with the largest total KL first. */
export function topTokens(study: KlStudy, { problems }: Checkpoint): TokenFigures[] {
  const byToken = new Map<
    string,
    { category: string; count: number; spikes: number; kl: number; delta: number }
  >();
  const problemsByToken = new Map<string, Set<string>>();
  for (const text of listTexts(problems))
    for (const [token, sums] of text.byToken) {
      const known = byToken.get(token) ?? { category: sums.category, count: 0, spikes: 0, kl: 0, delta: 0 };
      byToken.set(token, {
        category: known.category,
        count: known.count + sums.count,
        spikes: known.spikes + sums.spikes,
        kl: known.kl + sums.klSum,
        delta: known.delta + sums.deltaSum,
      });
      problemsByToken.set(token, (problemsByToken.get(token) ?? new Set()).add(text.problem));
    }
  const all = computeSum([...byToken.values()].map(({ kl }) => kl));
  return [...byToken]
    .filter(([, { count }]) => count > 0)
    .sort(([a, x], [b, y]) => y.kl - x.kl || byText(a, b))
    .slice(0, study.sizes.topTokens)
    .map(([token, { category, count, spikes, kl, delta }]) => ({
      token,
      category,
      count,
      spikes,
      mean_kl: kl / count,
      share_of_kl: all > 0 ? kl / all : 0,
      mean_delta: finite(delta / count),
      problems: problemsByToken.get(token)?.size ?? 0,
    }));
}
