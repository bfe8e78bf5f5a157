import { describe, expect, it } from "vitest";
import { lintConfig } from "../configs/lint.ts";
import { checkDialect, lintTold } from "../configs/table.test-data.ts";
import { PRESETS } from "../presets.ts";

const WEIGHT = "train_infer_correction:\n  is_weight:\n";
const weight = (...lines: string[]): string => `${WEIGHT}${lines.map((line) => `    ${line}\n`).join("")}`;
const filters = (...all: string[][]): string =>
  `train_infer_correction:\n  filters:\n${all.map((lines) => lines.map((line, i) => `    ${i === 0 ? "-" : " "} ${line}\n`).join("")).join("")}`;
const ON = "→ enabled: true";
const RATIO = "→ ratio_enabled: false";

checkDialect("roll", {
  says: [
    // Keys of pull requests.
    [
      "a.yaml",
      "rollout_batch_size: 64\ninfer_correction: true\ninfer_is_mode: token\ninfer_is_threshold_max: 2.0\n",
      [
        "error old-name@3 → train_infer_correction.is_weight: {enabled: true, weight_type: …}",
        /an earlier version: as of 2026-08-19, ROLL does not take it$/,
      ],
      "error old-name@4 → train_infer_correction.is_weight.upper_bound",
    ],
    [
      "a.yaml",
      "rollout_batch_size: 64\nenable_seq_reject: geometric\ninfer_seq_mask_threshold_max: 10\n",
      "error old-name@2 → train_infer_correction.filters: an entry with enabled: true and agg_type: sequence or geometric",
      "error old-name@3 → ratio_high of that entry",
    ],
    // A filter is off unless it says enabled.
    [
      "a.yaml",
      filters(["agg_type: token", "ratio_low: 0.5"]),
      [`error not-switched-on@3 ${ON}`, /not given, and defaults to false$/],
    ],
    [
      "a.yaml",
      filters(["agg_type: token", "enabled: false"]),
      [`note not-switched-on@4 ${ON}`, /enabled is false$/],
    ],
    ["a.yaml", filters(["agg_type: token", "enabled: true"]), "no not-switched-on", "no default-surprises"],
    [
      "a.yaml",
      filters(["enabled: true", "agg_type: token"], ["agg_type: token", "ratio_low: 0.5"]),
      `error not-switched-on@5 ${ON}`,
    ],
    // A filter of differences is one of ratios, too.
    [
      "a.yaml",
      filters(["enabled: true", "diff_enabled: true"]),
      [`warning default-surprises@4 ${RATIO}`, /ratios to \[0\.8, 1\.2\]$/],
    ],
    [
      "a.yaml",
      filters(["enabled: true", "diff_enabled: true", "ratio_low: 0.5", "ratio_high: 2"]),
      [`warning default-surprises@4 ${RATIO}`, /ratios to \[0\.5, 2\]$/],
    ],
    [
      "a.yaml",
      filters(["enabled: true", "diff_enabled: true", "ratio_enabled: false"]),
      "no default-surprises",
    ],
    ["a.yaml", filters(["enabled: false", "diff_enabled: true"]), "no default-surprises"],
    ["a.yaml", filters(["enabled: true", "diff_enabled: false"]), "no default-surprises"],
    // The weight is off unless it says enabled.
    [
      "a.yaml",
      weight("weight_type: token", "upper_bound: 2"),
      [
        "error not-switched-on@3 → enabled: true under is_weight",
        /weight_type, .*upper_bound have no effect: is_weight\.enabled is false/,
      ],
    ],
    ["a.yaml", weight("upper_bound: 2"), "error not-switched-on@3 → enabled: true under is_weight"],
    ["a.yaml", weight("enabled: true", "upper_bound: 2"), "no not-switched-on"],
    // Traps, where they are.
    [
      "a.yaml",
      weight("enabled: true", "upper_bound: 1.2"),
      ["warning default-surprises@4", /far tighter than/],
    ],
    ["a.yaml", weight("enabled: true", "upper_bound: 2"), "no default-surprises"],
    ["a.yaml", weight("enabled: true", "upper_bound: null"), ["warning no-bounds@4", /unbounded/]],
    [
      "a.yaml",
      `${weight("enabled: true", "weight_type: sequence")}response_length: 512\n`,
      ["warning product-ratio@4", /is a product/],
    ],
    [
      "a.yaml",
      filters(["enabled: true", "agg_type: sequence", "diff_enabled: true", "ratio_enabled: false"]),
      ["warning product-ratio@3", /sum over tokens/],
    ],
    [
      "a.yaml",
      weight("enabled: true", "weight_type: segment"),
      ["warning geometric@4", /geometric mean over a turn/],
    ],
    [
      "a.yaml",
      weight("enabled: true", "weight_type: token", "upper_bound: 2"),
      "no geometric",
      "no product-ratio",
      "no no-bounds",
    ],
    // Slips; what ROLL does not know it takes and never reads.
    [
      "a.yaml",
      weight("enabled: true", "uper_bound: 2"),
      [
        "error misspelt@4 → train_infer_correction.is_weight.upper_bound",
        /^ROLL has no/,
        /accepts the key and ignores it/,
      ],
    ],
    ["a.yaml", `${WEIGHT}    enabled: true\n  elsewhere: 1\n`, "no misspelt"],
  ],
  marks: [
    [
      ["train_infer_correction", "a.train_infer_correction.b", "train_infer_correction.b"],
      ["my_train_infer_correction", "train_infer_corrections.b"],
    ],
    [
      [
        "actor_train.model_args.a",
        "actor_infer.strategy_args.a",
        "reference.device_mapping",
        "actor_train.training_args.a",
        "actor_infer.generating_args.a",
      ],
      ["a.actor_train.model_args", "actor_train.elsewhere", "critic.model_args"],
    ],
    [["rollout_batch_size"], ["a.rollout_batch_size", "rollout_batch_sizes"]],
  ],
  texts: [
    "rollout_batch_size",
    ["ROLL", "from roll.pipeline import x", "alibaba/ROLL"],
    ["roll", "SCROLLS", "roll/pipeline"],
  ],
  known: [["train_infer_correction.is_weight", ["detach", "enabled"], "rollout_batch_size: 1\n"]],
});

describe("filters of a config of ROLL", () => {
  it("alone tell that it is ROLL's", () => {
    const text = filters(["enabled: true", "ratio_low: 0.5"]);
    const { configs } = lintConfig(text, { file: "a.yaml", presets: PRESETS });
    expect(configs.map(({ trainer, confidence }) => [trainer, confidence])).toEqual([["roll", "likely"]]);
    const other = text.replace("filters", "filter");
    expect(() => lintConfig(other, { file: "a.yaml", presets: PRESETS })).toThrow(/no trainer is recognized/);
  });

  const read = (...all: string[][]): unknown =>
    lintTold(filters(...all), "roll").settings.find(({ name }) => name === "filters")?.value;

  it.each<[string[][], string]>([
    [[["enabled: true"]], "token:ratio:0.8:1.2"],
    [[["enabled: true", "ratio_low: 0.5", "ratio_high: 2"]], "token:ratio:0.5:2"],
    [
      [["enabled: true", "agg_type: segment", "ratio_low: 0.99", "ratio_high: 1.01"]],
      "segment:ratio:0.99:1.01",
    ],
    [[["enabled: true", "ratio_enabled: false", "diff_enabled: true"]], "token:diff:-0.2:0.2"],
    [
      [["enabled: true", "diff_enabled: true", "diff_low: -0.1", "diff_high: 0.3"]],
      "token:ratio:0.8:1.2,token:diff:-0.1:0.3",
    ],
    [
      [["enabled: true"], ["enabled: false", "agg_type: sequence"], ["enabled: true", "agg_type: sequence"]],
      "token:ratio:0.8:1.2,sequence:ratio:0.8:1.2",
    ],
  ])("%j", (all, wanted) => {
    expect(read(...all)).toBe(wanted);
  });

  it("are none where none is on", () => {
    const settings = (...all: string[][]) =>
      lintTold(filters(...all), "roll").settings.find(({ name }) => name === "filters");
    expect(settings(["enabled: false", "ratio_low: 0.5"])?.origin).toBe("default");
    expect(settings(["enabled: true"])).toMatchObject({ origin: "file", line: 3 });
  });
});
