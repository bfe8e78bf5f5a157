/**
 * Findings other than the mismatch that keep a run from learning, from series over steps and from checks of dumps. One
 * file per detector; each returns a finding, or nothing if its limit holds or there is too little data.
 *
 * @module
 */
import type { BesideFinding, BesideId } from "../../../results/beside.ts";
import type { HealthReport } from "../../../results/health.ts";
import { checkClipping, checkClipSides } from "./clipping.ts";
import { checkEntropy } from "./entropy.ts";
import { checkEvaluation } from "./evaluation.ts";
import { checkFlatGroups, checkFlatGroupsOfDump } from "./flat-groups.ts";
import { checkSpikes, checkVanishing, checkZeroGradient } from "./gradient.ts";
import { checkPlateau } from "./plateau.ts";
import { checkReference } from "./reference.ts";
import { checkRewardLength, checkRewardLengthOfDump } from "./reward-length.ts";
import { checkRewardParts } from "./reward-parts.ts";
import type { RunSeries } from "./series.ts";
import { checkStalenessOfDump } from "./staleness.ts";
import { checkTruncation, checkTruncationOfDump } from "./truncation.ts";

/** Causes come before their consequences: among equal levels, the first is reported first. */
const ORDER: readonly BesideId[] = [
  "reward_length",
  "evaluation",
  "reference",
  "clipping",
  "entropy",
  "flat_groups",
  "truncation",
  "gradient_zero",
  "gradient_spikes",
  "gradient_vanishing",
  "reward_parts",
  "clip_sides",
  "staleness",
  "plateau",
];

const DETECTORS: readonly ((run: RunSeries) => BesideFinding | undefined)[] = [
  checkRewardLength,
  checkEvaluation,
  checkReference,
  checkClipping,
  checkEntropy,
  checkFlatGroups,
  checkTruncation,
  checkZeroGradient,
  checkSpikes,
  checkVanishing,
  checkRewardParts,
  checkClipSides,
  checkPlateau,
];

/**
 * Findings in the series of one run, worst first.
 *
 * @param name of the run, as its logger names it
 */
export function checkSeries(run: RunSeries, name = ""): BesideFinding[] {
  return orderBeside(DETECTORS.flatMap((detect) => detect(run) ?? []).map((one) => ({ ...one, run: name })));
}

/** Like {@link checkSeries}, for a dump: its series, and the checks of its answers. */
export function findBeside(run: RunSeries, health: HealthReport): BesideFinding[] {
  const ofAnswers = [
    checkFlatGroupsOfDump(health.flat_groups),
    checkTruncationOfDump(health.truncation),
    checkRewardLengthOfDump(health.reward_length, run),
    checkStalenessOfDump(health.staleness),
  ];
  return orderBeside([...checkSeries(run), ...ofAnswers.flatMap((found) => found ?? [])]);
}

/** Worst first; one of each kind per run, the first of the worst. */
export function orderBeside(findings: readonly BesideFinding[]): BesideFinding[] {
  const badness = ({ level }: BesideFinding): number => (level === "bad" ? 0 : 1);
  const sorted = [...findings].sort(
    (a, b) => badness(a) - badness(b) || ORDER.indexOf(a.id) - ORDER.indexOf(b.id),
  );
  return sorted.filter(
    ({ id, run }, at) => sorted.findIndex((one) => one.id === id && one.run === run) === at,
  );
}
