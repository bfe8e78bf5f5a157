import { describe, expect, it } from "vitest";
import { formatCorrection } from "../neutral/text.ts";
import { checkReference } from "../shared/reference.test-data.ts";
import { completeSettings } from "../shared/settings.ts";
import { listTraps } from "../shared/traps.test-data.ts";
import { verlDppo } from "./dppo.ts";

// verl's masked_mean adds 1e-8 to the count that it divides by.
checkReference(verlDppo, "verl-dppo", 1e-9);

const of = (settings: Record<string, number | string | null>) => completeSettings(verlDppo, settings);

describe("verl's DPPO losses", () => {
  it("are capped ratios without the tokens that moved too far", () => {
    expect(formatCorrection(verlDppo.correction(of({})))).toBe(
      "weight:token:log=20 truncate:..3 zero:token.prob_diff:..0.2:positive zero:token.prob_diff:-0.2..:not-positive",
    );
    expect(formatCorrection(verlDppo.correction(of({ loss_mode: "dppo_kl", clip_ratio_high: 0.05 })))).toBe(
      "weight:token:log=20 truncate:..3 zero:token.binary_kl:..0.05:shift=1e-8:positive:diverging zero:token.binary_kl:..0.2:shift=1e-8:not-positive:diverging",
    );
  });

  it("take clip_ratio only where their own bounds are null", () => {
    const { steps } = verlDppo.correction(of({ clip_ratio: 0.1, clip_ratio_low: null }));
    expect(steps.slice(1)).toMatchObject([{ upper: 0.2 }, { lower: -0.1 }]);
    expect(() => verlDppo.correction(of({ clip_ratio: null, clip_ratio_low: null }))).toThrow(
      "clip_ratio is a number",
    );
  });

  it("say what their bounds are of, and that the default cap is low", () => {
    const traps = (settings: Record<string, number | string>): string =>
      listTraps(verlDppo, of(settings)).join();
    expect(traps({})).toContain("differences of probabilities here");
    expect(traps({})).toContain("caps the ratio at 3");
    expect(traps({ loss_mode: "dppo_kl", clip_ratio_c: 20 })).toContain("nats of binary KL here");
    expect(traps({ loss_mode: "dppo_kl", clip_ratio_c: 20 })).not.toContain("caps the ratio");
  });

  it("are written with the bypass mode that they need", () => {
    expect(verlDppo.config(of({ clip_ratio_low: null })).text).toBe(
      "actor_rollout_ref:\n  actor:\n    policy_loss:\n      loss_mode: dppo_tv\n    clip_ratio_low: 0.2\n    clip_ratio_high: 0.2\n    clip_ratio_c: 3\nalgorithm:\n  rollout_correction:\n    bypass_mode: true\n",
    );
  });
});
