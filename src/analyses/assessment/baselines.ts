import type { BaselineReading, MismatchMetrics, ReadingLevel, ReportMetrics } from "../../results/report.ts";

/** Levels by rising concern. */
export const LEVELS: readonly ReadingLevel[] = ["none", "normal", "elevated", "high", "broken"];

/** A published band: the value from which each level starts. */
interface Baseline {
  readonly metric: keyof VerdictMetrics;
  readonly elevated: number;
  readonly high: number;
  readonly broken: number;
  /** Whether larger values are worse (true of all but Pearson and ESS). */
  readonly worse: "larger" | "smaller";
  /** The usual value in healthy runs, in a few characters. */
  readonly usual: string;
  readonly band: string;
  readonly source: string;
  /**
   * Judged by the lower end of the interval: otherwise an event too rare for most runs would be in doubt for lack of
   * tokens.
   */
  readonly byLowerBound?: true;
}

const BASELINES: readonly Baseline[] = [
  {
    metric: "k3",
    elevated: 1e-3,
    high: 2e-2,
    broken: 1e-1,
    worse: "larger",
    usual: "< 0.001",
    band: "low to 1e-3, medium 2e-2, high 1e-1",
    source: "When Speed Kills Stability, section 3.3",
  },
  {
    metric: "delta_abs_mean",
    elevated: 0.02,
    high: 0.1,
    broken: 0.3,
    worse: "larger",
    usual: "< 0.01",
    band: "0.01 in dense bf16, CI gates at 0.1",
    source: "miles docs, slime PR 1968 and vime PR 94, miles issue 2722",
  },
  {
    metric: "prob_diff_mean",
    elevated: 5e-3,
    high: 1e-2,
    broken: 5e-2,
    worse: "larger",
    usual: "< 0.005",
    band: "below 0.005; 0.01 is a precision bug",
    source: "verl docs/faq, IcePop blog",
  },
  {
    metric: "pearson",
    elevated: 0.99,
    high: 0.95,
    broken: 0.5,
    worse: "smaller",
    usual: "> 0.99",
    band: "0.99 when sound, 0.13 if misaligned",
    source: "MiniMax-M1 (2506.13585), verl-omni PR 254",
  },
  {
    metric: "ess",
    elevated: 0.9,
    high: 0.3,
    broken: 0.05,
    worse: "smaller",
    usual: "> 0.9",
    band: "unhealthy below 0.3",
    source: "verl docs/algo/rollout_corr.md",
  },
  {
    metric: "prob_diff_above_half",
    elevated: 1e-5,
    high: 1e-3,
    broken: Number.POSITIVE_INFINITY,
    worse: "larger",
    byLowerBound: true,
    usual: "none",
    band: "0 in bf16; surely above 0.001 % is too many",
    source: "max: DPPO (2602.04879), where |Δp| above 0.5 precedes collapse; rate: ours, docs/metrics.md",
  },
];

function readLevel(baseline: Baseline, value: number): ReadingLevel {
  const beyond = (threshold: number): boolean =>
    baseline.worse === "larger" ? value > threshold : value < threshold;
  if (beyond(baseline.broken)) return "broken";
  if (beyond(baseline.high)) return "high";
  return beyond(baseline.elevated) ? "elevated" : "normal";
}

/** A level, and the value at which each level starts; infinite for a level that is never reached. */
export interface FigureReading extends Pick<BaselineReading, "level" | "band" | "source"> {
  readonly thresholds: Readonly<Record<"elevated" | "high" | "broken", number>>;
}

/** Compares one figure with its published band; undefined if there is none. */
export function readFigure(metric: string, value: number): FigureReading | undefined {
  const baseline = BASELINES.find((known) => known.metric === metric);
  if (baseline === undefined || Number.isNaN(value)) return undefined;
  const { elevated, high, broken, band, source } = baseline;
  return { level: readLevel(baseline, value), band, source, thresholds: { elevated, high, broken } };
}

/** The figures that decide a verdict: of a step, a rank or a whole run. */
export type VerdictMetrics = MismatchMetrics & Pick<Partial<ReportMetrics>, "prob_diff_above_half">;

/** The uncertainty of each figure, by metric name. */
export type Ranges = Readonly<Record<string, { readonly low: number; readonly high: number } | undefined>>;

/** Compares each known figure with its published band; leaves out unknown (NaN) figures. */
export function readBaselines(metrics: VerdictMetrics, ranges: Ranges = {}): BaselineReading[] {
  return BASELINES.flatMap((baseline) => {
    const { metric, usual, band, source } = baseline;
    const value = metrics[metric];
    if (value === undefined || Number.isNaN(value)) return [];
    const { low, high } = ranges[metric] ?? { low: value, high: value };
    const values = baseline.byLowerBound ? [low] : [value, low, high];
    const [level, ...ends] = values.map((end) => readLevel(baseline, end)) as [ReadingLevel];
    const sorted = [level, ...ends].sort(byConcern);
    const level_range = [sorted.at(0)!, sorted.at(-1)!] as const;
    return [{ metric, value, level, level_range, usual, band, source }];
  });
}

function byConcern(a: ReadingLevel, b: ReadingLevel): number {
  return LEVELS.indexOf(a) - LEVELS.indexOf(b);
}

/** The worst of some levels, at least "normal". */
export function findWorstLevel(levels: readonly ReadingLevel[]): ReadingLevel {
  return ["normal" as const, ...levels].reduce((a, b) => (byConcern(b, a) > 0 ? b : a));
}

/** Mean |Δ| from which a run counts as broken, in nats. */
export const BROKEN_DELTA =
  BASELINES.find(({ metric }) => metric === "delta_abs_mean")?.broken ?? Number.POSITIVE_INFINITY;
