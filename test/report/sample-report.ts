import { pooledMetrics } from "../../src/analyses/report/metrics.ts";
import { MismatchSummary } from "../../src/core/summaries/mismatch-summary.ts";
import type { GradientReport } from "../../src/results/gradient.ts";
import type {
  Distribution,
  GroupMetrics,
  Interval,
  MismatchMetrics,
  MismatchReport,
  StepMetrics,
} from "../../src/results/report.ts";
import { makeAssessment } from "../support/assessment.ts";

/** The size of a sample report, and the foreign text in it. */
export interface SampleOptions {
  readonly run?: string;
  readonly steps?: number;
  readonly turns?: number;
  readonly ranks?: number;
  readonly environments?: readonly string[];
  readonly files?: readonly string[];
  readonly command?: string;
}

/** What a step of a sample report has in addition to its mismatch. */
export function sampleOutcomes(
  step: number,
): Pick<StepMetrics, "entropy" | "response_tokens" | "reward" | "accuracy"> {
  return { entropy: 0.3 + step / 100, response_tokens: 400 + 7 * step, reward: null, accuracy: 0.5 };
}

/** A complete report with made-up figures of a plausible size, the same ones on each call. */
/** An interval over 24 prompts. */
export function interval(low: number, high: number): Interval {
  return { low, high, method: "cluster-t", unit: "prompt", clusters: 24, reason: null, leave_one_out: null };
}

/** The sample with an interval only for ESS. */
export function withoutIntervals(): MismatchReport {
  const none = { ...interval(Number.NaN, Number.NaN), reason: "one prompt holds 52 %" };
  const report = sampleReport();
  return {
    ...report,
    intervals: {
      ...report.intervals,
      delta_abs_mean: { ...none, leave_one_out: [0.0019, 0.0041] },
      k3: { ...none, reason: "only 9 prompts" },
    },
  };
}

export function sampleReport(options: SampleOptions = {}): MismatchReport {
  const {
    run = "sample",
    steps = 3,
    turns = 2,
    ranks = 2,
    environments = ["maths", "code"],
    command = "logratio view runs/sample",
  } = options;
  const files = options.files ?? numbered(steps, (step) => `step_${step}.npz`);
  const perStep: StepMetrics[] = numbered(steps, (step) => ({
    step: 10 * step,
    ...sampleMetrics(4 * step + 1, 1000),
    ...sampleOutcomes(step),
  }));
  const whole = sampleMetrics(2, 1000 * steps);
  const handle = `s${10 * steps}.r0.q3.t41`;
  return {
    schemaVersion: 2,
    kind: "report",
    run,
    trainers: ["verl"],
    metrics: {
      ...whole,
      sequences: 64 * steps,
      steps,
      turns_max: turns,
      ranks,
      sequences_empty: 1,
      prob_diff_above_half: 2e-4,
      catastrophic_tokens: 3,
      catastrophic_fraction: 1e-5,
    },
    intervals: { delta_abs_mean: interval(0.0031, 0.0051), ess: interval(0.9985, 0.9996) },
    identity: {
      unit_mean: { value: 0.99993, z: -0.58, tokens: 1000 * steps, clusters: 16 * steps },
      half_variance: { value: 1.04, low: 0.88, high: 1.2 },
      surprisal: null,
      unit: "prompt",
      not_judged: null,
      false_alarm_rate: 1e-3,
      failures: [],
      per_step: [],
      per_turn: [],
      per_rank: [],
      per_environment: [],
    },
    trust: {
      khat_ratio: 0.41,
      khat_inverse: 0.52,
      khat_sequence: 0.2,
      khat_most: 0.7,
      design_effect: 1.3,
      effective_sequences: 49 * steps,
    },
    watch: { false_alarm_rate: 1e-3, alarm_at: 7.6, alarms: [], per_step: [] },
    assessment: makeAssessment({
      level: "elevated",
      sentence: "single tokens are far off: look at step 10",
      correction: { need: "few" },
    }),
    verdict: {
      level: "elevated",
      level_range: ["elevated", "elevated"],
      headline: "single tokens are far off: look at step 10",
      readings: [
        {
          metric: "delta_abs_mean",
          value: whole.delta_abs_mean,
          level: "normal",
          level_range: ["normal", "normal"],
          usual: "none",
          band: "CI gates at 0.1",
          source: "slime PR 1968",
        },
        {
          metric: "prob_diff_mean",
          value: whole.prob_diff_mean,
          level: "elevated",
          level_range: ["elevated", "elevated"],
          usual: "none",
          band: "normal below 0.005",
          source: "verl FAQ",
        },
      ],
    },
    facts: [
      { kind: "tail", text: "12 of 3,000 tokens make 80 % of Σ k3", weight: 2 },
      { kind: "turn", text: "Turn 2 is twice as far off as turn 1", weight: 3 },
    ],
    correct: null,
    next: { command, why: "look at the worst token" },
    distributions: {
      delta: sampleDistribution(-1),
      delta_abs: sampleDistribution(0),
      prob_diff_abs: sampleDistribution(0),
      ratio: sampleDistribution(1),
    },
    histograms: {
      delta: { edges: [-1, -0.1, -0.01, 0.01, 0.1, 1], counts: [1, 20, 900, 30, 0] },
      prob_diff_abs: { edges: [0, 1e-4, 1e-2, 1], counts: [800, 140, 11] },
      by_correctness: (["correct", "incorrect"] as const).map((name, index) => ({
        name,
        delta: { edges: [-1, -0.1, -0.01, 0.01, 0.1, 1], counts: [index, 10, 450, 15, 0] },
        sequence_delta_abs: { edges: [0.001, 0.004, 0.016, 0.064], counts: [20 - index, 10, 2 + 5 * index] },
        sequence_delta_abs_p50: 0.003 + index / 1000,
      })),
    },
    tail_curve: [
      { threshold: 0.01, tokens: 51, share: 0.05, positive: 30, negative: 21 },
      { threshold: 0.1, tokens: 1, share: 0.001, positive: 0, negative: 1 },
    ],
    tails: {
      positive: { tokens: 500, share: 0.5, delta_mean: 0.004, delta_extreme: 0.09, p50: 0.001, p99: 0.05 },
      negative: {
        tokens: 451,
        share: 0.451,
        delta_mean: -0.005,
        delta_extreme: -0.9,
        p50: -0.001,
        p99: -0.08,
      },
    },
    sequence_metrics: {
      sequences: 64 * steps - 1,
      log_ppl_diff_mean: 0.002,
      log_ppl_diff_std: 0.02,
      log_ppl_diff_abs_mean: 0.003,
      log_ppl_diff_max: 0.25,
      log_ppl_diff_min: -0.03,
      rollout_ppl_mean: 1.08,
      trainer_ppl_mean: 1.09,
      ppl_ratio_mean: 1.002,
      chi2_seq: 0.013,
      ess_seq: 0.967,
      length_mean: 71.6,
      length_max: 109,
    },
    per_step: perStep,
    per_turn: numbered(turns, (turn) => ({ turn, ...sampleMetrics(turn, 500) })),
    per_rank: numbered(ranks, (rank) => ({ rank: rank - 1, ...sampleMetrics(rank + 7, 500) })),
    per_environment: environments.map((name, index) => ({ name, ...sampleMetrics(index + 3, 400) })),
    per_correctness: ["correct", "incorrect"].map((name, index) => ({
      name,
      ...sampleMetrics(index + 5, 480),
    })),
    per_engine: numbered(ranks, (engine) => ({
      name: `replica-${engine}`,
      ...sampleMetrics(engine + 2, 500),
    })),
    per_finish_reason: ["length", "stop"].map((name, index) => ({
      name,
      ...sampleMetrics(index + 4, 450),
    })),
    per_staleness: [0, 1].map((staleness) => ({ staleness, ...sampleMetrics(staleness + 1, 470) })),
    pooled_parts: [],
    per_position_decile: numbered(10, (tenth) => ({ decile: tenth - 1, ...sampleGroup(tenth) })),
    per_rollout_probability: [
      { from: 0, to: 0.5, ...sampleGroup(8) },
      { from: 0.5, to: 1, ...sampleGroup(1) },
    ],
    per_token_id: [{ token_id: 55, ...sampleGroup(4) }],
    worst_tokens: [
      {
        handle,
        step: 10,
        rank: 0,
        sequence: 3,
        token: 41,
        turn: 2,
        token_id: 55,
        delta: -0.9,
        rollout_logprob: -0.1,
        trainer_logprob: -1,
        file: files[0] ?? "",
      },
    ],
    worst_sequences: [
      {
        handle: "s10.r0.q3",
        step: 10,
        tokens: 43,
        delta_abs_mean: 0.25,
        delta_sum: -1.2,
        delta_abs_max: 0.9,
        reward: null,
        file: files[0] ?? "",
      },
    ],
    gradient: sampleGradient(handle, files[0] ?? ""),
    parity: [
      {
        trainer: "verl",
        source: "verl/utils/debug/metrics.py",
        metrics: { "training/rollout_probs_diff_mean": 0.00134, "rollout_corr/kl": 0.00142 },
        discrepancies: [
          { key: "rollout_corr/kl", logged: 0.00142, correct: 0.0014213, reason: "summed in float32" },
        ],
        per_step: [],
      },
    ],
    excluded: { delta_negative_infinite: 0, delta_positive_infinite: 0, missing: 0 },
    left_out: [],
    findings: [],
    sources: files.map((file, index) => ({
      file,
      format: "npz",
      trainer: "verl",
      step: 10 * (index + 1),
      rank: null,
      bytes: 226_000,
      sequences: 64,
      found: ["responses", "response_mask"],
      guessed: index === 0 ? ["rank"] : [],
      missing: [],
    })),
  };
}

/** The report on a directory without a single usable token: every figure missing, every list empty. */
export function emptyReport(): MismatchReport {
  const sample = sampleReport({ files: [] });
  const nothing = {
    count: 0,
    mean: Number.NaN,
    std: Number.NaN,
    min: Number.NaN,
    max: Number.NaN,
    quantiles: {},
  };
  const tail = {
    tokens: 0,
    share: Number.NaN,
    delta_mean: Number.NaN,
    delta_extreme: Number.NaN,
    p50: Number.NaN,
    p99: Number.NaN,
  };
  return {
    ...sample,
    metrics: {
      ...missingMetrics(),
      steps: 0,
      turns_max: 0,
      ranks: 0,
      sequences_empty: 0,
      prob_diff_above_half: Number.NaN,
      catastrophic_tokens: 0,
      catastrophic_fraction: Number.NaN,
    },
    intervals: {},
    assessment: makeAssessment({
      level: "broken",
      sentence: "no token has both log-probs, so nothing can be compared",
    }),
    verdict: {
      level: "broken",
      level_range: ["broken", "broken"],
      headline: "no token has both log-probs, so nothing can be compared",
      readings: [],
    },
    facts: [],
    distributions: { delta: nothing, delta_abs: nothing, prob_diff_abs: nothing, ratio: nothing },
    histograms: {
      delta: { edges: [], counts: [] },
      prob_diff_abs: { edges: [], counts: [] },
      by_correctness: [],
    },
    tail_curve: [],
    tails: { positive: tail, negative: tail },
    sequence_metrics: { ...sample.sequence_metrics, sequences: 0, length_mean: Number.NaN },
    per_step: [],
    per_turn: [],
    per_rank: [],
    per_environment: [],
    per_correctness: [],
    per_engine: [],
    per_finish_reason: [],
    per_staleness: [],
    pooled_parts: [],
    per_position_decile: [],
    per_rollout_probability: [],
    per_token_id: [],
    worst_tokens: [],
    gradient: null,
    worst_sequences: [],
    parity: [],
  };
}

/** Half of the tokens have advantage 0, and they have most of k3. */
export function sampleGradient(handle: string, file: string): GradientReport {
  const figures = {
    tokens: 20_000,
    zero_advantage_share: 0.5,
    k3_share_at_zero: 0.75,
    delta_abs_share_at_zero: 0.625,
    advantage_abs_mean: 0.5,
    impact_mean: 0.002,
    impact_signed_mean: -0.0005,
    impact_relative: 0.004,
    surrogate_change: -0.001,
  };
  const place = { handle, step: 10, rank: 0, file };
  return {
    ...figures,
    tokens_without_advantage: 0,
    tokens_overflowed: 0,
    impact_max: 1.2,
    k3_share_at_zero_leave_one_out: [0.7, 0.8],
    clusters: 32,
    worst_tokens_at_zero: { of: 10, zero: 7 },
    sentence: "75.0 % of k3 lies where the advantage is 0",
    worst_tokens: [
      {
        ...{ ...place, sequence: 3, token: 41, turn: 2, token_id: 55 },
        ...{ delta: 0.7, rollout_logprob: -2, trainer_logprob: -1.3, advantage: -1.18, impact: -1.2 },
      },
    ],
    worst_sequences: [
      {
        ...{ handle: "s10.r0.q3", step: 10, file, tokens: 43, delta_abs_mean: 0.25, delta_sum: -1.2 },
        ...{ advantage_mean: -1.18, impact: 2.5, impact_signed: -1, impact_share: 0.0625, reward: null },
      },
    ],
    per_step: [{ step: 10, ...figures }],
  };
}

/** Figures of a group whose mean |Δ| grows with `size` (any positive number). */
export function sampleMetrics(size: number, tokens: number): MismatchMetrics {
  const mean = 0.001 * (1 + (size % 7));
  return {
    ...pooledMetrics(new MismatchSummary()),
    sequences: 64,
    tokens,
    delta_mean: -mean / 3,
    delta_std: 10 * mean,
    delta_min: -300 * mean,
    delta_max: 80 * mean,
    delta_abs_mean: mean,
    delta_abs_max: 300 * mean,
    delta_abs_p50: mean / 100,
    delta_abs_p99: 10 * mean,
    delta_abs_p999: 50 * mean,
    k1: mean / 3,
    k2: 50 * mean * mean,
    k3: 45 * mean * mean,
    chi2_token: 90 * mean * mean,
    ratio_mean: 1 - mean / 10,
    ratio_std: 9 * mean,
    prob_diff_mean: mean / 2,
    prob_diff_max: Math.min(1, 100 * mean),
    prob_diff_std: 4 * mean,
    pearson: 1 - mean,
    ess: 1 - mean / 5,
    rollout_ppl: 1.08,
    trainer_ppl: 1.09,
  };
}

function missingMetrics(): MismatchMetrics {
  const names = Object.keys(sampleMetrics(1, 1)) as (keyof MismatchMetrics)[];
  const missing = Object.fromEntries(names.map((name) => [name, Number.NaN])) as unknown as MismatchMetrics;
  return { ...missing, sequences: 0, tokens: 0 };
}

function sampleGroup(size: number): GroupMetrics {
  const mean = 0.001 * size;
  return {
    tokens: 100,
    token_share: 0.1,
    delta_mean: -mean / 3,
    delta_abs_mean: mean,
    delta_abs_max: 90 * mean,
    k3: mean * mean,
    k3_share: size / 55,
    delta_abs_share: size / 55,
  };
}

function sampleDistribution(centre: number): Distribution {
  const names = ["p1", "p5", "p25", "p50", "p75", "p95", "p99", "p99.9"];
  const quantiles = Object.fromEntries(names.map((name, index) => [name, centre + index / 100]));
  return { count: 951, mean: centre, std: 0.01, min: centre - 0.9, max: centre + 0.9, quantiles };
}

function numbered<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index + 1));
}
