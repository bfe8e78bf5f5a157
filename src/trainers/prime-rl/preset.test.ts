import { describe, expect, test } from "vitest";
import { UsageError } from "../../core/base/errors.ts";
import { applyCorrection } from "../neutral/apply.ts";
import { checkReference } from "../shared/reference.test-data.ts";
import { completeSettings } from "../shared/settings.ts";
import { listTraps } from "../shared/traps.test-data.ts";
import { primeRl, primeRlIpo } from "./preset.ts";

checkReference(primeRl);
checkReference(primeRlIpo);

describe("refused as pydantic refuses them", () => {
  test.each([-0.1, Number.NaN, null])("%s", (value) => {
    const dppo = completeSettings(primeRl, { dppo_mask_low: value });
    expect(() => primeRl.correction(dppo)).toThrow(UsageError);
    const ipo = completeSettings(primeRlIpo, { eps: value });
    expect(() => primeRlIpo.correction(ipo)).toThrow(value === null ? /not None/ : /ge=0/);
  });
});

test("traps name the unit, advantage 0 and a threshold that is off", () => {
  const traps = listTraps(primeRl, completeSettings(primeRl, { dppo_mask_high: 1.2 })).join("\n");
  for (const words of ["difference of probabilities", "advantage 0", "dppo_mask_high is 1 or more"])
    expect(traps).toContain(words);
  expect(listTraps(primeRl, completeSettings(primeRl, {})).join()).not.toContain("1 or more");
});

test("written as TOML", () => {
  expect(primeRl.config(completeSettings(primeRl, { dppo_mask_high: 0.3 })).text).toBe(
    '[trainer.loss]\ntype = "default"\ndppo_mask_low = 0.2\ndppo_mask_high = 0.3\n',
  );
  expect(primeRlIpo.config(completeSettings(primeRlIpo, {})).text).toBe(
    '[trainer.loss]\ntype = "ipo"\neps = 0.3\n',
  );
});

test("neither expresses the other, or a truncation", () => {
  const dppo = primeRl.correction(completeSettings(primeRl, {}));
  expect(primeRlIpo.express(dppo)).toBeUndefined();
  expect(primeRl.express(primeRlIpo.correction(completeSettings(primeRlIpo, {})))).toBeUndefined();
  expect(
    primeRl.express({
      weight: { level: "token", aggregation: "sum" },
      steps: [{ action: "truncate", upper: 2 }],
    }),
  ).toBeUndefined();
  expect(primeRl.express({ ...dppo, steps: dppo.steps.slice(0, 1) })).toBeUndefined();
});

test("a block without one token of its own", () => {
  const block = {
    rollout: Float64Array.from([-1]),
    trainer: Float64Array.from([-1]),
    mask: Uint8Array.from([0]),
    offsets: Int32Array.from([0, 1]),
    advantages: Float64Array.from([1]),
  };
  const settings = completeSettings(primeRl, {});
  const metrics = primeRl.metrics(settings);
  metrics.add(block, applyCorrection(block, primeRl.correction(settings)));
  expect(metrics.finish()).toMatchObject({
    "mismatch_kl/all/mean": Number.NaN,
    "mismatch_kl/all/std": Number.NaN,
    "is_masked/mean": 0,
    "unmasked_mismatch_kl/max": 0,
  });
});
