import { describe, expect, test } from "vitest";
import { UsageError } from "../../core/base/errors.ts";
import { checkReference } from "../shared/reference.test-data.ts";
import { completeSettings } from "../shared/settings.ts";
import { listTraps } from "../shared/traps.test-data.ts";
import { parseRollFilters, rollFiltersText } from "./filters.ts";
import { roll } from "./preset.ts";

// In float64 ROLL's 1e-8 beside counts of tokens and sequences shows; in its own float32 it vanishes, and here it is left out.
checkReference(roll, "roll", 1e-7);

const of = (settings: Record<string, number | string | boolean | null>) => completeSettings(roll, settings);

describe("filters as text", () => {
  test("round trip, with infinite bounds", () => {
    const text = "token:ratio:0.8:1.2,segment:diff:-inf:0.2";
    expect(parseRollFilters(text)).toEqual([
      { aggType: "token", on: "ratio", low: 0.8, high: 1.2 },
      { aggType: "segment", on: "diff", low: Number.NEGATIVE_INFINITY, high: 0.2 },
    ]);
    expect(rollFiltersText(parseRollFilters(text))).toBe(text);
    expect(parseRollFilters(" ")).toEqual([]);
  });

  test.each([
    ["turn:ratio:0.8:1.2", /Literal\["token", "segment", "geometric", "sequence"\]/],
    ["token:kl:0:1", /ratio or diff/],
    ["token:ratio:0.8", /two numbers/],
    ["token:ratio:0.8:1.2:3", /two numbers/],
    ["token:ratio:low:1.2", /two numbers/],
    ["token:ratio:1.2:0.8", /mask every token/],
  ])("%s is refused", (filters, message) => {
    expect(() => roll.correction(of({ filters }))).toThrow(UsageError);
    expect(() => roll.correction(of({ filters }))).toThrow(message);
  });

  test("a weight clamped to nothing is refused, unless weights are off", () => {
    expect(() => roll.correction(of({ "is_weight.upper_bound": 0 }))).toThrow(/clamp\(min=0.0, max=0\)/);
    expect(roll.correction(of({ "is_weight.upper_bound": 0, "is_weight.enabled": false })).steps).toEqual([]);
  });
});

test("traps follow the settings", () => {
  const plain = listTraps(roll, of({})).join("\n");
  for (const words of ["enabled are false", "every ratio is 1", "1.2 is ROLL's default", "from above only"])
    expect(plain).toContain(words);
  expect(plain).not.toContain("ratio_enabled");
  const filtered = listTraps(
    roll,
    of({ filters: "sequence:diff:-0.2:0.2", "is_weight.weight_type": "segment" }),
  );
  for (const words of ["a sum over tokens", "ratio_enabled is true", "not its product"])
    expect(filtered.join("\n")).toContain(words);
});

test("written as YAML, each filter with its other side off", () => {
  const { text } = roll.config(of({ filters: "segment:ratio:0.8:1.05,token:diff:-0.1:inf" }));
  expect(text).toBe(`enable_old_logprobs_recompute: true
train_infer_correction:
  is_weight:
    enabled: true
    weight_type: token
    upper_bound: 1.2
  filters:
    - enabled: true
      agg_type: segment
      ratio_enabled: true
      ratio_low: 0.8
      ratio_high: 1.05
      diff_enabled: false
    - enabled: true
      agg_type: token
      diff_enabled: true
      diff_low: -0.1
      diff_high: .inf
      ratio_enabled: false
`);
  expect(roll.config(of({ "is_weight.enabled": false })).text).toContain("enabled: false\n  filters: []\n");
});

test("expresses neutral corrections it can do, and no others", () => {
  const geometric = { statistic: "ratio", level: "sequence", aggregation: "mean" } as const;
  const weight = { level: "turn", aggregation: "mean" } as const;
  expect(
    roll.express({
      weight,
      steps: [
        { action: "truncate", upper: 3 },
        { action: "mask", measure: geometric, lower: 0.9 },
      ],
    }),
  ).toEqual(
    of({
      "is_weight.weight_type": "segment",
      "is_weight.upper_bound": 3,
      filters: "geometric:ratio:0.9:inf",
    }),
  );
  expect(roll.express({ steps: [{ action: "zero", measure: geometric, upper: 2 }] })).toBeUndefined();
  expect(roll.express({ weight, steps: [{ action: "truncate", lower: 0.5, upper: 3 }] })).toBeUndefined();
  expect(roll.express({ weight: { level: "turn", aggregation: "sum" }, steps: [] })).toBeUndefined();
  const k2 = { ...geometric, statistic: "k2" } as const;
  expect(roll.express({ steps: [{ action: "mask", measure: k2, upper: 2 }] })).toBeUndefined();
});
