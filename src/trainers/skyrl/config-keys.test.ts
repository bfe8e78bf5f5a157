import { describe, expect, it } from "vitest";
import { checkDialect, lintTold } from "../configs/table.test-data.ts";

const C = "trainer.algorithm.off_policy_correction";
const off = (...lines: string[]): string =>
  `off_policy_correction:\n${lines.map((line) => `  ${line}\n`).join("")}`;
const sampling = (logprobs: string): string => `generator:\n  sampling_params:\n    logprobs: ${logprobs}\n`;
const loss = (kind: string): string => `policy_loss_type: ${kind}\n`;
const BOTH = "→ token_mask_is_threshold_low: 0.5 and token_mask_is_threshold_high: 2.0";
const LOGPROBS = "→ generator.sampling_params.logprobs: 1";
const HALF = /has no effect: the token mask needs both bounds$/;
const REGULAR = "error refused@1 → policy_loss_type: regular";

checkDialect("skyrl", {
  says: [
    // Half a token mask is none.
    [
      "a.yaml",
      off("token_mask_is_threshold_low: 0.5"),
      [`error not-switched-on@2 ${BOTH}`, /threshold_low has no/, HALF],
    ],
    [
      "a.yaml",
      off("token_mask_is_threshold_high: 2"),
      [`error not-switched-on@2 ${BOTH}`, /threshold_high has no/, HALF],
    ],
    [
      "a.yaml",
      off("token_mask_is_threshold_low: 0.5", "token_mask_is_threshold_high: null"),
      `error not-switched-on@2 ${BOTH}`,
    ],
    [
      "a.yaml",
      off("token_mask_is_threshold_low: null", "token_mask_is_threshold_high: 2"),
      `error not-switched-on@3 ${BOTH}`,
    ],
    [
      "a.yaml",
      off("token_mask_is_threshold_low: 0.5", "token_mask_is_threshold_high: 2"),
      "no not-switched-on",
    ],
    [
      "a.yaml",
      off("token_mask_is_threshold_low: null", "token_mask_is_threshold_high: null"),
      "no not-switched-on",
    ],
    ["a.yaml", off("tis_ratio_type: token"), "no not-switched-on"],
    // Log-probs of the rollout are asked for by some settings only.
    [
      "a.yaml",
      off("outlier_token_is_threshold_low: 1e-4") + sampling("null"),
      [`error not-switched-on@5 ${LOGPROBS}`, /outlier_token_is_threshold_low needs rollout log-probs/],
    ],
    [
      "a.yaml",
      off("outlier_token_is_threshold_high: 100") + sampling("null"),
      [`error not-switched-on@5 ${LOGPROBS}`, /threshold_high needs/],
    ],
    [
      "a.yaml",
      off("token_mask_is_threshold_low: 0.5", "token_mask_is_threshold_high: 2") + sampling("null"),
      `error not-switched-on@6 ${LOGPROBS}`,
    ],
    ["a.yaml", off("outlier_token_is_threshold_high: 100") + sampling("1"), "no not-switched-on"],
    ["a.yaml", off("outlier_token_is_threshold_high: 100"), "no not-switched-on"],
    ["a.yaml", off("outlier_token_is_threshold_high: null") + sampling("null"), "no not-switched-on"],
    [
      "a.yaml",
      off("outlier_token_is_threshold_high: 100", "tis_ratio_type: token") + sampling("null"),
      "no not-switched-on",
    ],
    [
      "a.yaml",
      off("outlier_token_is_threshold_high: 100", "sequence_mask_metric: geometric") + sampling("null"),
      "no not-switched-on",
    ],
    // Losses that it does not work with.
    ["a.yaml", loss("clip_cov") + off("tis_ratio_type: token"), [REGULAR, /policy_loss_type clip_cov$/]],
    [
      "a.yaml",
      loss("kl_cov") + off("sequence_mask_metric: geometric"),
      [REGULAR, /policy_loss_type kl_cov$/],
    ],
    ["a.yaml", loss("regular") + off("tis_ratio_type: token"), "no refused"],
    ["a.yaml", loss("clip_cov") + off("outlier_token_is_threshold_high: 100"), "no refused"],
    ["a.yaml", loss("a_clip_cov") + off("tis_ratio_type: token"), "no refused"],
    ["a.yaml", loss("clip_cov_2") + off("tis_ratio_type: token"), "no refused"],
    // Losses that are the correction themselves.
    [
      "a.sh",
      "p skyrl trainer.algorithm.policy_loss_type=rollout_is generator.sampling_params.logprobs=0",
      ["warning icepop@1", /outside 0\.8 to 1\.2/],
      "no not-switched-on",
    ],
    [
      "a.yaml",
      `${loss("cispo")}cispo:\n  cispo_anchor: rollout\n${off("tis_ratio_type: token")}`,
      ["error refused@5 → tis_ratio_type: null", /already rollout-anchored/],
    ],
    [
      "a.yaml",
      loss("dppo") + off("tis_ratio_type: token"),
      ["error refused@3 → tis_ratio_type: null", /counted twice/, /SkyRL accepts it/],
    ],
    [
      "a.yaml",
      loss("dppo") + sampling("null"),
      [`error not-switched-on@4 ${LOGPROBS}`, /policy_loss_type needs rollout log-probs/],
    ],
    ["a.yaml", `${loss("cispo")}cispo:\n  cispo_anchor: old\n${off("tis_ratio_type: token")}`, "no refused"],
    // Bounds of the kind that is not chosen.
    [
      "a.yaml",
      off("token_tis_ratio_clip_high: 2"),
      ["error not-switched-on@2 → tis_ratio_type: token", /tis_ratio_type is not "token"$/],
    ],
    [
      "a.yaml",
      off("tis_ratio_type: sequence", "token_tis_ratio_clip_high: 2"),
      "error not-switched-on@3 → tis_ratio_type: token",
    ],
    ["a.yaml", off("tis_ratio_type: token", "token_tis_ratio_clip_high: 2"), "no not-switched-on"],
    [
      "a.yaml",
      off("sequence_tis_ratio_clip_high: 2"),
      ["error not-switched-on@2 → tis_ratio_type: sequence", /tis_ratio_type is not "sequence"$/],
    ],
    ["a.yaml", off("tis_ratio_type: sequence", "sequence_tis_ratio_clip_high: 2"), "no not-switched-on"],
    [
      "a.yaml",
      off("geo_mask_low: 0.99"),
      ["error not-switched-on@2 → sequence_mask_metric: geometric", /is not "geometric"$/],
    ],
    ["a.yaml", off("geo_mask_high: 1.01"), "error not-switched-on@2 → sequence_mask_metric: geometric"],
    ["a.yaml", off("sequence_mask_metric: geometric", "geo_mask_high: 1.01"), "no not-switched-on"],
    [
      "a.yaml",
      off("product_mask_low: 0.5"),
      ["error not-switched-on@2 → sequence_mask_metric: product", /is not "product"$/],
    ],
    ["a.yaml", off("product_mask_high: 2"), "error not-switched-on@2 → sequence_mask_metric: product"],
    ["a.yaml", off("sequence_mask_metric: product", "product_mask_high: 2"), "no not-switched-on"],
    // The old switch, which SkyRL still obeys.
    [
      "a.sh",
      "p skyrl trainer.algorithm.use_tis=true trainer.algorithm.tis_imp_ratio_cap=4",
      `warning old-name@1 → ${C}.tis_ratio_type: token`,
      `warning old-name@1 → ${C}.token_tis_ratio_clip_high`,
      "no not-switched-on",
    ],
    // Traps, where they are.
    [
      "a.yaml",
      `${off("tis_ratio_type: sequence")}max_generate_length: 512\n`,
      ["warning product-ratio@2", /the sequence weight is a product/],
    ],
    [
      "a.yaml",
      `${off("sequence_mask_metric: product", "token_mask_is_threshold_low: 0.5", "token_mask_is_threshold_high: 2")}max_generate_length: 512\n`,
      ["warning product-ratio@2", /leaves its bounds/],
      ["warning product-ratio@3", /token mask comes first/],
    ],
    ["a.yaml", off("tis_ratio_type: token"), "no product-ratio", ["note metric", /padding/]],
    // Slips.
    [
      "a.yaml",
      off("tis_ratio_types: token"),
      ["error misspelt@2 → off_policy_correction.tis_ratio_type", /^SkyRL has no/],
    ],
    [
      "a.yaml",
      off("tis_ratio_type: token", "elsewhere: 1"),
      ["warning unknown-key@3", /^SkyRL has no/, /stops at an unknown key/],
    ],
    ["a.py", 'OffPolicyCorrectionConfig(tis_ratio_types="token")', "error misspelt@1 → tis_ratio_type"],
  ],
  marks: [
    [
      ["off_policy_correction.a", "b.off_policy_correction.a"],
      ["off_policy_correction", "b.my_off_policy_correction.a", "off_policy_corrections.a"],
    ],
    [
      ["trainer.algorithm.a", "trainer.placement.a", "trainer.policy.a"],
      ["a.trainer.policy.b", "trainer.other.a", "trainer.policy"],
    ],
    [
      ["generator.inference_engine.a", "generator.sampling_params.a"],
      ["a.generator.sampling_params", "generator.other"],
    ],
  ],
  texts: ["generator.sampling_params.a", ["skyrl", "SkyRL"], ["sky-rl", "sky"]],
});

describe("SkyRL's old switch", () => {
  const settings = (text: string): Readonly<Record<string, unknown>> =>
    Object.fromEntries(lintTold(text, "skyrl", "a.sh").settings.map(({ name, value }) => [name, value]));

  it.each([
    ["use_tis=true", "token", undefined],
    ["use_tis=true trainer.algorithm.tis_imp_ratio_cap=4", "token", 4],
    ["use_tis=false trainer.algorithm.tis_imp_ratio_cap=4", null, undefined],
    ["tis_imp_ratio_cap=4", null, undefined],
    ["use_tis=true trainer.algorithm.tis_imp_ratio_cap=text", "token", undefined],
  ])("%s", (flags, type, cap) => {
    const read = settings(`p skyrl trainer.algorithm.${flags}`);
    const usual = settings("p skyrl trainer.algorithm.use_tis=false");
    expect([read.tis_ratio_type, read.token_tis_ratio_clip_high]).toEqual([
      type,
      cap ?? usual.token_tis_ratio_clip_high,
    ]);
  });
});

it("has CISPO's anchor since 0.4.0", () => {
  const config = `${loss("cispo")}cispo:\n  cispo_anchor: rollout\n`;
  const codes = (version?: string): string[] =>
    lintTold(config, "skyrl", "a.yaml", version).findings.map(({ severity, code }) => `${severity} ${code}`);
  expect(codes("0.3.0")).toContain("error later-name");
  for (const version of ["0.4.0", undefined]) expect(codes(version)).not.toContain("error later-name");
});
