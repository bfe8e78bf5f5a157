/**
 * The guide's table of diagnostic scenarios, held against a log.
 *
 * Correctness belongs to a response, so shares of correct answers are as certain as the number of responses allows,
 * however many tokens each has: intervals count responses where the log tells them apart.
 *
 * @module
 */
import type {
  Comparison,
  DigitFigures,
  DivergenceFigures,
  Scenario,
  ScenarioStatus,
} from "../protocol/analyze.ts";

/** The guide's "80 %+". */
const MOST = 0.8;
/** With fewer, one response moves a share by more than five points. */
const LEAST_RESPONSES = 20;
/** Where the log does not tell responses apart. */
const LEAST_RECORDS = 30;
/** Differences below this are small: Cohen, "Statistical Power Analysis for the Behavioral Sciences" (1988), 2.2. */
const SMALL_EFFECT = 0.2;

export interface ScenarioSource {
  readonly correct: DivergenceFigures;
  readonly incorrect: DivergenceFigures;
  readonly digits: DigitFigures;
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
    observation: "80 % or more of the divergent tokens are from correct answers",
    interpretation: "the trainer policy is learning right answers and the rollout policy lags behind; normal",
    next_step:
      "nothing to fix; hold the share against the run's accuracy: where 80 % of all answers are correct anyway it says nothing",
    read: ({ correct, incorrect }) => readShare(correct, incorrect, "correct"),
  },
  {
    id: "mostly_incorrect",
    observation: "80 % or more of the divergent tokens are from incorrect answers",
    interpretation: "the trainer policy is learning wrong answers, or the training is unstable",
    next_step:
      "check the reward function; hold the share against the run's accuracy; look at the mismatch over the steps with `logratio report`",
    read: ({ correct, incorrect }) => readShare(incorrect, correct, "incorrect"),
  },
  {
    id: "equal",
    observation: "divergence is equal on correct and incorrect answers",
    interpretation: "divergence has nothing to do with correctness: it looks random",
    next_step: "the correction (TIS) may not help: try what each one costs with `logratio sweep`",
    read: readEqual,
  },
  {
    id: "digits_only",
    observation: "only digit tokens diverge in correct answers",
    interpretation: "learning is concentrated on the tokens that decide the answer; expected for mathematics",
    next_step: "nothing to fix; how sure both policies are of each digit: `logratio digits`",
    read: readDigitsOnly,
  },
  {
    id: "not_digits_more",
    observation: "tokens other than digits diverge more",
    interpretation: "unexpected where answers are numbers",
    next_step:
      "check the prompt format, and for retokenised text: records where reencodes_to_same_id or tokens_match is false",
    read: readOthersMore,
  },
];

/** Each row of the table: whether it holds, and the figures that say so. */
export function readScenarios(source: ScenarioSource): Scenario[] {
  return ROWS.map(({ read, ...row }) => ({ ...row, ...read(source) }));
}

function readShare(part: DivergenceFigures, rest: DivergenceFigures, name: string): Reading {
  const total = part.count + rest.count;
  if (total === 0) return lacking("no record says whether its answer is correct");
  const { n, unit, enough } = sizeOf(total, addSequences(part, rest));
  const share = part.count / total;
  const [low, high] = wilson(share, n);
  const measured = `${count(part.count)} of ${count(total)} records (${percent(share)}) ${part.count === 1 ? "is" : "are"} from ${name} answers, in ${count(n)} ${unit}: 95 % interval ${percent(low)} to ${percent(high)}`;
  if (!enough) return { status: "not enough data", measured };
  return { status: share >= MOST ? "yes" : "no", measured };
}

function readEqual({ comparisons }: ScenarioSource): Reading {
  const sequences = find(comparisons, "correctness_sequences");
  const tokens = find(comparisons, "correctness");
  const told = sequences.absent === null;
  const comparison = told ? sequences : tokens;
  const least = told ? LEAST_RESPONSES / 2 : LEAST_RECORDS;
  const { a, b, hedges_g: g, hedges_g_interval: interval } = comparison;
  if (comparison.absent !== null) return lacking(`no comparison: ${comparison.absent}`);
  const means = `mean ${figure(a.mean)} in ${count(a.count)} correct, ${figure(b.mean)} in ${count(b.count)} incorrect ${told ? "responses" : "tokens"}`;
  if (interval.low === null || interval.high === null)
    return a.mean === b.mean && a.count >= least && b.count >= least
      ? { status: "yes", measured: `${means}; every value is the same` }
      : lacking(`${means}; too few or too uniform for an interval`);
  const measured = `${means}; effect ${figure(g)}, 95 % interval ${figure(interval.low)} to ${figure(interval.high)} (equal: within ±${SMALL_EFFECT})`;
  if (a.count < least || b.count < least) return lacking(measured);
  if (interval.low >= -SMALL_EFFECT && interval.high <= SMALL_EFFECT) return { status: "yes", measured };
  if (interval.low > 0 || interval.high < 0) return { status: "no", measured };
  return lacking(measured);
}

function readDigitsOnly({ correct, digits }: ScenarioSource): Reading {
  if (correct.count === 0) return lacking("no record is from a correct answer");
  const texts = digits.correct_texts;
  if (texts === 0) return lacking("the log has no token texts");
  const { n, unit, enough } = sizeOf(texts, correct.sequences);
  const share = digits.correct.count / texts;
  const measured = `${count(digits.correct.count)} of ${count(texts)} records from correct answers (${percent(share)}) are digit tokens, in ${count(n)} ${unit} (only: ${percent(MOST)} or more)`;
  if (!enough) return lacking(measured);
  return { status: share >= MOST ? "yes" : "no", measured };
}

function readOthersMore({ comparisons, digits }: ScenarioSource): Reading {
  const comparison = find(comparisons, "not_digits");
  const { a, b, absent, hedges_g: g, hedges_g_interval: interval } = comparison;
  if (absent !== null && digits.texts_unknown > 0 && a.count + b.count === 0)
    return lacking("the log has no token texts");
  if (absent !== null) return lacking(`no comparison: ${absent}`);
  const means = `mean ${figure(a.mean)} in ${count(a.count)} other tokens, ${figure(b.mean)} in ${count(b.count)} digit tokens`;
  if (interval.low === null || interval.high === null)
    return lacking(`${means}; too uniform for an interval`);
  const measured = `${means}; effect ${figure(g)}, 95 % interval ${figure(interval.low)} to ${figure(interval.high)}`;
  if (a.count < LEAST_RECORDS || b.count < LEAST_RECORDS) return lacking(measured);
  if (interval.low > 0) return { status: "yes", measured };
  return interval.high < SMALL_EFFECT ? { status: "no", measured } : lacking(measured);
}

function lacking(measured: string): Reading {
  return { status: "not enough data", measured };
}

function sizeOf(records: number, sequences: number | null): { n: number; unit: string; enough: boolean } {
  if (sequences === null) return { n: records, unit: "records", enough: records >= LEAST_RECORDS };
  return {
    n: sequences,
    unit: sequences === 1 ? "response" : "responses",
    enough: sequences >= LEAST_RESPONSES,
  };
}

/** Null where a side has records of which the log does not say to which response they belong. */
function addSequences(...parts: readonly DivergenceFigures[]): number | null {
  let sum = 0;
  for (const { count, sequences } of parts) {
    if (count > 0 && sequences === null) return null;
    sum += sequences ?? 0;
  }
  return sum;
}

function find(comparisons: readonly Comparison[], id: Comparison["id"]): Comparison {
  return comparisons.find((comparison) => comparison.id === id)!;
}

/**
 * 95 % interval of a share seen in n draws. Source: Wilson, "Probable inference, the law of succession, and statistical
 * inference", J. Am. Statist. Assoc. 22 (1927).
 */
export function wilson(share: number, n: number): [number, number] {
  const z2 = 1.959963984540054 ** 2;
  const centre = (share + z2 / (2 * n)) / (1 + z2 / n);
  const half = (Math.sqrt(z2) / (1 + z2 / n)) * Math.sqrt((share * (1 - share)) / n + z2 / (4 * n * n));
  return [Math.max(0, centre - half), Math.min(1, centre + half)];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function figure(value: number | null): string {
  return value === null ? "n/a" : value.toFixed(3);
}

function count(value: number): string {
  return value.toLocaleString("en");
}
