import { beforeAll, describe, expect, it } from "vitest";
import type { MismatchReport } from "../../results/report.ts";
import type { SeriesReport } from "../../results/series.ts";
import { recogniseMetric } from "../../trainers/logged/recognise.ts";
import { PARITY_TRAINERS } from "../../trainers/parity.ts";
import { joinLogged, parityOfLogged } from "../runs/join-logged.ts";
import { reportRun } from "../runs/report-run.ts";
import { buildSeriesReport } from "./build-series-report.ts";
import { compareSeries } from "./compare.ts";

const DUMPS = "examples/demo/stale";
const MEAN = "training/rollout_probs_diff_mean";
const STEPS = [10, 20, 30];

let report: MismatchReport;
beforeAll(async () => {
  report = await reportRun(DUMPS, { steps: "10..30", parity: ["verl"] });
});

/** Series of one file with these values at the steps of the dumps. */
function log(
  metrics: Readonly<Record<string, readonly number[]>>,
  steps: readonly number[] = STEPS,
): SeriesReport {
  const series = Object.entries(metrics).map(([metric, values]) => ({ run: "", metric, steps, values }));
  return buildSeriesReport([{ file: "run.jsonl", form: "verl's file logger", series }], []);
}

const perStep = (key: string): number[] => report.parity[0]!.per_step.map(({ metrics }) => metrics[key]!);

function compare(metrics: Readonly<Record<string, readonly number[]>>, steps?: readonly number[]) {
  const [series] = compareSeries(log(metrics, steps), report).series;
  return series!.comparison;
}

describe("which metrics are mismatch metrics", () => {
  it.each([
    ["training/rollout_probs_diff_mean", "verl", "prob_diff_mean"],
    ["rollout_corr/k3_kl", "verl", "k3"],
    ["rollout_is/mismatch/rollout_is_eff_sample_size", "xtuner", "ess"],
    ["mismatch/mismatch_logprob_abs_diff", "xtuner", "delta_abs_mean"],
    ["sampling/sampling_logp_difference/mean", "trl", "delta_abs_mean"],
    ["train/sampling/sampling_logp_difference/max", "trl", "delta_abs_max"],
    ["train/train_rollout_logprob_abs_diff", "slime, miles", "delta_abs_mean"],
    ["train/mis_k3_kl", "slime, miles", "k3"],
    ["vllm_kl", "openrlhf", "k1"],
    ["train/vllm_kl", "openrlhf", "k1"],
    ["ppo_actor/update/behave_approx_kl/avg", "areal", "delta_mean"],
    ["train/gen_kl_error", "nemo-rl", "k3"],
    ["train/token_mult_prob_error", "nemo-rl", undefined],
    ["policy/rollout_train_logprobs_abs_diff_mean", "skyrl", "delta_abs_mean"],
    ["policy/loss_metrics/is_ratio_mean", "skyrl", "ratio_mean"],
    ["mismatch_kl/all/mean", "prime-rl", "k3"],
    ["mismatch_kl/math/mean", "prime-rl", undefined],
    ["unmasked_mismatch_kl/all/mean", "prime-rl", undefined],
    ["actor/train_infer_ratio_token_mean@sum", "roll", "ratio_mean"],
    ["debug/vllm_vs_local_logprob_diff_mean", "open-instruct", "delta_abs_mean"],
    ["optim/kl_sample_train_v2", "tinker", "k2"],
    ["rollout_correction/kl", "ms-swift", "k1"],
  ])("%s is %s's %s", (key, trainer, figure) => {
    const metric = recogniseMetric(key);
    expect([metric?.trainer, metric?.figure]).toEqual([trainer, figure]);
  });

  it("dropped and kept tokens of prime-rl are told apart", () => {
    expect(recogniseMetric("masked_mismatch_kl/all/mean")?.meaning).toBe("k3 of dropped tokens");
    expect(recogniseMetric("unmasked_mismatch_kl/all/mean")?.meaning).toBe("k3 of kept tokens");
  });

  it.each([
    "critic/score/mean",
    "actor/kl_loss",
    "notrollout_corr/kl",
    "vllm_kl_coef",
    "optim/entropy",
    "kl",
  ])("%s is none", (key) => expect(recogniseMetric(key)).toBeUndefined());

  it("a prefix of the logger is passed over, and the trainer's own key is kept", () => {
    expect(recogniseMetric("run.training/rollout_probs_diff_mean")?.key).toBe(
      "training/rollout_probs_diff_mean",
    );
  });
});

describe("series of logged metrics", () => {
  it("first, last and worst, what is not finite counted, the others named", () => {
    const logged = log({ [MEAN]: [0.004, Number.NaN, 0.02], "critic/score/mean": [1, 2, 3] });
    expect(logged.series[0]).toMatchObject({
      metric: MEAN,
      values: [0.004, null, 0.02],
      non_finite: 1,
      first: { step: 10, value: 0.004 },
      last: { step: 30, value: 0.02 },
      worst: { step: 30, value: 0.02 },
      level: "broken",
      band: "below 0.005; 0.01 is a precision bug",
      thresholds: { elevated: 5e-3, high: 1e-2, broken: 5e-2 },
    });
    expect(logged.others).toEqual(["critic/score/mean"]);
    expect([logged.level, logged.headline]).toEqual([
      "broken",
      `at step 20: NaN in ${MEAN}. Of what is finite, ${MEAN} reaches 0.0200 at step 30 (below 0.005; 0.01 is a precision bug; high on 1 of 2 steps)`,
    ]);
  });

  it("the worst is the smallest of correlations, and the furthest from 1 or 0 of ratios and differences", () => {
    const { series } = log({
      "training/rollout_actor_probs_pearson_corr": [0.999, 0.4, 0.98],
      "train/tis": [1.1, 0.7, 1.2],
      "rollout_corr/kl": [0.05, -0.2, 0.1],
    });
    expect(series.map(({ worst, level }) => [worst?.step, level])).toEqual([
      [20, "broken"],
      [20, "normal"],
      [20, "high"],
    ]);
  });

  it.each([
    ["train/token_mult_prob_error", [1.01, 1.02, 1.03], "normal"],
    ["train/token_mult_prob_error", [1.01, 1.02, 1.06], "elevated"],
    ["train/token_mult_prob_error", [1.01, 25324, 15], "high"],
    ["optim/kl_sample_train_v1", [0.001, -0.02, 0.001], "elevated"],
    ["rollout_corr/chi2_token", [0.5, 1.5, 0.2], "high"],
  ])("%s of %j is %s", (metric, values, level) => {
    expect(log({ [metric]: values }).level).toBe(level);
  });

  it("headlines of logs without a mismatch metric, and of sound ones", () => {
    expect(log({ "critic/score/mean": [1, 2, 3] }).headline).toBe(
      "the one logged metric is not known to measure the mismatch of rollout and trainer",
    );
    expect(log({ [MEAN]: [0.001, 0.001, 0.001] }).headline).toBe(
      "the one metric with a published baseline stays within it",
    );
    expect(log({ "train/tis_abs": [1, 1, 1] }).headline).toBe(
      "1 mismatch metric, none of them with a published baseline",
    );
  });
});

describe("beside the dumps of the same steps", () => {
  it("what the trainer's formula gives agrees", () => {
    const comparison = compare({ [MEAN]: perStep(MEAN) });
    expect(comparison).toMatchObject({
      steps: 3,
      agreeing: 3,
      reason: null,
      text: "3 of 3 steps as the dump gives it",
    });
    const [first] = comparison!.per_step;
    expect(first).toEqual({
      step: 10,
      logged: perStep(MEAN)[0],
      formula: perStep(MEAN)[0],
      right: report.per_step[0]!.prob_diff_mean,
    });
  });

  it("rounding agrees, a tenth of a per cent more does not", () => {
    expect(compare({ [MEAN]: perStep(MEAN).map((value) => value * 1.0005) })?.agreeing).toBe(3);
    expect(compare({ [MEAN]: perStep(MEAN).map((value) => value * 1.003) })?.agreeing).toBe(0);
  });

  it("padding that was counted is seen, with its width", () => {
    const padded = report.per_step.map(
      (step, at) => (perStep(MEAN)[at]! * step.tokens) / (step.sequences * 2048),
    );
    const comparison = compare({ [MEAN]: padded });
    const { sequences, tokens } = report.per_step[0]!;
    expect(comparison?.reason).toBe(
      `padding was counted: the mean is over ${sequences} × 2,048 positions, of which ${tokens.toLocaleString("en")} tokens are in the mask`,
    );
    expect(comparison?.text).toMatch(
      /^step \d+: logged [\d.e-]+, the dump gives [\d.e-]+; padding was counted/,
    );
  });

  it("one step alone proves no width", () => {
    const [step] = report.per_step;
    const padded = (perStep(MEAN)[0]! * step!.tokens) / (step!.sequences * 2048);
    expect(compare({ [MEAN]: [padded] }, [10])?.reason).toBeNull();
  });

  it("a sign that is reversed is seen", () => {
    const comparison = compare({ "rollout_corr/kl": perStep("rollout_corr/kl").map((value) => -value) });
    expect(comparison?.reason).toMatch(/^the sign is reversed/);
  });

  it("steps that are counted otherwise are seen", () => {
    const values = perStep(MEAN);
    const shifted = {
      ...report,
      per_step: report.per_step.map((step, at) => ({ ...step, step: at + 4 })),
      parity: [],
    };
    const [series] = compareSeries(log({ [MEAN]: values }, [5, 6, 7]), shifted).series;
    expect(series?.comparison?.reason).toBe(
      "the log counts 1 step ahead of the dumps: its step 5 is their step 4",
    );
  });

  it("what is bounded before it is logged need not agree, and says so", () => {
    const comparison = compare({ "rollout_corr/rollout_is_mean": [0.5, 0.5, 0.5] });
    expect(comparison?.is_bent).toBe(true);
    expect(comparison?.text).toContain("logged after truncation or masking");
  });

  it("another trainer's metric stands beside our figure, with its quirk as the likely reason", () => {
    const values = report.per_step.map(({ delta_abs_mean }) => delta_abs_mean * 1.5);
    const comparison = compare({ "train/train_rollout_logprob_abs_diff": values });
    expect(comparison?.per_step[0]?.formula).toBeNull();
    expect(comparison?.reason).toContain("a mean of the sequences' means");
  });

  it("a value that was not finite differs", () => {
    const [first, , third] = perStep(MEAN);
    const comparison = compare({ [MEAN]: [first!, Number.NaN, third!] });
    expect(comparison?.text).toMatch(
      /^2 of 3 steps as the dump gives it; step 20: logged NaN or infinite, the dump/,
    );
  });

  it("no step in common, nothing to compare", () => {
    expect(compare({ [MEAN]: [1, 2, 3] }, [1000, 2000, 3000])).toBeNull();
  });

  it("a difference is a warning of the report, an agreement is not", () => {
    const sound = joinLogged(report, log({ [MEAN]: perStep(MEAN) }));
    expect(sound.findings).toEqual(report.findings);
    expect(sound.logged?.series[0]?.comparison?.agreeing).toBe(3);
    const off = joinLogged(
      report,
      log({ [MEAN]: [0.3, 0.3, 0.3], "rollout_corr/k3_kl": perStep("rollout_corr/k3_kl") }),
    );
    const added = off.findings.slice(report.findings.length);
    expect(added).toHaveLength(1);
    expect([added[0]?.severity, added[0]?.code]).toEqual(["warning", "logged-differs"]);
    expect(added[0]?.message).toMatch(
      /^1 of 2 logged metrics is not what the dumps give, the first: training\/rollout_probs_diff_mean, step \d+: logged 0\.3/,
    );
  });

  it("the trainers of the log are asked for their formulas", () => {
    const logged = log({ [MEAN]: [1, 2, 3], "mismatch/mismatch_kl": [1, 2, 3] });
    expect(parityOfLogged(logged, [PARITY_TRAINERS[0]!]).map(({ name }) => name)).toEqual(["verl", "xtuner"]);
  });
});
