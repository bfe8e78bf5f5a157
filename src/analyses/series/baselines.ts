import type { RecognisedMetric } from "../../trainers/index.ts";
import { type FigureReading, readFigure } from "../assessment/baselines.ts";

interface LoggedBaseline {
  is(metric: RecognisedMetric): boolean;
  /** Distances from the neutral value from which each level starts. */
  readonly elevated: number;
  readonly high: number;
  readonly broken: number;
  /** The limits are factors: a third is as bad as three times as much. */
  readonly areFactors?: true;
  readonly band: string;
  readonly source: string;
}

/** For metrics that a report does not judge, from the documents of the projects that log them. */
const BASELINES: readonly LoggedBaseline[] = [
  {
    is: ({ figure }) => figure === "k1" || figure === "k2" || figure === "delta_mean",
    elevated: 0.01,
    high: 0.1,
    broken: Number.POSITIVE_INFINITY,
    band: "below 0.01 when stable; 0.1 needs a look",
    source: "tinker docs, verl docs/algo/rollout_corr.md",
  },
  {
    is: ({ figure }) => figure === "chi2_token",
    elevated: Number.POSITIVE_INFINITY,
    high: 1,
    broken: Number.POSITIVE_INFINITY,
    band: "above 1 needs a look",
    source: "verl docs/algo/rollout_corr.md",
  },
  {
    is: ({ key }) => /(?:^|\/)token_mult_prob_error$/.test(key),
    elevated: 0.05,
    high: 0.1,
    broken: Number.POSITIVE_INFINITY,
    band: "1.02 in tests; above 1.05 is suspicious, above 1.1 fails CI",
    source: "NeMo-RL docs/guides/grpo.md and test suites",
  },
  {
    is: ({ figure }) => figure === "ratio_mean",
    elevated: Number.POSITIVE_INFINITY,
    high: 2,
    broken: Number.POSITIVE_INFINITY,
    areFactors: true,
    band: "close to 1; below 0.5 or above 2 is a warning",
    source: "verl docs/algo/rollout_corr.md",
  },
];

/** Compares a logged value with its published limits; undefined if there are none. */
export function readLogged(metric: RecognisedMetric, value: number): FigureReading | undefined {
  const known = metric.figure === undefined ? undefined : readFigure(metric.figure, value);
  if (known !== undefined) return known;
  const baseline = BASELINES.find(({ is }) => is(metric));
  if (baseline === undefined || Number.isNaN(value)) return undefined;
  if (baseline.areFactors) return readFactor(baseline, value);
  const { elevated, high, broken, band, source } = baseline;
  const neutral = metric.neutral ?? 0;
  // Compared with the limits as published: 1.05 − 1 is slightly more than 0.05.
  const passes = (limit: number): boolean => value > neutral + limit || value < neutral - limit;
  const level = passes(broken) ? "broken" : passes(high) ? "high" : passes(elevated) ? "elevated" : "normal";
  const thresholds = { elevated: neutral + elevated, high: neutral + high, broken: neutral + broken };
  return { level, band, source, thresholds };
}

/** The limits are those on the value's side of 1. */
function readFactor({ elevated, high, broken, band, source }: LoggedBaseline, value: number): FigureReading {
  const limit = (factor: number): number => (value < 1 ? 1 / factor : factor);
  const passes = (factor: number): boolean => (value < 1 ? value < limit(factor) : value > factor);
  const level = passes(broken) ? "broken" : passes(high) ? "high" : passes(elevated) ? "elevated" : "normal";
  // No value reaches an infinite limit, nor its inverse.
  const reached = (factor: number): number => (Number.isFinite(factor) ? limit(factor) : factor);
  const thresholds = { elevated: reached(elevated), high: reached(high), broken: reached(broken) };
  return { level, band, source, thresholds };
}
