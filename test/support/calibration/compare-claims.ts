/**
 * Certificates of `logratio compare` where mean |Δ| is the tolerance itself, so that neither `equivalent` nor `different`
 * is right, and how often what agrees is certified.
 *
 * @module
 */
import { judgeColumn } from "../../../src/analyses/compare/judge.ts";
import { boundMean } from "../../../src/core/statistics/mean-bound.ts";
import type { Certificate } from "../../../src/results/compare.ts";
import type { Claim } from "./claim.ts";
import { findTruth } from "./interval-claims.ts";
import {
  INDEPENDENT,
  LONGER_IS_WORSE,
  MEAN_ABS,
  MOSTLY_EXACT,
  OUTLYING_PROMPTS,
  PARETO_PROMPTS,
  type Process,
  SAMPLED_TOKENS,
  SKEWED_PROMPTS,
} from "./processes.ts";

const ALPHA = 0.05;

/** The certificate of a drawn run, its rollout beside its trainer. */
function certify(process: Process, prompts: number, within: number, random: () => number): Certificate {
  const [sums, counts] = [new Float64Array(prompts), new Float64Array(prompts)];
  for (const { deltas, prompt } of process.draw(random, prompts)) {
    for (const delta of deltas) sums[prompt]! += Math.abs(delta);
    counts[prompt]! += deltas.length;
  }
  const unequal = sums.filter((sum) => sum > 0).length;
  return judgeColumn({ unequal, oneSided: 0 }, boundMean(sums, counts, ALPHA), { within, alpha: ALPHA })
    .certificate;
}

const tolerances = new Map<Process, number>([[PARETO_PROMPTS, 3 * MEAN_ABS]]);

/** Mean |Δ| of the process, nats; a sample would not settle on that of Pareto's distribution. */
function findMean(process: Process): number {
  const known = tolerances.get(process) ?? findTruth(process).delta_abs_mean;
  tolerances.set(process, known);
  return known;
}

function certifiesFalsely(
  process: Process,
  prompts: number,
  certificate: Certificate = "equivalent",
  most = 0.2,
): Claim {
  return {
    method: "compare, at the tolerance",
    process: `${prompts} prompts, ${process.name}`,
    rate: `false "${certificate}"`,
    nominal: ALPHA,
    limits: [0, most],
    once: (random) => certify(process, prompts, findMean(process), random) === certificate,
  };
}

/** Runs of which the mean is this part of the tolerance. */
function certifiesRightly(process: Process, prompts: number, part: number): Claim {
  return {
    method: `compare, at 1/${part} of the tolerance`,
    process: `${prompts} prompts, ${process.name}`,
    rate: '"equivalent"',
    nominal: 1,
    limits: [0.75, 1],
    once: (random) => certify(process, prompts, part * findMean(process), random) === "equivalent",
  };
}

const HARD = [
  SKEWED_PROMPTS,
  LONGER_IS_WORSE,
  MOSTLY_EXACT,
  OUTLYING_PROMPTS,
  PARETO_PROMPTS,
  SAMPLED_TOKENS,
];

export const COMPARE_CLAIMS: readonly Claim[] = [
  ...[INDEPENDENT, ...HARD].flatMap((process) =>
    [10, 20, 50, 200].map((prompts) => certifiesFalsely(process, prompts)),
  ),
  ...[INDEPENDENT, LONGER_IS_WORSE, SAMPLED_TOKENS].map((process) =>
    certifiesFalsely(process, 20, "different", 0.25),
  ),
  certifiesRightly(INDEPENDENT, 10, 20),
  certifiesRightly(INDEPENDENT, 50, 6),
  certifiesRightly(SAMPLED_TOKENS, 50, 10),
];
