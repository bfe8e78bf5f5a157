import { describe, expect, test } from "vitest";
import { UsageError } from "../../core/base/errors.ts";
import type { Correction } from "../neutral/correction.ts";
import { checkReference } from "../shared/reference.test-data.ts";
import { completeSettings } from "../shared/settings.ts";
import { listTraps } from "../shared/traps.test-data.ts";
import { slimeMis } from "./mis-preset.ts";

checkReference(slimeMis);

const of = (settings: Record<string, number | string | boolean | null>) =>
  completeSettings(slimeMis, settings);

describe("slime-mis refuses in mis.py's words", () => {
  test.each([
    [{ tis_level: "geometric" }, /Unsupported tis_level: geometric/],
    [
      { tis_mode: "clip", tis_lower_bound: 2 },
      /tis_lower_bound 2 with tis_upper_bound 2.*lower_bound < upper_bound/,
    ],
    [{ rs_lower_bound: 3 }, /rs_lower_bound 3 with rs_upper_bound 2/],
    [{ tis_upper_bound: null }, /upper_bound is not None/],
  ])("%j", (settings, message) => {
    expect(() => slimeMis.correction(of(settings))).toThrow(UsageError);
    expect(() => slimeMis.correction(of(settings))).toThrow(message);
  });
});

test("null bounds: 1 / upper for weights, the weight's for rejection; beyond the clamp nothing binds", () => {
  const clip = slimeMis.correction(of({ tis_mode: "clip", tis_lower_bound: null, tis_upper_bound: 4 }));
  expect(clip.steps.slice(0, 2)).toMatchObject([
    { action: "truncate", lower: 0.25, upper: 4 },
    { action: "mask", lower: 0.25, upper: 4 },
  ]);
  const wide = of({
    rs_level: "sequence",
    rs_lower_bound: 1e-12,
    rs_upper_bound: 1e12,
    rs_veto_threshold: null,
  });
  expect(slimeMis.correction(wide).steps.map(({ action }) => action)).toEqual(["truncate", "normalize"]);
});

test("traps", () => {
  const traps = (settings: Parameters<typeof of>[0]) => listTraps(slimeMis, of(settings)).join("\n");
  expect(traps({})).toContain("rs bounds that are null are the weight's: 0.5 to 2");
  expect(traps({})).toContain("divides by the token count before rejection");
  expect(traps({ rs_level: "geometric" })).toContain("has another scale");
  expect(traps({ tis_lower_bound: null, tis_upper_bound: 4 })).toContain("1 / tis_upper_bound: 0.25");
  expect(traps({ use_rs: false })).toContain("does nothing without use_rs");
  expect(traps({ use_tis: false })).toContain("do nothing either");
  expect(slimeMis.correction(of({ use_tis: false }))).toEqual({ steps: [] });
});

test("is written as YAML 1.1 reads it", () => {
  const { text } = slimeMis.config(of({ rs_veto_threshold: 1e-7 }));
  expect(text).toContain("rs_veto_threshold: 1.0e-7\n");
  expect(text).toContain('tis_level: "token"\n');
  expect(text).toContain("rs_lower_bound: null\n");
});

test("expresses geometric clipping with a product rejection and a veto, and no weights zeroed", () => {
  const correction: Correction = {
    weight: { level: "sequence", aggregation: "mean" },
    steps: [
      { action: "veto", measure: { statistic: "ratio", level: "token", aggregation: "sum" }, lower: 1e-4 },
      {
        action: "mask",
        measure: { statistic: "ratio", level: "sequence", aggregation: "sum" },
        lower: 0.5,
        upper: 2,
      },
      { action: "truncate", lower: 0.99, upper: 1.01 },
    ],
  };
  expect(slimeMis.express(correction)).toEqual(
    of({
      tis_level: "geometric",
      tis_mode: "clip",
      tis_lower_bound: 0.99,
      tis_upper_bound: 1.01,
      rs_level: "sequence",
      rs_lower_bound: 0.5,
      rs_upper_bound: 2,
      tis_batch_normalize: false,
    }),
  );
  expect(
    slimeMis.express({ ...correction, steps: [{ action: "zero", measure: "weight", upper: 2 }] }),
  ).toBeUndefined();
});
