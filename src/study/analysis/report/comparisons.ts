import { holm } from "../../../core/statistics/multiple-testing.ts";
import { exactSignedRank } from "../../../core/statistics/wilcoxon.ts";
import { plural } from "../../../core/text/index.ts";
import type { KlComparison } from "../../results/report.ts";
import { computeMean, computeMedian, finite } from "./numbers.ts";
import { problemMean } from "./problems.ts";
import { type Checkpoint, type KlStudy, trained } from "./report-input.ts";

/** With fewer pairs, no arrangement of signs is significant at 5 %. */
export const FEWEST_PAIRS = 6;

/**
 * Checkpoints against one another on the problems that both have, by problem means of KL to the reference: each against
 * the next, the first against the last, and every baseline against both. Wilcoxon's signed-rank test of the
 * median difference (p null for fewer than six pairs, or if no problem differs), Holm's correction over all, interval of
 * the mean difference.
 */
export function comparisons(study: KlStudy): KlComparison[] {
  const pairs = pairsToCompare(study);
  const raw = pairs.flatMap(([kind, a, b]) => compare(study, kind, a, b) ?? []);
  const adjusted = holm(raw.map(({ p_value }) => p_value ?? Number.NaN));
  return raw.map((one, place) => {
    const p = finite(adjusted[place]!);
    return { ...one, adjusted_p_value: p, significant: p !== null && p < study.input.settings.alpha };
  });
}

function pairsToCompare(study: KlStudy): [KlComparison["kind"], Checkpoint, Checkpoint][] {
  const run = trained(study);
  const [first, last] = [run[0], run.at(-1)];
  const pairs: [KlComparison["kind"], Checkpoint, Checkpoint][] = [];
  // With two checkpoints, the next is the last: one comparison, not two.
  if (run.length > 2) for (let i = 1; i < run.length; i++) pairs.push(["consecutive", run[i - 1]!, run[i]!]);
  if (first === undefined || last === undefined) return pairs;
  if (first !== last) pairs.push(["first-last", first, last]);
  for (const baseline of study.checkpoints.filter(({ role }) => role === "baseline"))
    for (const one of new Set([first, last])) pairs.push(["baseline", baseline, one]);
  return pairs;
}

function compare(
  study: KlStudy,
  kind: KlComparison["kind"],
  a: Checkpoint,
  b: Checkpoint,
): KlComparison | undefined {
  const before = new Map(
    a.problems.map((problem) => [problem.name, problemMean(problem, (text) => text.meanKl)]),
  );
  const values = b.problems.flatMap((problem) => {
    const of = before.get(problem.name);
    return of === undefined ? [] : [[of, problemMean(problem, (text) => text.meanKl)] as const];
  });
  const differences = values.map(([from, to]) => to - from);
  if (values.length < 2) {
    study.absent(
      `no comparison of ${a.name} and ${b.name}: ${plural(values.length, "problem")} ${values.length === 1 ? "is" : "are"} scored under both`,
    );
    return undefined;
  }
  const test = exactSignedRank(differences);
  const enough = test.pairs >= FEWEST_PAIRS;
  if (!enough)
    study.absent(
      `no p-value for ${a.name} against ${b.name}: ${test.pairs} of ${values.length} problems differ, ${FEWEST_PAIRS} are needed`,
    );
  return {
    kind,
    a: a.name,
    b: b.name,
    problems: values.length,
    mean_difference: computeMean(differences),
    median_difference: computeMedian(differences),
    interval: study.bootstrap.mean(differences),
    statistic: enough ? test.statistic : null,
    p_value: enough ? test.pValue : null,
    adjusted_p_value: null,
    rank_biserial: finite(test.rankBiserial),
    significant: false,
  };
}
