import type { BaselineReading, MismatchMetrics, ReadingLevel } from "../protocol/report.ts";

/** Levels by rising concern. */
export const LEVELS: readonly ReadingLevel[] = ["none", "normal", "elevated", "high", "broken"];

/** A published band: the value from which each level starts. */
interface Baseline {
  readonly metric: keyof MismatchMetrics;
  readonly elevated: number;
  readonly high: number;
  readonly broken: number;
  /** Whether larger values are worse (they are, but for Pearson and ESS). */
  readonly worse: "larger" | "smaller";
  readonly band: string;
  readonly source: string;
}

export const BASELINES: readonly Baseline[] = [
  {
    metric: "k3",
    elevated: 1e-3,
    high: 2e-2,
    broken: 1e-1,
    worse: "larger",
    band: "low to 1e-3, medium 2e-2, high 1e-1",
    source: "When Speed Kills Stability, section 3.3",
  },
  {
    metric: "delta_abs_mean",
    elevated: 0.02,
    high: 0.1,
    broken: 0.3,
    worse: "larger",
    band: "0.01 in dense bf16, CI gates at 0.1",
    source: "miles docs, slime PR 1968 and vime PR 94, miles issue 2722",
  },
  {
    metric: "prob_diff_mean",
    elevated: 5e-3,
    high: 1e-2,
    broken: 5e-2,
    worse: "larger",
    band: "below 0.005; 0.01 is a precision bug",
    source: "verl docs/faq, IcePop blog",
  },
  {
    metric: "pearson",
    elevated: 0.99,
    high: 0.95,
    broken: 0.5,
    worse: "smaller",
    band: "0.99 when sound, 0.13 if misaligned",
    source: "MiniMax-M1 (2506.13585), verl-omni PR 254",
  },
  {
    metric: "ess",
    elevated: 0.9,
    high: 0.3,
    broken: 0.05,
    worse: "smaller",
    band: "unhealthy below 0.3",
    source: "verl docs/algo/rollout_corr.md",
  },
  {
    metric: "prob_diff_max",
    elevated: 0.5,
    high: Number.POSITIVE_INFINITY,
    broken: Number.POSITIVE_INFINITY,
    worse: "larger",
    band: "0.4 in bf16; above 0.5 can collapse",
    source: "Your Efficient RL Framework Secretly Brings You Off-Policy RL Training, DPPO (2602.04879)",
  },
];

function levelOf(baseline: Baseline, value: number): ReadingLevel {
  const beyond = (threshold: number): boolean =>
    baseline.worse === "larger" ? value > threshold : value < threshold;
  if (beyond(baseline.broken)) return "broken";
  if (beyond(baseline.high)) return "high";
  return beyond(baseline.elevated) ? "elevated" : "normal";
}

/** Each known figure held against its published band; unknown (NaN) figures are left out. */
export function readBaselines(metrics: MismatchMetrics): BaselineReading[] {
  return BASELINES.flatMap((baseline) => {
    const value = metrics[baseline.metric];
    if (Number.isNaN(value)) return [];
    return [
      {
        metric: baseline.metric,
        value,
        level: levelOf(baseline, value),
        band: baseline.band,
        source: baseline.source,
      },
    ];
  });
}

/** The worst level among readings. */
export function worstLevel(readings: readonly BaselineReading[]): ReadingLevel {
  return readings.reduce<ReadingLevel>(
    (worst, { level }) => (LEVELS.indexOf(level) > LEVELS.indexOf(worst) ? level : worst),
    "normal",
  );
}

/** Mean |Δ| from which a run counts as broken, nats. */
export const BROKEN_DELTA =
  BASELINES.find(({ metric }) => metric === "delta_abs_mean")?.broken ?? Number.POSITIVE_INFINITY;
