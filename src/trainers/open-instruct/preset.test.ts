import { describe, expect, test } from "vitest";
import { UsageError } from "../../core/base/errors.ts";
import { checkReference } from "../shared/reference.test-data.ts";
import { completeSettings } from "../shared/settings.ts";
import { listTraps } from "../shared/traps.test-data.ts";
import { openInstruct } from "./preset.ts";

checkReference(openInstruct);

const of = (settings: Record<string, number | string | boolean | null>) =>
  completeSettings(openInstruct, settings);

describe("refuses in open-instruct's words", () => {
  test.each([
    [{ rho_mask_lower_bound: 1 }, "rho_mask_lower_bound must satisfy 0 < lb < 1 when set, got 1."],
    [{ rho_mask_upper_bound: 0.2 }, "rho_mask_upper_bound must be > 1 when set, got 0.2."],
    [{ rho_clamp_lower_bound: 1.5 }, "rho_clamp_lower_bound must satisfy 0 < lb < 1 when set, got 1.5."],
    [{ rho_clamp_upper_bound: 1 }, "rho_clamp_upper_bound must be > 1 when set, got 1."],
    [{ rho_clamp_upper_bound: null }, "rho_clamp_upper_bound is a number, not None"],
  ])("%j", (settings, words) => {
    expect(() => openInstruct.correction(of(settings))).toThrow(UsageError);
    expect(() => openInstruct.correction(of(settings))).toThrow(words);
    expect(openInstruct.correction(of({ ...settings, use_rho_correction: false }))).toEqual({ steps: [] });
  });
});

test("0.0 and less is off, not a bound", () => {
  const settings = of({ rho_clamp_upper_bound: 0, rho_mask_lower_bound: -3 });
  expect(openInstruct.correction(settings).steps).toEqual([]);
  expect(listTraps(openInstruct, settings).join("\n")).toContain("0.0 is off, not a clamp to 0");
});

test("traps follow the settings", () => {
  const traps = (settings: Record<string, number | boolean>): string =>
    listTraps(openInstruct, of(settings)).join("\n");
  for (const words of ["±10 nats", "become 1.0", "nothing is dropped"]) expect(traps({})).toContain(words);
  expect(traps({ use_rho_correction: false })).toContain("logged as 0");
  expect(traps({ rho_mask_sequence_level: true })).toContain("changes the weight too");
  const tv = { rho_mask_tv_divergence: true };
  expect(traps(tv)).toContain("without bounds does nothing");
  expect(traps({ ...tv, rho_mask_upper_bound: 1.5 })).toContain("must be above 1 as for ratios");
  expect(traps({ ...tv, rho_mask_lower_bound: 0.5 })).toContain("those that agree best");
});

test("written as flags", () => {
  expect(openInstruct.config(of({ rho_mask_lower_bound: 0.5 })).text).toBe(`--use_rho_correction True \\
--rho_clamp_lower_bound 0 \\
--rho_clamp_upper_bound 2 \\
--rho_mask_lower_bound 0.5 \\
--rho_mask_upper_bound 0 \\
--rho_mask_sequence_level False \\
--rho_mask_tv_divergence False`);
  expect(openInstruct.config(of({ use_rho_correction: false })).text).toBe("--use_rho_correction False");
});

describe("expresses", () => {
  const token = { level: "token", aggregation: "sum" } as const;

  test("TIS and IcePop of other trainers", () => {
    const tis = { weight: { ...token, logBound: 20 }, steps: [{ action: "truncate", upper: 3 }] } as const;
    expect(openInstruct.express(tis)).toEqual(of({ rho_clamp_upper_bound: 3 }));
    const icepop = {
      weight: token,
      steps: [{ action: "zero", measure: "weight", lower: 0.5, upper: 5 }],
    } as const;
    expect(openInstruct.express(icepop)).toEqual(
      of({ rho_clamp_upper_bound: 0, rho_mask_lower_bound: 0.5, rho_mask_upper_bound: 5 }),
    );
  });

  test("but not masks, products, or bounds on the wrong side of 1", () => {
    const truncate = [{ action: "truncate", upper: 3 }] as const;
    expect(
      openInstruct.express({ weight: { level: "sequence", aggregation: "sum" }, steps: truncate }),
    ).toBeUndefined();
    expect(
      openInstruct.express({ weight: token, steps: [{ action: "truncate", upper: 0.9 }] }),
    ).toBeUndefined();
    expect(
      openInstruct.express({
        weight: token,
        steps: [{ action: "mask", measure: { ...token, statistic: "ratio" }, upper: 3 }],
      }),
    ).toBeUndefined();
  });
});
