import { describe, expect, it, test } from "vitest";
import { isLogratioError } from "../../core/base/errors.ts";
import { applyCorrection } from "../neutral/apply.ts";
import type { Correction } from "../neutral/correction.ts";
import type { Settings } from "../shared/preset.ts";
import { checkReference } from "../shared/reference.test-data.ts";
import { completeSettings } from "../shared/settings.ts";
import { listTraps } from "../shared/traps.test-data.ts";
import { verl } from "./preset.ts";

checkReference(verl, undefined, 1e-7);

const of = (settings: Settings): Settings => completeSettings(verl, settings);

describe("verl refuses in its own words", () => {
  const importance = (rollout_is_threshold: number | string): Settings => ({
    rollout_is: "token",
    rollout_is_threshold,
  });
  const rejection = (rollout_rs: string, rollout_rs_threshold: number | string | null): Settings => ({
    rollout_rs,
    rollout_rs_threshold,
  });
  test.each<[Settings, string]>([
    [{ rollout_is: "token_max" }, "Invalid rollout_is: token_max. Must be one of {'sequence', 'token'}."],
    [importance(-1), "rollout_is_threshold upper bound must be positive, got -1.0."],
    [importance("-0.5_2"), "rollout_is_threshold lower bound must be positive, got -0.5."],
    [importance("2.0_0.5"), "rollout_is_threshold lower bound must be <= upper bound."],
    [importance("2_x"), "Invalid rollout_is_threshold '2_x'."],
    [importance(" "), "rollout_is_threshold must not be an empty string."],
    [
      rejection("token_k1", null),
      "rollout_rs_threshold must be explicitly provided when rollout_rs is enabled. Set rollout_rs_threshold to the desired threshold value.",
    ],
    [
      rejection("token_k1,binary_kl", 1),
      "Invalid rollout_rs option: binary_kl. Must be one of ['seq_max_k2', 'seq_max_k3', 'seq_mean_k1', 'seq_mean_k2', 'seq_mean_k3', 'seq_sum_k1', 'seq_sum_k2', 'seq_sum_k3', 'token_k1', 'token_k2', 'token_k3'].",
    ],
    [rejection(" , ", 1), "rollout_rs must contain at least one valid option."],
    [rejection("token_k2", ","), "rollout_rs_threshold must contain at least one threshold value."],
    [
      rejection("token_k1,token_k2,token_k1", "1,2,3"),
      "rollout_rs_threshold expects either one threshold shared by all options or exactly 2 thresholds to match the provided rollout_rs options.",
    ],
    [
      rejection("token_k2", "0.1_2.0"),
      "rollout_rs_threshold for option 'token_k2' must provide a single upper bound without '_'. Received '0.1_2.0'.",
    ],
    [rejection("seq_sum_k3", 0), "Threshold for option 'seq_sum_k3' must be positive, got 0.0."],
    [rejection("seq_max_k2", "a"), "Invalid numeric threshold 'a' for option 'seq_max_k2'."],
    [rejection("token_k1", -2), "Thresholds for option 'token_k1' must be positive, got -2.0."],
    [rejection("token_k1", 0.5), "Thresholds for option 'token_k1' must be lower <= upper, got 0.5."],
  ])("%j", (settings, message) => {
    try {
      verl.correction(of(settings));
      expect.unreachable();
    } catch (error) {
      expect(isLogratioError(error, "UsageError") && error.message).toBe(message);
    }
  });

  test("a batch without a single valid token", () => {
    expect(() => verl.metrics(of({ rollout_is: "token" })).finish()).toThrow(
      "response_mask must contain at least one valid token (1).",
    );
  });
});

test("a null threshold switches weights off, whatever rollout_is says", () => {
  const settings = of({ rollout_is: "anything", rollout_is_threshold: null });
  expect(verl.correction(settings)).toEqual({ steps: [] });
  expect(listTraps(verl, settings).join("\n")).toContain("no weights at all");
});

describe("verl metrics", () => {
  const block = {
    rollout: Float64Array.of(-1, -1, -1),
    trainer: Float64Array.of(-9, -8, -1),
    mask: Uint8Array.of(1, 1, 0),
    offsets: Int32Array.of(0, 2, 3),
  };

  it("has no effective sample size where every weight is 0, and says so", () => {
    const settings = of({ rollout_is: "token", rollout_is_threshold: "0.5_2.0" });
    const metrics = verl.metrics(settings);
    metrics.add(block, applyCorrection(block, verl.correction(settings)));
    const figures = metrics.finish();
    expect(figures["rollout_corr/rollout_is_eff_sample_size"]).toBeNaN();
    expect(figures["rollout_corr/rollout_is_oob_ratio"]).toBeCloseTo(1, 7);
    expect(listTraps(verl, settings).join("\n")).toContain("ZeroDivisionError");
  });

  it("counts a row without tokens of its own where verl does", () => {
    const settings = of({ rollout_is: "sequence", rollout_rs: "seq_mean_k2", rollout_rs_threshold: 1 });
    const metrics = verl.metrics(settings);
    metrics.add(block, applyCorrection(block, verl.correction(settings)));
    const figures = metrics.finish();
    // Its log-ratio is 0, its mean weight 0; rejection leaves it out but for the last.
    expect(figures["rollout_corr/rollout_is_max"]).toBe(1);
    expect(figures["rollout_corr/rollout_is_seq_min"]).toBe(0);
    expect(figures["rollout_corr/rollout_rs_seq_mean_k2_seq_masked_fraction"]).toBe(1);
    expect(figures["rollout_corr/rollout_rs_seq_masked_fraction"]).toBe(0.5);
  });
});

describe("verl traps", () => {
  const traps = (settings: Settings): string => listTraps(verl, of(settings)).join("\n");

  it("says that k1 bounds the inverse ratio, only where that matters", () => {
    expect(traps({ rollout_rs: "token_k1", rollout_rs_threshold: "0.5_5.0" })).toContain(
      'keeps ρ in [0.2, 2], not in [0.5, 5]; for the latter write "0.2_2.0"',
    );
    expect(traps({ rollout_rs: "token_k1", rollout_rs_threshold: "0.5_2.0" })).not.toContain("inverse");
  });

  it("spells out single numbers, sums, shared thresholds and numbers with underscores", () => {
    expect(traps({ rollout_rs: "seq_mean_k1", rollout_rs_threshold: 1.25 })).toContain("means 0.8_1.25");
    expect(traps({ rollout_rs: "seq_sum_k2,token_k1", rollout_rs_threshold: 2 })).toMatch(
      /adds up keys with "sum"[\s\S]*a ratio for token_k1, nats for seq_sum_k2/,
    );
    expect(traps({ rollout_rs: "seq_max_k3", rollout_rs_threshold: 2 })).toContain("as the maximum");
    expect(traps({ rollout_is: "token", rollout_is_threshold: "0.5_2" })).toContain("is the number 0.52");
    expect(traps({})).toContain("nothing is corrected");
  });
});

describe("verl express", () => {
  const weight = { level: "token", aggregation: "sum" } as const;
  const ratio = (level: "token" | "sequence", aggregation: "sum" | "mean") =>
    ({ statistic: "ratio", level, aggregation }) as const;

  test.each<[string, Correction, Settings | undefined]>([
    ["nothing", { steps: [] }, { rollout_is: null, rollout_rs: null }],
    [
      "a mask without a lower bound",
      { weight, steps: [{ action: "zero", measure: "weight", upper: 3, nan: "kept" }] },
      { rollout_is: "token", rollout_is_threshold: "1e-09_3.0" },
    ],
    [
      "ratio bounds, inverted",
      { steps: [{ action: "mask", measure: ratio("token", "mean"), lower: 0.5, upper: 5 }] },
      { rollout_is: null, rollout_rs: "token_k1", rollout_rs_threshold: "0.2_2.0" },
    ],
    [
      "a geometric mean under a lower bound alone",
      { steps: [{ action: "mask", measure: ratio("sequence", "mean"), lower: 0.98 }] },
      { rollout_rs: "seq_mean_k1", rollout_rs_threshold: "1e-09_1.02040816326531" },
    ],
    [
      "a mask at the weight's own level, then truncation",
      {
        weight: { level: "sequence", aggregation: "sum" },
        steps: [
          { action: "mask", measure: "weight", lower: 0.5, upper: 4 },
          { action: "truncate", upper: 2 },
        ],
      },
      {
        rollout_is: "sequence",
        rollout_is_threshold: 2,
        rollout_rs: "seq_sum_k1",
        rollout_rs_threshold: "0.25_2.0",
      },
    ],
    ["a lower clamp", { weight, steps: [{ action: "truncate", lower: 0.5, upper: 2 }] }, undefined],
    ["a geometric weight", { weight: { level: "sequence", aggregation: "mean" }, steps: [] }, undefined],
    [
      "a veto",
      {
        weight,
        steps: [{ action: "veto", measure: { ...ratio("token", "mean"), level: "token" }, lower: 1e-4 }],
      },
      undefined,
    ],
    [
      "a one-sided product",
      { steps: [{ action: "mask", measure: ratio("sequence", "sum"), lower: 0.5 }] },
      undefined,
    ],
    [
      "normalizing before truncating",
      {
        weight,
        steps: [
          { action: "normalize", over: "token" },
          { action: "truncate", upper: 2 },
        ],
      },
      undefined,
    ],
    [
      "advantages",
      { steps: [{ action: "mask", measure: ratio("token", "mean"), upper: 2, when: "negative" }] },
      undefined,
    ],
    ["turns", { weight: { level: "turn", aggregation: "sum" }, steps: [] }, undefined],
  ])("%s", (_, correction, expected) => {
    const settings = verl.express(correction);
    if (expected) expect(settings).toMatchObject(expected);
    else expect(settings).toBeUndefined();
  });
});

test("the config quotes text, which YAML would otherwise read as a number", () => {
  const { text } = verl.config(of({ rollout_is: "token", rollout_is_threshold: "0.5_2" }));
  expect(text).toBe(
    [
      "algorithm:",
      "  rollout_correction:",
      '    rollout_is: "token"',
      '    rollout_is_threshold: "0.5_2"',
      "    rollout_is_batch_normalize: false",
      "    rollout_rs: null",
      "    rollout_rs_threshold: null",
      "",
    ].join("\n"),
  );
});
