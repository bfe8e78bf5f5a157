import { describe, expect, test } from "vitest";
import { UsageError } from "../../core/base/errors.ts";
import { checkReference } from "../shared/reference.test-data.ts";
import { completeSettings } from "../shared/settings.ts";
import { listTraps } from "../shared/traps.test-data.ts";
import { areal } from "./preset.ts";

checkReference(areal);

const of = (settings: Record<string, number | string | boolean | null>) => completeSettings(areal, settings);

describe("refuses in AReaL's words", () => {
  test.each([
    [{ upper: 1.5, lower: 2 }, "lower (2) cannot be greater than upper (1.5)"],
    [{ upper: 1 }, "upper must be > 1.0 for 'ratio' metric"],
    [{ lower: 0 }, "lower must be positive for 'ratio' metric, got 0"],
    [{ metric: "kl_k2", upper: 0 }, "upper must be positive for 'kl_k2' metric, got 0"],
    [{ metric: "kl_k3", upper: -1 }, "upper must be positive for 'kl_k3' metric, got -1"],
    [{ metric: "kl_k2", action: "clamp" }, "action='clamp' only supports metric='ratio'"],
    [{ upper: null }, "upper is a number, not None"],
    [
      { level: "sequence", action: "clamp", agg: "max", lower: 0.5 },
      "only of sequences whose max is outside",
    ],
  ])("%j", (settings, words) => {
    expect(() => areal.correction(of(settings))).toThrow(UsageError);
    expect(() => areal.correction(of(settings))).toThrow(words);
  });

  test.each([
    { upper: 2, lower: 2 },
    { metric: "kl_k2", lower: 0, upper: 1 },
    { metric: "kl_k1", upper: 0.5, lower: -0.5 },
    // The clamp of tokens looks at no agg, and a sum inside the bounds keeps the mean inside a lower one of at most 1.
    { action: "clamp", agg: "max", lower: 0.5 },
    { level: "sequence", action: "clamp", agg: "sum", lower: 1 },
    { level: "sequence", action: "clamp", agg: "mean", lower: 1.5, upper: 2 },
    { level: "sequence", action: "clamp", agg: "max" },
  ])("but not %j", (settings) => {
    expect(areal.correction(of(settings)).steps).toHaveLength(1);
  });

  test("nor computes a clamp of sequences whose mean may be outside, and says what to use", () => {
    const settings = of({ level: "sequence", action: "clamp", agg: "sum", lower: 1.5, upper: 2 });
    expect(() => areal.correction(settings)).toThrow(
      expect.objectContaining({ hint: "use agg=mean, or omit lower" }),
    );
    expect(() => areal.correction(of({ upper: null }))).toThrow("areal: upper is a number, not None");
  });

  test("and takes a negative bound on kl_k1, whose sign is that of Δ", () => {
    const { steps } = areal.correction(of({ metric: "kl_k1", upper: -0.1, lower: -0.5 }));
    expect(steps).toMatchObject([{ action: "zero", measure: { statistic: "k1" }, lower: 0.1, upper: 0.5 }]);
  });
});

describe("off", () => {
  test("rejection_sampling null: no weight, no metrics", () => {
    const settings = of({ level: null });
    expect(areal.correction(settings)).toEqual({ steps: [] });
    expect(areal.metrics(settings).finish()).toEqual({});
    expect(listTraps(areal, settings).join()).toContain("behavior weight too");
    expect(areal.config(settings).text).toBe(
      "actor:\n  use_decoupled_loss: true\n  rejection_sampling: null\n",
    );
    expect(areal.express({ steps: [] })).toEqual(settings);
  });

  test("use_decoupled_loss false: nothing to correct", () => {
    const settings = of({ use_decoupled_loss: false });
    expect(areal.correction(settings)).toEqual({ steps: [] });
    expect(listTraps(areal, settings).join()).toContain("Filtering will be ignored");
  });
});

test("traps follow the settings", () => {
  const traps = (settings: Record<string, string | number | null>): string =>
    listTraps(areal, of(settings)).join("\n");
  for (const words of [
    "false and rejection_sampling null by default",
    "sign of Δ",
    "denominator",
    "lower null",
  ])
    expect(traps({})).toContain(words);
  expect(traps({ metric: "kl_k3" })).toContain("exp(−Δ) − 1 + Δ");
  expect(traps({ metric: "kl_k1" })).toContain("opposite sign");
  expect(traps({ level: "sequence", agg: "sum" })).toContain("whatever agg is; agg sum only decides");
  expect(traps({ agg: "sum" })).toContain("ignored at token level");
});

test("written as YAML", () => {
  const settings = of({ level: "sequence", agg: "max", upper: 2, lower: 0.5 });
  expect(areal.config(settings).text).toBe(`actor:
  use_decoupled_loss: true
  rejection_sampling:
    level: sequence
    action: mask
    metric: ratio
    agg: max
    upper: 2
    lower: 0.5
`);
  expect(areal.config(of({})).text).not.toContain("agg");
  for (const level of ["token", null])
    expect(areal.config(of({ level }))).toMatchObject({
      language: "yaml",
      place: "the experiment's YAML, under actor",
      text: expect.stringContaining("use_decoupled_loss: true"),
    });
  expect(areal.config(of({ use_decoupled_loss: false, level: null })).text).toContain(
    "use_decoupled_loss: false",
  );
});

test("expresses what it can do, and not what it cannot", () => {
  const token = { level: "token", aggregation: "sum" } as const;
  const tis = { weight: token, steps: [{ action: "truncate", upper: 2 }] } as const;
  expect(areal.express(tis)).toEqual(of({ action: "clamp", upper: 2 }));
  const product = { statistic: "ratio", level: "sequence", aggregation: "sum" } as const;
  // The weight would become geometric: only as kl_k1, whose weight stays with the token.
  expect(
    areal.express({ weight: token, steps: [{ action: "zero", measure: product, upper: 2 }] }),
  ).toBeUndefined();
  const k1 = { ...product, statistic: "k1" } as const;
  expect(
    areal.express({ weight: token, steps: [{ action: "zero", measure: k1, lower: -0.7, upper: 0.5 }] }),
  ).toEqual(of({ level: "sequence", metric: "kl_k1", agg: "sum", upper: 0.7, lower: -0.5 }));
  expect(
    areal.express({ weight: token, steps: [{ action: "mask", measure: product, upper: 2 }] }),
  ).toBeUndefined();
  expect(areal.express({ weight: { ...token, level: "turn" }, steps: tis.steps })).toBeUndefined();
  expect(areal.express({ steps: tis.steps })).toBeUndefined();
  const gate = {
    action: "zero",
    measure: { ...product, aggregation: "max" },
    lower: Math.exp(-0.7),
    upper: Math.exp(0.5),
  } as const;
  expect(areal.express({ weight: token, steps: [gate] })).toEqual(
    of({ level: "sequence", metric: "kl_k1", agg: "max", lower: -0.7, upper: 0.5 }),
  );
  expect(areal.express({ weight: token, steps: [gate, { action: "truncate", upper: 2 }] })).toBeUndefined();
});
