/**
 * The guide's table of diagnostic scenarios, and its Hypothesis 1, compared with what chance would give.
 *
 * The guide's own limits (80 %, 70 %) say nothing by themselves: in a run where 80 % of the answers are correct, 80 %
 * of the divergent tokens are expected to come from correct ones. So a share is compared with the expected share, and
 * its interval counts prompts, because tokens of one response and responses to one prompt are alike.
 *
 * @module
 */
import {
  formatCoefficient,
  formatCount,
  formatNumber,
  formatPlainShare,
  formatShare,
  plural,
} from "../../core/text/index.ts";
import type {
  ClusteredTest,
  Comparison,
  DivergenceFigures,
  LoggedDigitFigures,
  LogShares,
  Scenario,
  ScenarioStatus,
  ShareFigures,
} from "../../results/analyze.ts";

/** The guide's "80 %+", where it describes what a text consists of. */
const MOST = 0.8;
/** Shares within ten points count as alike: the guide's 70 % and 80 % are ten apart. */
const ALIKE = 0.1;
/** With fewer clusters, neither shares nor means say anything. */
const LEAST_CLUSTERS = 10;
/** Differences below this are small: Cohen, "Statistical Power Analysis for the Behavioral Sciences" (1988), 2.2. */
const SMALL_EFFECT = 0.2;

export interface ScenarioSource {
  readonly correct: DivergenceFigures;
  readonly digits: LoggedDigitFigures;
  readonly shares: LogShares;
  readonly comparisons: readonly Comparison[];
}

interface Reading {
  readonly status: ScenarioStatus;
  readonly measured: string;
}

const ROWS: readonly (Omit<Scenario, "status" | "measured"> & {
  readonly read: (source: ScenarioSource) => Reading;
})[] = [
  {
    id: "mostly_correct",
    observation: "more divergent tokens come from correct answers than expected by chance (the guide: 80 %+)",
    interpretation:
      "the trainer policy is learning correct answers and the rollout policy lags behind; this is normal",
    next_step: "nothing to fix",
    read: ({ shares }) => readExcess(shares.correct, "correct"),
  },
  {
    id: "mostly_incorrect",
    observation:
      "more divergent tokens come from incorrect answers than expected by chance (the guide: 80 %+)",
    interpretation: "the trainer policy is learning wrong answers, or the training is unstable",
    next_step: "check the reward function; look at the mismatch over the steps with logratio report",
    read: ({ shares }) => readExcess(shares.correct, "incorrect"),
  },
  {
    id: "digits_correct",
    observation:
      "more divergent digit tokens come from correct answers than expected by chance (the guide's Hypothesis 1: above 70 %)",
    interpretation: "the trainer policy has learned correct digits and the rollout policy lags behind",
    next_step: "nothing to fix; how sure both policies are of each digit: logratio digits",
    read: ({ shares, digits }) =>
      digits.count === 0 && digits.texts_unknown > 0
        ? lacking("the log has no token texts")
        : readExcess(shares.digits_correct, "correct"),
  },
  {
    id: "equal",
    observation: "divergence is equal on correct and incorrect answers",
    interpretation: "divergence is unrelated to correctness: it looks random",
    next_step: "the correction (TIS) may not help: try what each one costs with logratio sweep",
    read: readEqual,
  },
  {
    id: "digits_only",
    observation: "only digit tokens diverge in correct answers, and not in incorrect ones as well",
    interpretation: "learning is concentrated on the tokens that decide the answer; expected for mathematics",
    next_step: "nothing to fix; how sure both policies are of each digit: logratio digits",
    read: readDigitsOnly,
  },
  {
    id: "not_digits_more",
    observation: "tokens other than digits diverge more",
    interpretation: "unexpected where answers are numbers",
    next_step:
      "check the prompt format, and for retokenized text: records where reencodes_to_same_id or tokens_match is false",
    read: readOthersMore,
  },
];

/** Each row of the table: whether it applies, and the figures behind the answer. */
export function readScenarios(source: ScenarioSource): Scenario[] {
  return ROWS.map(({ read, ...row }) => ({ ...row, ...read(source) }));
}

/**
 * Yes if the interval lies above the expected share; no if it excludes a share ten points above it. If divergence and
 * correctness are unrelated, "yes" appears in 2.5 % of logs.
 */
function readExcess(given: ShareFigures, name: "correct" | "incorrect"): Reading {
  if (given.share === null) return lacking("no record says whether its answer is correct");
  const { share, low, high, baseline } = chooseSide(given, name);
  const measured = `${formatShare(share)} of ${plural(given.count, "record")} ${given.count === 1 ? "is" : "are"} from ${name} answers${spread(low, high, given)}`;
  if (low === null || high === null)
    return lacking(`${measured}; the log does not say which records are from one response`);
  if (baseline === null)
    return lacking(
      `${measured}; the log does not say how many of all responses were correct: --accuracy 0.62 does`,
    );
  const beside = `${measured}; by chance ${formatShare(baseline)} (${CHANCE[given.baseline_from!](name)})`;
  if (given.clusters < LEAST_CLUSTERS) return lacking(beside);
  if (low > baseline) return { status: "yes", measured: beside };
  return high < baseline + ALIKE ? { status: "no", measured: beside } : lacking(beside);
}

const CHANCE: Readonly<Record<NonNullable<ShareFigures["baseline_from"]>, (name: string) => string>> = {
  tokens: (name) => `the share of all response tokens in ${name} answers`,
  responses: (name) => `the share of all responses that are ${name}`,
  given: (name) => `the share of all responses that are ${name}, as given`,
  incorrect: () => "as in incorrect answers",
};

interface Side {
  readonly share: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly baseline: number | null;
}

/** The share of incorrect answers is the rest. */
function chooseSide(
  { share, interval: { low, high }, baseline }: ShareFigures,
  name: "correct" | "incorrect",
): Side {
  if (name === "correct") return { share: share!, low, high, baseline };
  const rest = (value: number | null): number | null => (value === null ? null : 1 - value);
  return { share: 1 - share!, low: rest(high), high: rest(low), baseline: rest(baseline) };
}

/**
 * Yes if correct and incorrect answers diverge equally often (within ten points) and equally far (at most a small effect);
 * no if one of the two differs.
 */
function readEqual({ comparisons, shares: { correct } }: ScenarioSource): Reading {
  const comparison = find(comparisons, "correctness_sequences");
  const { a, b, absent, clustered, hedges_g: g } = comparison;
  if (absent !== null) return lacking(`no comparison: ${absent}`);
  const means = `mean ${formatNumber(a.mean)} in ${formatCount(a.count)} correct, ${formatNumber(b.mean)} in ${formatCount(b.count)} incorrect responses`;
  if (clustered === null) return lacking(`${means}; in too few prompts for a test`);
  const { low, high } = clustered.effect_interval;
  const same = a.mean === b.mean && g === null;
  if (!same && (low === null || high === null)) return lacking(`${means}; too uniform for an interval`);
  const effects = same
    ? `${means}; every value is the same`
    : `${means}; effect ${formatCoefficient(g)}, 95 % interval ${formatCoefficient(low)} to ${formatCoefficient(high)} over ${clusterText(clustered)} (equal: within ±${SMALL_EFFECT})`;
  const [least, most] = same ? [0, 0] : [low!, high!];
  const { share, interval, baseline } = correct;
  const often =
    baseline === null || interval.low === null || interval.high === null
      ? undefined
      : ([interval.low - baseline, interval.high - baseline] as const);
  const measured =
    often === undefined
      ? `${effects}; the log does not say how many of all responses were correct: --accuracy 0.62 does`
      : `${effects}; ${formatShare(share!)} of the records are from correct answers${spread(interval.low, interval.high, correct)}, by chance ${formatShare(baseline!)} (equal: within ten points)`;
  const equalMeans = least >= -SMALL_EFFECT && most <= SMALL_EFFECT;
  if (!equalMeans && (least > 0 || most < 0)) return { status: "no", measured };
  if (often === undefined) return lacking(measured);
  if (often[0] > ALIKE || often[1] < -ALIKE) return { status: "no", measured };
  const equalShares = often[0] >= -ALIKE && often[1] <= ALIKE;
  return equalMeans && equalShares && clustered.clusters >= LEAST_CLUSTERS
    ? { status: "yes", measured }
    : lacking(measured);
}

/**
 * A text may consist entirely of digits: a share that is no higher than in incorrect answers is not a sign of learning.
 */
function readDigitsOnly({ correct, digits, shares }: ScenarioSource): Reading {
  if (correct.count === 0) return lacking("no record is from a correct answer");
  if (digits.correct_texts === 0) return lacking("the log has no token texts");
  const { share, interval, baseline, clusters, against_baseline: more } = shares.correct_digits;
  const measured = `${formatShare(share!)} of ${plural(digits.correct_texts, "record")} from correct answers are digit tokens${spread(interval.low, interval.high, shares.correct_digits)} (only: ${formatPlainShare(MOST)} or more)`;
  if (interval.high === null)
    return lacking(`${measured}; the log does not say which records are from one response`);
  if (clusters < LEAST_CLUSTERS) return lacking(measured);
  if (interval.high < MOST) return { status: "no", measured };
  if (baseline === null || more === null || more.clusters < LEAST_CLUSTERS / 2)
    return lacking(`${measured}; too few records are from incorrect answers to compare`);
  const beside = `${measured}, in incorrect ones ${formatShare(baseline)}: 95 % interval of the difference ${points(more.low!)} to ${points(more.high!)} points`;
  if (share! >= MOST && more.low! > 0) return { status: "yes", measured: beside };
  return more.high! < ALIKE ? { status: "no", measured: beside } : lacking(beside);
}

function readOthersMore({ comparisons, digits }: ScenarioSource): Reading {
  const { a, b, absent, clustered, hedges_g: g } = find(comparisons, "not_digits");
  if (absent !== null && digits.texts_unknown > 0 && a.count + b.count === 0)
    return lacking("the log has no token texts");
  if (absent !== null) return lacking(`no comparison: ${absent}`);
  const means = `mean ${formatNumber(a.mean)} in ${formatCount(a.count)} other tokens, ${formatNumber(b.mean)} in ${formatCount(b.count)} digit tokens`;
  if (clustered === null)
    return lacking(
      `${means}; in too few prompts, or the log does not say which records are from one response`,
    );
  const { low, high } = clustered.effect_interval;
  if (low === null || high === null) return lacking(`${means}; too uniform for an interval`);
  const measured = `${means}; effect ${formatCoefficient(g)}, 95 % interval ${formatCoefficient(low)} to ${formatCoefficient(high)} over ${clusterText(clustered)}`;
  if (clustered.clusters_least < LEAST_CLUSTERS) return lacking(measured);
  if (low > 0) return { status: "yes", measured };
  return high < SMALL_EFFECT ? { status: "no", measured } : lacking(measured);
}

function lacking(measured: string): Reading {
  return { status: "not enough data", measured };
}

function find(comparisons: readonly Comparison[], id: Comparison["id"]): Comparison {
  return comparisons.find((comparison) => comparison.id === id)!;
}

function spread(low: number | null, high: number | null, over: ShareFigures): string {
  return low === null || high === null
    ? ""
    : `, 95 % interval ${formatShare(low)} to ${formatShare(high)} over ${clusterText(over)}`;
}

function clusterText({ by, clusters }: Pick<ShareFigures | ClusteredTest, "by" | "clusters">): string {
  return plural(clusters, by === "prompt" ? "prompt" : "response");
}

function points(share: number): string {
  return formatNumber(share * 100);
}
