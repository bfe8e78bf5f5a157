/**
 * Reports as `logratio kl` makes them: a study with everything in it, one with every figure null that may be null, and
 * one in which every list is empty.
 *
 * @module
 */
import type { KlReport } from "../results/report.ts";
import type { SpikeFigures } from "../results/texts.ts";
import type { PairedDifference } from "../results/wrong-texts.ts";
import { sampleCases, sampleSpike } from "./sample-cases.test-data.ts";
import {
  CATEGORIES,
  CHECKPOINTS,
  categoryFigures,
  checkpoint,
  ENTROPIES,
  LAST,
  MEANS,
  NAMES,
  PROBLEMS,
  progression,
  SPIKES,
  STEPS,
} from "./sample-figures.test-data.ts";

export { CHECKPOINTS };

export const HOSTILE =
  "\u202e\"><script>alert(1)</script><img src=x onerror='alert(2)'>|`[x](y)\u0007\u001b[31m";

const group = {
  problems: 60,
  texts: 90,
  mean_kl: 0.0201,
  std_kl: 0.009,
  spikes_mean: 12.1,
  mean_delta: -0.02,
};

const paired: PairedDifference = {
  problems: 74,
  mean: 0.0121,
  interval: { low: 0.004, high: 0.021 },
  p_value: 2e-4,
  adjusted_p_value: 4e-4,
  rank_biserial: 0.41,
  significant: true,
};

export function sampleKlReport(): KlReport {
  const spike = sampleSpike("12", 40, 3.21);
  return {
    schemaVersion: 1,
    kind: "kl",
    study: "runs/kl-study",
    reference: "dpo",
    settings: {
      spikes: { method: "zscore", threshold: 2.5, min_distance: 5, percentile: 95 },
      categories: CATEGORIES,
      alpha: 0.05,
      bootstrap_replicates: 2000,
      seed: 20261121,
      alignment: "predicted-token",
    },
    metrics: {
      checkpoints: CHECKPOINTS.length,
      problems: PROBLEMS,
      texts: 180,
      tokens: 23_456,
      masked_out_tokens: 1_204,
      vocabulary_size: 128_256,
      last_checkpoint: LAST,
      mean_kl: 0.017,
      std_kl: 0.00714,
      mean_reverse_kl: 0.019,
      mean_js: 0.0041,
      mean_entropy: 0.2533,
      spikes_total: 1424,
      spikes_mean: 11.87,
    },
    policies: Object.fromEntries(
      ["dpo", ...CHECKPOINTS].map((name) => [
        name,
        {
          role: name === "dpo" ? "reference" : name === "sft" ? "baseline" : "checkpoint",
          step: name.startsWith("rlvr") ? Number(name.split("_")[2]) : null,
          stage: null,
          backend: name === "rlvr_step_600" ? "vllm" : "onnx",
          location: name === "rlvr_step_600" ? "http://127.0.0.1:8000" : `ckpt/${name}/model.onnx`,
          model: null,
          logprobs: "raw",
          temperature: 1,
          notes: name === "rlvr_step_600" ? ["top 20 of 128,256 tokens: bounds only"] : [],
        },
      ]),
    ),
    checkpoints: {
      sft: checkpoint(0.0048, 7.2, 0.291, null),
      ...Object.fromEntries(
        NAMES.map((name, at) => [name, checkpoint(MEANS[at]!, SPIKES[at]!, ENTROPIES[at]!, STEPS[at]!)]),
      ),
    },
    categories: Object.fromEntries(
      CHECKPOINTS.map((name, index) => [
        name,
        Object.fromEntries(
          CATEGORIES.map((category, at) => [category, categoryFigures([0.0048, ...MEANS][index]!, at)]),
        ),
      ]),
    ),
    progression,
    pairs: [
      {
        p: LAST,
        q: "rlvr_step_100",
        problems: PROBLEMS,
        tokens: 23_456,
        mean_kl: 0.0091,
        std_kl: 0.004,
        mean_reverse_kl: 0.0088,
        mean_js: null,
        spikes_mean: 6.2,
      },
    ],
    comparisons: [
      {
        kind: "consecutive",
        a: "rlvr_step_100",
        b: "rlvr_step_200",
        problems: PROBLEMS,
        mean_difference: 0.00568,
        median_difference: 0.0051,
        interval: { low: 0.0049, high: 0.0064 },
        statistic: 112,
        p_value: 3.1e-12,
        adjusted_p_value: 1.9e-11,
        rank_biserial: 0.83,
        significant: true,
      },
      {
        kind: "first-last",
        a: "rlvr_step_100",
        b: LAST,
        problems: PROBLEMS,
        mean_difference: 0.0102,
        median_difference: 0.0095,
        interval: { low: 0.0091, high: 0.0113 },
        statistic: 3,
        p_value: 1.2e-20,
        adjusted_p_value: 8.4e-20,
        rank_biserial: 0.99,
        significant: true,
      },
      {
        kind: "baseline",
        a: "sft",
        b: LAST,
        problems: 4,
        mean_difference: 0.0122,
        median_difference: 0.011,
        interval: { low: -0.001, high: 0.03 },
        statistic: null,
        p_value: null,
        adjusted_p_value: null,
        rank_biserial: null,
        significant: false,
      },
    ],
    correlations: [
      {
        checkpoint: LAST,
        with: "response_length",
        of: "spikes",
        method: "spearman",
        problems: PROBLEMS,
        coefficient: 0.71,
        interval: { low: 0.6, high: 0.8 },
        p_value: 2e-15,
        adjusted_p_value: 1e-14,
        significant: true,
      },
      {
        checkpoint: LAST,
        with: "correctness",
        of: "mean_kl",
        method: "point-biserial",
        problems: PROBLEMS,
        coefficient: -0.08,
        interval: null,
        p_value: 0.38,
        adjusted_p_value: 0.46,
        significant: false,
      },
    ],
    correctness: [
      {
        checkpoint: "rlvr_step_100",
        wrong_texts: group,
        right_texts: null,
        test: null,
        good_kl: null,
        bad_kl: null,
        good_share: null,
        solved: null,
        unsolved: null,
      },
      {
        checkpoint: LAST,
        wrong_texts: group,
        right_texts: { ...group, mean_kl: 0.0119, spikes_mean: 8.3, mean_delta: null },
        test: { method: "wilcoxon", p_value: 4e-4, adjusted_p_value: 0.0016, rank_biserial: 0.41, n: 60 },
        good_kl: 0.021,
        bad_kl: 0.012,
        good_share: 0.636,
        solved: { ...group, mean_kl: 0.018 },
        unsolved: group,
      },
    ],
    first_errors: [
      {
        checkpoint: LAST,
        texts: 74,
        window: 3,
        spike_at_error: 0.338,
        tested: 51,
        tested_at_error: 0.353,
        expected: 0.142,
        p_value: 5e-4,
        adjusted_p_value: 0.001,
        kl_at_error: 0.412,
        kl_elsewhere: 0.0161,
        median_distance: -2,
        spikes_after: null,
      },
    ],
    attention: [
      {
        checkpoint: "rlvr_step_100",
        texts: 4,
        problems: 4,
        to_error: 0.071,
        reference_to_error: 0.0702,
        to_control: null,
        reference_to_control: null,
        difference: { ...paired, problems: 4, p_value: null, adjusted_p_value: null, significant: false },
        control_difference: null,
        with_kl: null,
        strongest_head: null,
        hidden: null,
      },
      {
        checkpoint: LAST,
        texts: 90,
        problems: 74,
        to_error: 0.0823,
        reference_to_error: 0.0702,
        to_control: 0.0411,
        reference_to_control: 0.0408,
        difference: paired,
        control_difference: { ...paired, mean: -0.0003, adjusted_p_value: 0.61, significant: false },
        with_kl: {
          problems: 74,
          coefficient: 0.31,
          interval: { low: 0.09, high: 0.5 },
          p_value: 0.007,
          adjusted_p_value: 0.014,
        },
        strongest_head: { layer: 11, head: 3, share: 0.613, reference_share: 0.502 },
        hidden: {
          problems: 74,
          kl: 0.0181,
          kl_without_error: 0.0092,
          kl_without_control: 0.0178,
          difference: { ...paired, mean: -0.0089, interval: { low: -0.012, high: -0.006 } },
          against_control: { ...paired, mean: -0.0086 },
        },
      },
    ],
    gradients: [
      {
        checkpoint: LAST,
        texts: 90,
        problems: 74,
        spikes: 201,
        to_error: 0.231,
        to_control: 0.084,
        even: 0.031,
        at_error: 0.143,
        against_control: { ...paired, mean: 0.147, interval: { low: 0.12, high: 0.17 } },
      },
    ],
    continuations: [
      {
        checkpoint: LAST,
        place: "after_error",
        texts: 90,
        problems: 74,
        samples: 360,
        forced_share: 0.43,
        right: 0.62,
        reference_right: 0.11,
        unanswered: 0.05,
        difference: { ...paired, mean: 0.51, interval: { low: 0.44, high: 0.58 } },
        with_kl: {
          problems: 74,
          coefficient: 0.22,
          interval: { low: -0.01, high: 0.43 },
          p_value: 0.06,
          adjusted_p_value: 0.06,
        },
      },
    ],
    spike_distribution: Object.fromEntries(
      CHECKPOINTS.map((name) => [
        name,
        [
          { range: "0", problems: 0, share: 0 },
          { range: "1-5", problems: 43, share: 43 / PROBLEMS },
          { range: "6-10", problems: 40, share: 40 / PROBLEMS },
          { range: ">10", problems: 37, share: 37 / PROBLEMS },
        ],
      ]),
    ),
    top_problems: Object.fromEntries(
      CHECKPOINTS.map((name) => [
        name,
        {
          by_spikes: [627, 1032, 894].map((id, at) => ({
            problem: `test/geometry/${id}.json`,
            spikes: 68 - 20 * at,
            mean_kl: 0.0106 / (at + 1),
          })),
          by_mean_kl: [661, 769].map((id, at) => ({
            problem: `test/algebra/${id}.json`,
            spikes: 4 - at,
            mean_kl: 0.0395 - at * 6e-4,
          })),
        },
      ]),
    ),
    top_tokens: [" =", " 12", "\n\n", "So"].map((token, at) => ({
      token,
      category: ["math_symbol", "number", "other", "logical"][at]!,
      count: 812 - at * 190,
      spikes: 91 - at * 20,
      mean_kl: 0.08 / (at + 1),
      share_of_kl: 0.14 / (at + 1),
      mean_delta: at === 2 ? null : -0.03,
      problems: 100 - at,
    })),
    all_spikes: null,
    top_spikes: [
      spike,
      sampleSpike(" =", 17, 2.04),
      { ...sampleSpike(" therefore", 63, 1.1), since: null, probability: null, reference_probability: null },
    ],
    cases: sampleCases(NAMES),
    answers: [
      {
        question: "At which tokens do the checkpoints part from the reference?",
        answer: `At few: the 6.1 % of tokens that are spikes hold 61 % of the KL at ${LAST}; most at “ =” and “ 12”.`,
        support: "descriptive",
      },
      {
        question: "At which kinds of token?",
        answer: "math_symbol has 21 % of the tokens and 42 % of the KL.",
        support: "yes",
      },
      {
        question: "Since which checkpoint?",
        answer: "Half of the last checkpoint's KL is there by rlvr_step_200, and stays.",
        support: "yes",
      },
      {
        question: "Do spikes lie at the first error?",
        answer: "34 % of the wrong texts have one within 3 tokens, 14 % would by chance.",
        support: "no",
      },
      {
        question: "Is correctness related to KL?",
        answer: "Only 4 problems have both.",
        support: "not enough data",
      },
    ],
    caveats: [
      "Teacher forcing asks what a checkpoint would say after another model's words, not what it would write itself.",
      "Spikes are relative to their own text: a z-score above 2.5 is there in almost every text, whatever its KL.",
    ],
    absent: ["correlation with difficulty: no problem has a level"],
    findings: [
      {
        code: "file-skipped",
        severity: "skipped",
        message: "3 texts are longer than the context of rlvr_step_300",
        count: 3,
        at: { file: "probe/dpo_responses.json", row: 17 },
        likely: "context of 192 tokens",
        hint: "leave them out with --texts",
      },
    ],
  };
}

type Mutable<T> = { -readonly [K in keyof T]: Mutable<T[K]> };

function copy<T>(value: T): Mutable<T> {
  return structuredClone(value) as Mutable<T>;
}

/** A report in which every figure that may be null is null; names, counts and lists stay. */
export function nullKlReport(): KlReport {
  const report = copy(sampleKlReport());
  const blank = <T extends object>(value: T, ...keys: readonly (keyof T)[]): void => {
    for (const key of keys) value[key] = null as T[keyof T];
  };
  blank(
    report.metrics,
    ...(["vocabulary_size", "mean_kl", "std_kl", "mean_reverse_kl", "mean_js", "mean_entropy"] as const),
  );
  for (const figures of Object.values(report.checkpoints)) {
    blank(
      figures,
      ...([
        "step",
        "stage",
        "mean_kl",
        "std_kl",
        "median_kl",
        "min_kl",
        "max_kl",
        "mean_kl_interval",
        "spikes_shuffled",
        "mean_reverse_kl",
        "mean_js",
        "mean_total_variation",
        "mean_kl_lower",
        "mean_kl_upper",
        "upper_infinite_share",
        "token_mean_kl",
        "token_max_kl",
        "argmax_changed",
        "mean_delta",
        "mean_entropy",
        "std_entropy",
        "mean_entropy_normalized",
        "mean_reference_entropy",
        "spike_mean_value",
        "spike_mean_zscore",
        "spike_share_of_kl",
        "rl_probe",
      ] as const),
    );
    figures.exact = false;
    blank(figures.entropy_by_region, "early", "mid", "late");
  }
  for (const policy of Object.values(report.policies)) blank(policy, "step", "stage", "model");
  for (const byCategory of Object.values(report.categories))
    for (const figures of Object.values(byCategory)) blank(figures, "mean_kl_interval");
  report.progression = null;
  for (const pair of report.pairs) blank(pair, "mean_kl", "std_kl", "mean_reverse_kl", "mean_js");
  for (const comparison of report.comparisons)
    blank(comparison, "statistic", "p_value", "adjusted_p_value", "rank_biserial");
  for (const correlation of report.correlations) blank(correlation, "interval");
  for (const figures of report.correctness)
    blank(
      figures,
      ...([
        "wrong_texts",
        "right_texts",
        "test",
        "good_kl",
        "bad_kl",
        "good_share",
        "solved",
        "unsolved",
      ] as const),
    );
  for (const figures of report.first_errors)
    blank(
      figures,
      "tested_at_error",
      "expected",
      "kl_at_error",
      "kl_elsewhere",
      "median_distance",
      "spikes_after",
    );
  const blankPair = (pair: Mutable<PairedDifference>): void =>
    blank(pair, "interval", "p_value", "adjusted_p_value", "rank_biserial");
  for (const figures of report.attention) {
    blank(figures, "to_control", "reference_to_control", "control_difference", "with_kl", "strongest_head");
    blankPair(figures.difference);
    if (figures.hidden === null) continue;
    blank(figures.hidden, "kl_without_control", "against_control");
    blankPair(figures.hidden.difference);
  }
  for (const token of report.top_tokens) blank(token, "mean_delta");
  const blankSpike = (spike: Mutable<SpikeFigures>): void => {
    blank(spike, "probability", "reference_probability", "since");
    spike.alternatives = [];
    spike.reference_alternatives = [];
  };
  report.top_spikes.forEach(blankSpike);
  for (const study of report.cases) {
    blank(study, "source", "correct", "subject", "level", "prompt_text", "error_token");
    study.kl = study.kl.map((row) => row.map(() => null));
    study.delta = study.delta.map((row) => row.map(() => null));
    study.spikes.forEach(blankSpike);
  }
  return report;
}

/** One checkpoint without any scored text, and nothing else. */
export function emptyKlReport(): KlReport {
  const report = nullKlReport();
  const { [LAST]: last } = report.checkpoints;
  return {
    ...report,
    metrics: {
      ...report.metrics,
      checkpoints: 1,
      problems: 0,
      texts: 0,
      tokens: 0,
      spikes_total: 0,
      spikes_mean: 0,
    },
    policies: {},
    checkpoints: { [LAST]: last! },
    categories: {},
    pairs: [],
    comparisons: [],
    correlations: [],
    correctness: [],
    first_errors: [],
    attention: [],
    spike_distribution: {},
    top_problems: {},
    top_tokens: [],
    top_spikes: [],
    cases: [],
    answers: [],
    caveats: [],
    absent: [],
    findings: [],
  };
}

/** The sample with `text` in place of all text from files, including names of checkpoints and categories. */
export function hostileKlReport(text = HOSTILE): KlReport {
  const own = new Set(["kl", "adaptive", "zscore", "percentile", "predicted-token", "rl-probe"]);
  const enums = new Set([
    ...["role", "type", "method", "support", "severity", "code", "region", "kind", "of", "with", "logprobs"],
  ]);
  const names = new Map<string, string>();
  const rename = (name: string): string => {
    if (!names.has(name)) names.set(name, `${text}${names.size}`);
    return names.get(name)!;
  };
  const keyed = new Set([
    "policies",
    "checkpoints",
    "categories",
    "category_mean_kl",
    "spike_distribution",
    "top_problems",
  ]);
  const walk = (value: unknown, key: string, isMap: boolean): unknown => {
    if (typeof value === "string") return own.has(value) || enums.has(key) ? value : rename(value);
    if (Array.isArray(value)) return value.map((item) => walk(item, key, false));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        isMap ? rename(name) : name,
        walk(item, isMap ? "" : name, keyed.has(name) || (isMap && key === "categories")),
      ]),
    );
  };
  return walk(sampleKlReport(), "", false) as KlReport;
}
