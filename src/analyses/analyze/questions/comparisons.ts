import { clusteredDifference, FEWEST_TO_COMPARE } from "../../../core/statistics/clusters.ts";
import { mannWhitneyU } from "../../../core/statistics/mann-whitney.ts";
import type { Interval, TTestResult } from "../../../core/statistics/result.ts";
import { tTest } from "../../../core/statistics/t-test.ts";
import type { ClusteredTest, Comparison, IntervalFigures, TestFigures } from "../../../results/analyze.ts";
import type { Database } from "../database.ts";
import { clusteredValues } from "./clusters.ts";
import { HAS_SEQUENCE, SEQUENCE_KEY } from "./groups.ts";

interface Question extends Pick<Comparison, "id" | "title" | "unit"> {
  /** Whether there is a test that clusters by prompt; tokens by correctness use the test of their responses. */
  readonly tested: boolean;
  readonly a: readonly [label: string, condition: string];
  readonly b: readonly [label: string, condition: string];
}

const CORRECT = ["in a correct answer", "is_correct"] as const;
const INCORRECT = ["in an incorrect answer", "NOT is_correct"] as const;
const DIGITS_CORRECT = ["of digits in a correct answer", "is_digit AND is_correct"] as const;
const DIGITS_INCORRECT = ["of digits in an incorrect answer", "is_digit AND NOT is_correct"] as const;

const QUESTIONS: readonly Question[] = [
  {
    id: "digits",
    title: "digits: correct − incorrect",
    unit: "token",
    tested: false,
    a: DIGITS_CORRECT,
    b: DIGITS_INCORRECT,
  },
  {
    id: "digits_sequences",
    title: "digits: correct − incorrect",
    unit: "sequence",
    tested: true,
    a: DIGITS_CORRECT,
    b: DIGITS_INCORRECT,
  },
  {
    id: "correctness",
    title: "all: correct − incorrect",
    unit: "token",
    tested: false,
    a: CORRECT,
    b: INCORRECT,
  },
  {
    id: "correctness_sequences",
    title: "all: correct − incorrect",
    unit: "sequence",
    tested: true,
    a: CORRECT,
    b: INCORRECT,
  },
  {
    id: "not_digits",
    title: "other tokens − digits",
    unit: "token",
    tested: true,
    a: ["other than digits", "NOT is_digit"],
    b: ["of digits", "is_digit"],
  },
];

/** Are two groups of tokens equally divergent? Runs every test of the guide, and the one that is valid. */
export async function comparisons(database: Database): Promise<Comparison[]> {
  const found: Comparison[] = [];
  for (const { id, title, unit, tested, a, b } of QUESTIONS) {
    const values = [
      await selectValues(database, unit, a[1]),
      await selectValues(database, unit, b[1]),
    ] as const;
    const compared = compare(a[0], values[0], b[0], values[1], unit);
    const clustered =
      tested && compared.absent === null ? await clusteredTest(database, unit, a[1], b[1], values) : null;
    found.push({ id, title, unit, ...compared, clustered });
  }
  return found;
}

/** Null if a value belongs to no known cluster, or if one side has too few clusters. */
async function clusteredTest(
  database: Database,
  unit: Comparison["unit"],
  a: string,
  b: string,
  values: readonly [Float64Array, Float64Array],
): Promise<ClusteredTest | null> {
  const either = `((${a}) OR (${b}))`;
  const found =
    unit === "token"
      ? await clusteredValues(database, { value: "prob_divergence", where: either, first: a })
      : await clusteredValues(
          database,
          { value: "favg(prob_divergence)", where: `${either} AND ${HAS_SEQUENCE}`, first: a },
          { key: SEQUENCE_KEY },
        );
  if (found === undefined) return null;
  const test = clusteredDifference(found.values, found.first, found.clusters);
  const least = Math.min(test.clustersA, test.clustersB);
  if (least < FEWEST_TO_COMPARE) return null;
  const { low, high } = test.interval;
  const { pooledDeviation } = tTest(...values);
  return {
    by: found.by,
    clusters: test.clusters,
    clusters_least: least,
    statistic: known(test.statistic),
    p_value: known(test.pValue),
    degrees_of_freedom: test.degreesOfFreedom,
    interval: interval(test.interval),
    effect_interval: interval({ low: low / pooledDeviation, high: high / pooledDeviation }),
  };
}

/** Selected in the order of the log, so that sums do not depend on threads. */
async function selectValues(
  database: Database,
  unit: Comparison["unit"],
  condition: string,
): Promise<Float64Array> {
  return database.numbers(
    unit === "token"
      ? `SELECT prob_divergence FROM tokens WHERE ${condition} ORDER BY log_row`
      : `SELECT favg(prob_divergence) FROM tokens WHERE (${condition}) AND ${HAS_SEQUENCE}
         GROUP BY ${SEQUENCE_KEY} ORDER BY min(log_row)`,
  );
}

const NO_TEST: TestFigures = { statistic: null, p_value: null, degrees_of_freedom: null };
const NO_INTERVAL: IntervalFigures = { low: null, high: null };

function compare(
  labelA: string,
  a: Float64Array,
  labelB: string,
  b: Float64Array,
  unit: Comparison["unit"],
): Omit<Comparison, "id" | "title" | "unit" | "clustered"> {
  const samples = {
    a: { label: labelA, count: a.length, mean: known(computeMean(a)) },
    b: { label: labelB, count: b.length, mean: known(computeMean(b)) },
  };
  if (a.length === 0 || b.length === 0) {
    const word = unit === "token" ? "token" : "response that the log identifies";
    const side = a.length + b.length === 0 ? `${labelA} or ${labelB}` : a.length === 0 ? labelA : labelB;
    return { ...samples, absent: `no ${word} is ${side}`, ...NOTHING };
  }
  const student = tTest(a, b);
  const welch = tTest(a, b, { equalVariances: false });
  const ranks = mannWhitneyU(a, b);
  return {
    ...samples,
    absent: a.length < 2 || b.length < 2 ? "a test of means needs at least two values on each side" : null,
    mean_difference: known(student.meanDifference),
    mean_difference_interval: interval(welch.meanDifferenceInterval),
    hedges_g: known(student.hedgesG),
    hedges_g_interval: interval(student.hedgesGInterval),
    t: test(student),
    welch: test(welch),
    mann_whitney: {
      statistic: known(ranks.statistic),
      p_value: known(ranks.pValue),
      degrees_of_freedom: null,
    },
    rank_biserial: known(ranks.rankBiserial),
    rank_biserial_interval: interval(ranks.rankBiserialInterval),
  };
}

const NOTHING = {
  mean_difference: null,
  mean_difference_interval: NO_INTERVAL,
  hedges_g: null,
  hedges_g_interval: NO_INTERVAL,
  t: NO_TEST,
  welch: NO_TEST,
  mann_whitney: NO_TEST,
  rank_biserial: null,
  rank_biserial_interval: NO_INTERVAL,
} as const;

function test({ statistic, pValue, degreesOfFreedom }: TTestResult): TestFigures {
  return {
    statistic: known(statistic),
    p_value: known(pValue),
    degrees_of_freedom: known(degreesOfFreedom),
  };
}

function interval({ low, high }: Interval): IntervalFigures {
  return { low: known(low), high: known(high) };
}

/** Maps NaN to null, "not known". */
function known(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

function computeMean(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}
