/**
 * Identity tests of a run and its parts, which of them fail and what that means, and how far to trust ratios.
 *
 * @module
 */
import { orNull } from "../../../core/base/index.ts";
import { clusterInterval } from "../../../core/statistics/cluster-interval.ts";
import { studentTail } from "../../../core/statistics/distributions.ts";
import { isEnough } from "../../../core/statistics/enough.ts";
import {
  CLUSTER,
  CLUSTER_WIDTH,
  type ClusterSums,
  type IdentityTest,
  type TailIndices,
} from "../../../core/summaries/index.ts";
import { plural } from "../../../core/text/index.ts";
import type { IdentityFailure, IdentityReport } from "../../../results/identity.ts";
import type { MismatchMetrics } from "../../../results/report.ts";
import { addRows } from "../cluster-metrics.ts";
import type { RunSummary } from "../run-summary.ts";
import { type MeasuredTests, measureTests, measureTurns } from "./tests.ts";
import { MOST_TRUSTED } from "./trust.ts";
import { sayHalfVariance, saySurprisal, sayUnitMean, tellParts } from "./words.ts";

/** Chance that a healthy run fails a test of the whole, and also that it fails any test of its parts. */
const FALSE_ALARM_RATE = 1e-3;
/** With fewer clusters a variance is guesswork. */
const FEWEST_CLUSTERS = 10;
/** From this value on a mean of ratios has no finite variance, and its sample mean is usually too low. */
const INFINITE_VARIANCE = 0.5;
/** −2·mean Δ/mean Δ² is reported if its whole interval lies outside. */
const HALF_VARIANCE_BOUNDS = [0.5, 2] as const;
/** Δ counts as small if 2·k3, which includes all powers, is this close to mean Δ², which has only the second. */
const SMALL_DELTA = 0.25;

/** Later turns are not tested individually. */
const MOST_TURNS = 64;

/** A part of the run, with the name used to report a failure. */
interface Part {
  readonly name: string;
  readonly tests: MeasuredTests;
}

interface Parts {
  readonly kind: NonNullable<IdentityFailure["part"]>["kind"];
  readonly parts: readonly Part[];
}

/** The tests of a step. */
export interface StepTests {
  readonly step: number;
  readonly tests: MeasuredTests;
}

export interface IdentityInput {
  readonly summary: RunSummary;
  /** In ascending order. */
  readonly steps: readonly StepTests[];
  readonly tails: TailIndices;
  /** Figures over all tokens. */
  readonly pooled: MismatchMetrics;
  /** Why failures are not reported: what was read was selected by what was sampled. */
  readonly notJudged: string | undefined;
}

export function reportIdentity({ summary, steps, tails, pooled, notJudged }: IdentityInput): IdentityReport {
  const { total } = summary;
  const sample = summary.sample.list();
  const whole = measureTests(total);
  const turns = measureTurns(total.turns, MOST_TURNS, sample).flatMap((tests, turn) =>
    tests === undefined ? [] : [{ turn, tests }],
  );
  const ranks = summary.ranks.sorted().map(([rank, slice]) => ({ rank, tests: measureTests(slice) }));
  const named = summary.environments.sorted().map(([name, slice]) => ({ name, tests: measureTests(slice) }));
  const { low, high } = halfVarianceInterval(total.clusters, whole.shown.half_variance.value);
  const parts: Parts[] = [
    { kind: "step", parts: nameParts(steps, ({ step }) => step) },
    { kind: "turn", parts: nameParts(turns, ({ turn }) => turn) },
    { kind: "rank", parts: nameParts(ranks, ({ rank }) => rank) },
    { kind: "environment", parts: nameParts(named, ({ name }) => name) },
  ];
  const tail = { ...tails, most: Math.exp(pooled.delta_max) };
  const reason = notJudged ?? reasonAgainst(pooled, whole.unitMean);
  return {
    ...whole.shown,
    half_variance: { ...whole.shown.half_variance, low, high },
    unit: total.clusters?.unit ?? "sequence",
    not_judged: reason ?? null,
    false_alarm_rate: FALSE_ALARM_RATE,
    failures:
      reason === undefined
        ? [...judgeWhole(whole, { low, high }, tail, pooled), ...judgeParts(parts, whole, tail)]
        : [],
    per_step: steps.map(({ step, tests }) => ({ step: orNull(step), ...tests.shown })),
    per_turn: turns.map(({ turn, tests }) => ({ turn, ...tests.shown })),
    per_rank: ranks.map(({ rank, tests }) => ({ rank, ...tests.shown })),
    per_environment: named.map(({ name, tests }) => ({ name, ...tests.shown })),
  };
}

/** A single part says nothing that the whole does not. */
function nameParts<T extends { readonly tests: MeasuredTests }>(
  parts: readonly T[],
  name: (part: T) => string | number,
): Part[] {
  if (parts.length < 2) return [];
  return parts.map((part) => ({ name: String(name(part)), tests: part.tests }));
}

function reasonAgainst(pooled: MismatchMetrics, { clusters }: IdentityTest): string | undefined {
  if (!isEnough(pooled)) return "too few tokens or sequences";
  return clusters < FEWEST_CLUSTERS
    ? `only ${plural(clusters, "prompt or sequence", "prompts or sequences")} drawn by themselves`
    : undefined;
}

/**
 * Half a unit in the last place of a float32 near 1. Rounding may bias every Δ by this much, whatever the policies are,
 * so smaller deviations of a mean say nothing.
 */
const RESOLUTION = 2 ** -24;

/** Whether a mean is off beyond chance, at this rate of false alarms. */
function isOff(test: IdentityTest | undefined, rate: number): test is IdentityTest {
  return test !== undefined && test.clusters >= FEWEST_CLUSTERS && studentTail(test.z, test.freedom) < rate;
}

/** The ratios of the whole run. */
interface Tail extends TailIndices {
  /** The largest ρ. */
  readonly most: number;
}

/**
 * Like {@link isOff}, for ratios. A mean above 1 is evidence as it stands. One below 1 has other explanations: a rare
 * large ρ that was not drawn, so it counts only if the tail of ρ is light enough and ten more ratios as large as the
 * largest would not make up for it; and tokens that the trainer finds likely and nobody samples, so it must be as far
 * off without those whose absence makes it small.
 */
function isRatioOff({ unitMean, liftedMean }: MeasuredTests, rate: number, { ratio, most }: Tail): boolean {
  if (!isOff(unitMean, rate) || Math.abs(unitMean.value - 1) < RESOLUTION) return false;
  if (unitMean.z > 0) return true;
  const missing = unitMean.tokens * (1 - unitMean.value);
  const isLight = ratio < INFINITE_VARIANCE || (ratio < MOST_TRUSTED && missing > 10 * most);
  return isLight && isOff(liftedMean, rate) && liftedMean.z < 0;
}

function judgeWhole(
  tests: MeasuredTests,
  interval: { readonly low: number; readonly high: number },
  tail: Tail,
  { k2, k3 }: MismatchMetrics,
): IdentityFailure[] {
  const { unitMean, halfVarianceTest, surprisal, shown } = tests;
  const failures: IdentityFailure[] = [];
  const rate = FALSE_ALARM_RATE / (surprisal === undefined ? 2 : 3);
  if (isRatioOff(tests, rate, tail))
    failures.push({ test: "unit_mean", part: null, text: sayUnitMean(unitMean) });
  const [least, most] = HALF_VARIANCE_BOUNDS;
  const isSmall = Math.abs(k3 / k2 - 1) <= SMALL_DELTA && k2 > RESOLUTION;
  if (isSmall && isOff(halfVarianceTest, rate) && (interval.high < least || interval.low > most))
    failures.push({
      test: "half_variance",
      part: null,
      text: sayHalfVariance(shown.half_variance.value, interval),
    });
  if (isOff(surprisal, rate)) failures.push({ test: "surprisal", part: null, text: saySurprisal(surprisal) });
  return failures;
}

/** Which parts fail tests that the whole passes: one sentence for each kind of part. */
function judgeParts(all: readonly Parts[], whole: MeasuredTests, tail: Tail): IdentityFailure[] {
  const parts = all.flatMap((of) => of.parts);
  const tests = parts.reduce((sum, { tests: { surprisal } }) => sum + (surprisal === undefined ? 1 : 2), 0);
  const rate = FALSE_ALARM_RATE / Math.max(1, tests);
  const isWholeOff = isRatioOff(whole, FALSE_ALARM_RATE, tail);
  const isWholeSurprising = isOff(whole.surprisal, FALSE_ALARM_RATE);
  return all.flatMap(({ kind, parts: of }) => [
    ...tellParts(
      kind,
      "unit_mean",
      isWholeOff ? [] : of.filter(({ tests }) => isRatioOff(tests, rate, tail)),
    ),
    ...tellParts(
      kind,
      "surprisal",
      isWholeSurprising ? [] : of.filter(({ tests }) => isOff(tests.surprisal, rate)),
    ),
  ]);
}

function halfVarianceInterval(
  clusters: ClusterSums | undefined,
  value: number,
): { readonly low: number; readonly high: number } {
  if (clusters === undefined || clusters.count < FEWEST_CLUSTERS || Number.isNaN(value))
    return { low: Number.NaN, high: Number.NaN };
  const { table, count } = clusters;
  const square = addRows(table)[CLUSTER.deltaSquare]!;
  const influences = Float64Array.from({ length: count }, (_, g) => {
    const at = g * CLUSTER_WIDTH;
    return (-2 * table[at + CLUSTER.delta]! - value * table[at + CLUSTER.deltaSquare]!) / square;
  });
  return clusterInterval(value, influences, "linear");
}
