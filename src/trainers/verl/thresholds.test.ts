import { describe, expect, it } from "vitest";
import type { Settings } from "../shared/preset.ts";
import { completeSettings } from "../shared/settings.ts";
import { verl } from "./preset.ts";

const correct = (settings: Settings) => verl.correction(completeSettings(verl, settings));
const weights = (rollout_is_threshold: Settings[string]) =>
  correct({ rollout_is: "token", rollout_is_threshold });
const rejects = (rollout_rs: string, rollout_rs_threshold: Settings[string]) =>
  correct({ rollout_rs, rollout_rs_threshold });

describe("the threshold of verl's weights", () => {
  it.each<[threshold: Settings[string], steps: object[]]>([
    [2, [{ action: "truncate", upper: 2 }]],
    ["2.0", [{ action: "truncate", upper: 2 }]],
    [" 2 ", [{ action: "truncate", upper: 2 }]],
    ["0.5_2.0", [{ action: "zero", measure: "weight", lower: 0.5, upper: 2 }]],
    ["2_2", [{ action: "zero", measure: "weight", lower: 2, upper: 2 }]],
  ])("%j", (threshold, steps) => {
    expect(weights(threshold)).toMatchObject({ steps });
  });

  it.each<[threshold: Settings[string], message: RegExp]>([
    [0, /upper bound must be positive, got 0\.0/],
    [-1, /upper bound must be positive, got -1\.0/],
    ["0_2", /lower bound must be positive, got 0\.0/],
    ["-1_2", /lower bound must be positive, got -1\.0/],
    ["2_0.5", /lower bound must be <= upper bound/],
    ["", /must not be an empty string/],
    ["two", /Invalid rollout_is_threshold 'two'/],
    ["0.5_x", /Invalid rollout_is_threshold/],
  ])("%j is refused in verl's words", (threshold, message) => {
    expect(() => weights(threshold)).toThrow(message);
  });
});

describe("the thresholds of verl's rejection", () => {
  it.each<[options: string, threshold: Settings[string], steps: object[]]>([
    ["token_k2", 0.1, [{ action: "mask", upper: 0.1, measure: { statistic: "k2", level: "token" } }]],
    // A single number bounds the inverse ratio on both sides.
    ["seq_mean_k1", 2, [{ action: "mask", lower: -Math.log(2), upper: Math.log(2) }]],
    [
      "token_k1,token_k3",
      "0.5_4,0.1",
      [
        { action: "mask", lower: -Math.log(2), upper: Math.log(4) },
        { action: "mask", upper: 0.1 },
      ],
    ],
    ["token_k2,token_k3", 0.1, [{ upper: 0.1 }, { upper: 0.1 }]],
    ["token_k2,token_k2", 0.1, [{ upper: 0.1 }]],
  ])("%s at %j", (options, threshold, steps) => {
    expect(rejects(options, threshold)).toMatchObject({ steps });
  });

  it.each<[options: string, threshold: Settings[string], message: RegExp]>([
    ["token_k2", null, /rollout_rs_threshold must be explicitly provided/],
    ["token_k2,token_k3", "0.1,0.2,0.3", /exactly 2 thresholds/],
    ["token_k2", "", /at least one threshold value/],
    ["token_k2", "0.1_0.2", /single upper bound without '_'/],
    ["token_k2", 0, /must be positive/],
    ["token_k2", -1, /must be positive/],
    ["token_k1", "0", /must be positive, got 0/],
    ["token_k1", "-1_2", /must be positive/],
    ["token_k1", "2_0.5", /must be lower <= upper/],
    ["token_k1", "0.5", /must be lower <= upper/],
    ["token_k9", 1, /Invalid rollout_rs option: token_k9/],
    [" , ", 1, /at least one valid option/],
  ])("%s at %j is refused in verl's words", (options, threshold, message) => {
    expect(() => rejects(options, threshold)).toThrow(message);
  });
});
