/**
 * Figures of the sample report's checkpoints, categories and progression.
 *
 * @module
 */
import type { CategoryFigures, CheckpointFigures, Progression } from "../results/checkpoints.ts";
import type { PolicyRole } from "../results/names.ts";

export const STEPS = [100, 200, 300, 600, 1000];
export const NAMES = STEPS.map((step) => `rlvr_step_${step}`);
export const CHECKPOINTS = ["sft", ...NAMES];
export const LAST = "rlvr_step_1000";
export const MEANS = [0.00682, 0.0125, 0.0185, 0.0172, 0.017];
export const SPIKES = [14.89, 10.96, 6.42, 8.91, 11.87];
export const ENTROPIES = [0.2506, 0.2504, 0.254, 0.2531, 0.2533];
export const CATEGORIES = [
  "math_symbol",
  "number",
  "logical",
  "step_marker",
  "variable",
  "punctuation",
  "other",
];

export const PROBLEMS = 120;

export function checkpoint(
  mean: number,
  spikes: number,
  entropy: number,
  step: number | null,
): CheckpointFigures {
  const role: PolicyRole = step === null ? "baseline" : "checkpoint";
  return {
    role,
    step,
    stage: step === null ? null : step <= 300 ? "early" : "late",
    exact: step !== 600,
    problems: PROBLEMS,
    texts: step === 300 ? 177 : 180,
    tokens: 23_456,
    texts_missing: step === 300 ? 3 : 0,
    mean_kl: mean,
    std_kl: mean * 0.42,
    median_kl: mean * 0.93,
    min_kl: mean * 1e-5,
    max_kl: mean * 3.1,
    mean_kl_interval: { low: mean * 0.93, high: mean * 1.08 },
    mean_reverse_kl: mean * 1.12,
    mean_js: mean * 0.24,
    mean_total_variation: mean * 1.9,
    mean_kl_lower: step === 600 ? mean : null,
    mean_kl_upper: step === 600 ? mean * 1.6 : null,
    upper_infinite_share: step === 600 ? 0.031 : null,
    token_mean_kl: mean * 1.04,
    token_max_kl: mean * 480,
    argmax_changed: mean * 0.7,
    mean_delta: -mean * 1.3,
    mean_entropy: entropy,
    std_entropy: entropy * 0.3,
    mean_entropy_normalized: entropy / Math.log(128_256),
    mean_reference_entropy: 0.262,
    entropy_by_region: { early: entropy * 1.3, mid: entropy, late: entropy * 0.7 },
    spikes_total: Math.round(spikes * PROBLEMS),
    spikes_mean: spikes,
    spikes_shuffled: 1.2,
    spikes_median: Math.round(spikes),
    spikes_per_100_tokens: spikes * 0.51,
    spike_mean_value: mean * 24,
    spike_mean_zscore: 6.3,
    spike_share_of_kl: 0.61,
    spike_regions: {
      early: { spikes: Math.round(spikes * 50), density: spikes * 0.0071 },
      mid: { spikes: Math.round(spikes * 40), density: spikes * 0.0052 },
      late: { spikes: Math.round(spikes * 30), density: spikes * 0.0038 },
    },
    rl_probe: {
      mean_kl: mean * 1.02,
      std_kl: mean * 0.43,
      spikes_total: Math.round(spikes * PROBLEMS * 1.1),
      spikes_mean: spikes * 1.1,
      same_spikes: 0.42,
    },
  };
}

export function categoryFigures(mean: number, at: number): CategoryFigures {
  const own = mean * [2, 0.64, 0.97, 0.65, 0.4, 1.6, 1.9][at]!;
  return {
    count: [3411, 2046, 127, 116, 941, 621, 8725][at]!,
    mean_kl: own,
    std_kl: own * 3,
    max_kl: own * 90,
    min_kl: 2.1e-8,
    spikes: 300 - at * 31,
    share_of_tokens: [0.21, 0.13, 0.008, 0.007, 0.06, 0.04, 0.545][at]!,
    share_of_kl: [0.42, 0.08, 0.007, 0.004, 0.02, 0.06, 0.409][at]!,
    mean_kl_interval: at === 3 ? null : { low: own * 0.8, high: own * 1.3 },
  };
}

export const progression: Progression = {
  checkpoints: NAMES,
  steps: STEPS,
  mean_kl: MEANS,
  mean_entropy: ENTROPIES,
  spikes_mean: SPIKES,
  category_mean_kl: Object.fromEntries(
    CATEGORIES.map((name, at) => [
      name,
      MEANS.map((mean, index) => (at === 3 && index === 1 ? null : categoryFigures(mean, at).mean_kl)),
    ]),
  ),
  stages: [
    {
      stage: "early",
      checkpoints: NAMES.slice(0, 3),
      mean_kl: 0.0126,
      mean_entropy: 0.2517,
      spikes_mean: 10.76,
      change: null,
    },
    {
      stage: "late",
      checkpoints: NAMES.slice(3),
      mean_kl: 0.0171,
      mean_entropy: null,
      spikes_mean: 10.39,
      change: 0.0045,
    },
  ],
  turning_points: [
    {
      checkpoint: "rlvr_step_300",
      step: 300,
      value: 0.0185,
      type: "max",
      method: "derivative",
      supported: true,
    },
    {
      checkpoint: "rlvr_step_600",
      step: 600,
      value: 0.0172,
      type: "inflection",
      method: "smooth_derivative",
      supported: null,
    },
  ],
  entropy_reduction: {
    absolute: -0.0027,
    relative: -0.0108,
    by_region: { early: 0.012, mid: -0.02, late: null },
    rates: [-0.0008, 0.0144, null, 0.0008],
  },
  trend: { rho: 0.6, p_value: 0.285 },
  half_by: "rlvr_step_200",
};
