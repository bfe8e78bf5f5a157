import { describe, expect, it } from "vitest";
import type { MismatchReport } from "../../results/report.ts";
import type { SeriesFigures, SeriesReport } from "../../results/series.ts";
import { buildSeriesReport } from "./build-series-report.ts";
import { compareSeries } from "./compare.ts";

type Values = Readonly<Record<string, readonly number[]>>;

function log(metrics: Values, steps: readonly number[] = [1, 2, 3]): SeriesReport {
  const series = Object.entries(metrics).map(([metric, values]) => ({ run: "a run", metric, steps, values }));
  return buildSeriesReport([{ file: "run.jsonl", form: "a log", series }], []);
}

describe("published baselines", () => {
  const one = (metric: string, value: number): SeriesFigures => log({ [metric]: [value] }, [7]).series[0]!;

  // At a limit the milder word still holds; a figure may lie on either side.
  it.each<[metric: string, levels: readonly (readonly [number, string])[], band: RegExp, thresholds: object]>(
    [
      [
        "rollout_corr/kl",
        [
          [0.01, "normal"],
          [-0.01, "normal"],
          [0.0101, "elevated"],
          [-0.1, "elevated"],
          [0.101, "high"],
          [-50, "high"],
        ],
        /^below 0\.01 when stable; 0\.1 needs a look$/,
        { elevated: 0.01, high: 0.1, broken: null },
      ],
      [
        "optim/kl_sample_train_v2",
        [
          [0.01, "normal"],
          [0.2, "high"],
        ],
        /below 0\.01/,
        { elevated: 0.01, high: 0.1, broken: null },
      ],
      [
        "behave_approx_kl/avg",
        [[-0.02, "elevated"]],
        /below 0\.01/,
        { elevated: 0.01, high: 0.1, broken: null },
      ],
      [
        "rollout_corr/chi2_token",
        [
          [0.99, "normal"],
          [1, "normal"],
          [1.01, "high"],
          [1e9, "high"],
        ],
        /^above 1 needs a look$/,
        { elevated: null, high: 1, broken: null },
      ],
      [
        "token_mult_prob_error",
        [
          [1.05, "normal"],
          [1.051, "elevated"],
          [1.1, "elevated"],
          [1.11, "high"],
          [0.94, "elevated"],
        ],
        /above 1\.05 is suspicious, above 1\.1 fails CI$/,
        { elevated: 1.05, high: 1.1, broken: null },
      ],
      [
        "rollout_corr/rollout_is_mean",
        [
          [0.0596, "high"],
          [0.5, "normal"],
          [1, "normal"],
          [2, "normal"],
          [2.01, "high"],
        ],
        /^close to 1; below 0\.5 or above 2 is a warning$/,
        { elevated: null, high: 0.5, broken: null },
      ],
    ],
  )("of %s", (metric, levels, band, thresholds) => {
    for (const [value, level] of levels) expect([value, one(metric, value).level]).toEqual([value, level]);
    const figures = one(metric, levels[0]![0]);
    expect(figures).toMatchObject({ band: expect.stringMatching(band), thresholds });
    expect(figures.source).toMatch(/docs/);
  });

  it("are none for other keys", () => {
    for (const metric of ["train/max_seq_mult_prob_error", "train/tis_abs", "per_round/max_diff_value"])
      expect(one(metric, 9)).toMatchObject({ level: null, band: null, source: null, thresholds: null });
  });

  it("go with what is known of a metric", () => {
    expect(one("train/tis", 1)).toMatchObject({
      ...{
        metric: "train/tis",
        run: "a run",
        file: "run.jsonl",
        trainer: "slime, miles",
        figure: "ratio_mean",
      },
      ...{ meaning: "mean ρ", unit: "", worse: "away", comparison: null },
    });
    expect(one("per_round/max_diff_value", 1)).toMatchObject({ figure: null, quirk: null });
  });
});

describe("the worst of a series", () => {
  it.each<[string, readonly number[], number]>([
    ["rollout_corr/k3_kl", [0.1, 0.3, 0.3], 2],
    ["training/rollout_actor_probs_pearson_corr", [0.9, 0.3, 0.3], 2],
    ["train/tis", [1.1, 0.85, 1], 2],
    // A third is further from 1 than 1.9 times as much.
    ["train/tis", [1.9, 0.3, 1], 2],
    ["rollout_corr/rollout_is_min", [0.1, 0, 1], 2],
    ["rollout_corr/kl", [0.1, 0, -0.1], 1],
  ])("of %s, %j, is that of step %d", (metric, values, step) => {
    expect(log({ [metric]: values }).series[0]!.worst!.step).toBe(step);
  });

  it("is none where nothing is finite, which is worse than any", () => {
    expect(log({ "rollout_corr/kl": [Number.NaN, Infinity] }, [1, 2]).series[0]).toMatchObject({
      ...{ non_finite: 2, first: null, last: null, worst: null, level: "broken", values: [null, null] },
    });
  });
});

describe("the headline", () => {
  it("names the first of the worst metrics, and counts the others", () => {
    const logged = log(
      {
        "training/x": [1],
        "rollout_corr/kl": [0.05],
        "rollout_corr/chi2_token": [3],
        "train/token_mult_prob_error": [2],
        "a/x": [1],
      },
      [4],
    );
    expect([logged.level, logged.headline]).toEqual([
      "high",
      "rollout_corr/chi2_token reaches 3.00 at step 4 (above 1 needs a look), and 1 more metric",
    ]);
    expect(logged.others).toEqual(["a/x", "training/x"]);
    expect(logged.files).toEqual([{ file: "run.jsonl", form: "a log", metrics: 5 }]);
  });

  it("says on how many steps a metric is as bad as at its worst, and which was the last", () => {
    const { headline, series } = log(
      { train_rollout_logprob_abs_diff: [0.01, 0.62, 0.31, 0.05, 0.01] },
      [1, 2, 3, 4, 5],
    );
    expect(headline).toBe(
      "train_rollout_logprob_abs_diff reaches 0.620 at step 2 (0.01 in dense bf16, CI gates at 0.1; broken on 2 of 5 steps, the last 3)",
    );
    expect(series[0]).toMatchObject({ steps_at_worst: 2, last_at_worst: 3 });
    expect(log({ train_rollout_logprob_abs_diff: [0.01, 0.62, 0.5] }).headline).toContain(
      "; broken on 2 of 3 steps)",
    );
    expect(log({ train_rollout_logprob_abs_diff: [0.01, 0.62, 0.01] }).headline).toContain(
      "; broken on 1 of 3 steps)",
    );
    expect(log({ "train/tis_abs": [0.01, 0.62, 0.1] }).series[0]).toMatchObject({
      steps_at_worst: null,
      last_at_worst: null,
    });
  });

  it("names metrics that no table has, apart from those of the run and of its updates", () => {
    const { unknown, others, headline } = log(
      { "offpolicy/kl2": [0.1], "actor/ppo_kl": [0], "critic/score/mean": [1], "some/metric": [2] },
      [1],
    );
    expect(others).toEqual(["actor/ppo_kl", "critic/score/mean", "offpolicy/kl2", "some/metric"]);
    expect(unknown).toEqual(["offpolicy/kl2", "some/metric"]);
    expect(headline).toContain("(2 of them are unknown here)");
  });

  it("counts only what has a baseline where all is well", () => {
    expect(
      log({ "rollout_corr/kl": [0], "rollout_corr/chi2_token": [0], "train/tis_abs": [5] }, [1]).headline,
    ).toBe("all 2 metrics with a published baseline stay within it");
    expect(log({ loss: [1], lr: [1] }, [1])).toMatchObject({
      level: null,
      headline:
        "none of the 2 logged metrics is known to measure the mismatch of rollout and trainer (2 of them are unknown here)",
    });
  });
});

describe("weights of which none reaches 1", () => {
  const weights = (mean: number, max: number): SeriesReport =>
    log({ "rollout_corr/rollout_is_mean": [1, mean], "rollout_corr/rollout_is_max": [2, max] }, [4, 5]);

  it("are impossible under the policy that sampled, and that is told", () => {
    const { headline, findings, level } = weights(0.0746, 0.373);
    expect(level).toBe("high");
    expect(headline).toBe(
      "rollout_corr/rollout_is_mean reaches 0.0746 at step 5 (close to 1; below 0.5 or above 2 is a warning; high on 1 of 2 steps); no weight reaches 1 at step 5",
    );
    expect(findings.map(({ severity, message }) => [severity, message])).toEqual([
      [
        "warning",
        "at step 5 the largest importance weight is 0.373, and their mean 0.0746 (rollout_corr/rollout_is_max, rollout_corr/rollout_is_mean)",
      ],
    ]);
  });

  it.each([
    ["where some do", 0.0746, 1.5],
    ["where their mean is near 1", 0.98, 0.999],
  ])("not %s", (_where, mean, max) => {
    const { headline, findings } = weights(mean, max);
    expect(headline).not.toContain("no weight");
    expect(findings).toEqual([]);
  });

  it("not where only their mean is logged", () => {
    const { headline, findings } = log({ "train/sampling_importance_ratio": [0.0596] }, [1]);
    expect(headline).toBe(
      "train/sampling_importance_ratio reaches 0.0596 at step 1 (close to 1; below 0.5 or above 2 is a warning)",
    );
    expect(findings).toEqual([]);
  });
});

describe("beside the dumps", () => {
  interface Step {
    readonly k1?: number;
    readonly ratio_mean?: number;
    readonly k3?: number;
    readonly delta_abs_mean?: number;
    readonly chi2_token?: number;
    readonly tokens?: number;
  }
  /** Steps 1, 2, …, each of 10 sequences and 1,000 tokens. */
  const dumps = (steps: readonly Step[], formulas: Values = {}): MismatchReport =>
    ({
      per_step: steps.map((figures, i) => ({ step: i + 1, tokens: 1000, sequences: 10, ...figures })),
      parity: [
        {
          trainer: "verl",
          per_step: steps.map((_, i) => ({
            step: i + 1,
            metrics: Object.fromEntries(Object.entries(formulas).map(([key, values]) => [key, values[i]])),
          })),
        },
      ],
    }) as unknown as MismatchReport;
  const compare = (metrics: Values, report: MismatchReport, steps?: readonly number[]) =>
    compareSeries(log(metrics, steps), report).series[0]!.comparison;

  it("agrees to a thousandth of the value, of figures near 1 of what is missing to 1", () => {
    const agreeing = (metric: string, logged: number, figures: Step): number =>
      compare({ [metric]: [logged] }, dumps([figures]), [1])!.agreeing;
    expect(agreeing("rollout_corr/k3_kl", 0.10009, { k3: 0.1 })).toBe(1);
    expect(agreeing("rollout_corr/k3_kl", 0.1002, { k3: 0.1 })).toBe(0);
    expect(agreeing("rollout_corr/k3_kl", 1e-7, { k3: 9e-7 })).toBe(1);
    expect(agreeing("train_infer_ratio_token_mean", 1.00101, { ratio_mean: 1.001 })).toBe(0);
    expect(agreeing("train_infer_ratio_token_mean", 1.0010005, { ratio_mean: 1.001 })).toBe(1);
    expect(agreeing("rollout_corr/k3_kl", Number.NaN, { k3: 0.1 })).toBe(0);
  });

  it("takes the trainer's formula before our figure, and tells where the two differ", () => {
    const report = dumps([{ k1: 0.1 }, { k1: 0.2 }, { k1: 0.3 }], { "rollout_corr/kl": [0.1, 0.25, 0.3] });
    const comparison = compare({ "rollout_corr/kl": [0.1, 0.25, 0.3] }, report);
    expect(comparison).toMatchObject({
      agreeing: 3,
      text: "3 of 3 steps as the dump gives it by verl's formula; step 2: logged 0.250, the dump gives 0.200",
      reason: null,
    });
  });

  it("tells the step that is furthest off", () => {
    const report = dumps([{ k1: 0.1 }, { k1: 0.2 }, { k1: 0.3 }]);
    const { text, agreeing } = compare({ "rollout_corr/kl": [0.1, 0.5, 0.4] }, report)!;
    expect([agreeing, text]).toEqual([
      1,
      "1 of 3 steps as the dump gives it; step 2: logged 0.500, the dump gives 0.200",
    ]);
    expect(compare({ "rollout_corr/kl": [0.9, 0.5, 0.4] }, report)!.text).toMatch(
      /^step 1: logged 0\.900, the dump gives 0\.1/,
    );
    expect(compare({ "rollout_corr/kl": [0.9, Number.NaN, 0.4] }, report)!.text).toMatch(
      /^step 2: logged NaN or infinite/,
    );
  });

  it("sees a sign that is reversed in every step, of differences only", () => {
    const report = dumps([
      { k1: 0.1, ratio_mean: 1.5, k3: 1 },
      { k1: 0.2, ratio_mean: 2, k3: 2 },
    ]);
    const reason = (metrics: Values): string | null => compare(metrics, report, [1, 2])!.reason;
    expect(reason({ "rollout_corr/kl": [-0.1, -0.2] })).toMatch(/^the sign is reversed/);
    expect(reason({ "rollout_corr/kl": [-0.1, 0.5] })).toBeNull();
    expect(reason({ train_infer_ratio_token_mean: [-1.5, -2] })).toBeNull();
    expect(reason({ "rollout_corr/k3_kl": [-1, -2] })).toBeNull();
  });

  it("sees padding of one width in two steps and more, where it is longer than the tokens", () => {
    const report = dumps([
      { k3: 0.1, chi2_token: 1 },
      { k3: 0.2, chi2_token: 2, tokens: 500 },
    ]);
    const reason = (metrics: Values): string | null => compare(metrics, report, [1, 2])!.reason;
    // 1000 / (10 × 200), and 500 / (10 × 200).
    expect(reason({ "rollout_corr/k3_kl": [0.1 * 0.5, 0.2 * 0.25] })).toBe(
      "padding was counted: the mean is over 10 × 200 positions, of which 1,000 tokens are in the mask",
    );
    expect(reason({ "rollout_corr/k3_kl": [0.1 * 0.5, 0.2 * 0.5] })).toBeNull();
    // Shorter than the tokens that there are.
    expect(reason({ "rollout_corr/k3_kl": [0.1 * 2, 0.2] })).toBeNull();
    // Of a figure that is not a mean over tokens.
    expect(reason({ "rollout_corr/chi2_token": [0.5, 0.5] })).not.toMatch(/^padding/);
  });

  it("sees a log that counts its steps otherwise", () => {
    const report = dumps([{ k1: 0.1 }, { k1: 0.2 }, { k1: 0.3 }, { k1: 0.4 }]);
    const reason = (values: readonly number[], steps: readonly number[]): string | null =>
      compare({ "rollout_corr/kl": values }, report, steps)!.reason;
    expect(reason([0.1, 0.2, 0.3], [2, 3, 4])).toBe(
      "the log counts 1 step ahead of the dumps: its step 2 is their step 1",
    );
    expect(reason([0.2, 0.3], [1, 2])).toBe(
      "the log counts 1 step behind the dumps: its step 1 is their step 2",
    );
    expect(reason([0.1, 0.2], [3, 4])).toBe(
      "the log counts 2 steps ahead of the dumps: its step 3 is their step 1",
    );
    expect(reason([0.3, 0.4], [1, 2])).toBe(
      "the log counts 2 steps behind the dumps: its step 1 is their step 3",
    );
    // One step proves no shift.
    expect(reason([0.1], [2])).toBeNull();
  });

  it("is nothing without a figure or a step in common", () => {
    expect(compare({ "train/tis_abs": [1] }, dumps([{}]), [1])).toBeNull();
    expect(compare({ "rollout_corr/kl": [1] }, dumps([{ k1: Number.NaN }]), [1])).toBeNull();
    expect(compare({ "rollout_corr/kl": [1] }, dumps([{ k1: 1 }]), [9])).toBeNull();
  });
});
