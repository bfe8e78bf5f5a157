import { describe, expect, it } from "vitest";
import { UsageError } from "../../../core/base/errors.ts";
import { applyCorrection } from "../../neutral/apply.ts";
import type { Settings } from "../../shared/preset.ts";
import { completeSettings } from "../../shared/settings.ts";
import { listTraps } from "../../shared/traps.test-data.ts";
import { openrlhfEarlier as openrlhf } from "./preset.ts";

const complete = (settings: Settings): Settings => completeSettings(openrlhf, settings);

describe("OpenRLHF's corrections before 0.11.2", () => {
  it("are none where the switch is off", () => {
    const off = complete({ is_correction_enable: false });
    expect(openrlhf.correction(off)).toEqual({ steps: [] });
    expect(listTraps(openrlhf, off)).toEqual([expect.stringContaining("nothing is corrected")]);
    expect(openrlhf.config(off).text).toBe("");
    expect(openrlhf.express({ steps: [] })).toMatchObject({ is_correction_enable: false });
  });

  it("clamp, drop tokens, or drop sequences by their geometric mean", () => {
    const steps = (type: string) => openrlhf.correction(complete({ is_correction_type: type })).steps;
    const bounds = { lower: 0.5, upper: 5 };
    expect(steps("tis")).toEqual([{ action: "truncate", ...bounds }]);
    expect(steps("icepop")).toEqual([{ action: "zero", measure: "weight", ...bounds }]);
    expect(steps("seq-mask-tis")).toEqual([
      {
        action: "zero",
        measure: { statistic: "ratio", level: "sequence", aggregation: "mean" },
        ...bounds,
      },
    ]);
  });

  it("with gspo are the geometric mean, whatever the type", () => {
    const settings = complete({ policy_loss_type: "gspo" });
    expect(openrlhf.correction(settings)).toEqual({
      weight: { level: "sequence", aggregation: "mean" },
      steps: [],
    });
    expect(openrlhf.express(openrlhf.correction(settings))).toMatchObject({ policy_loss_type: "gspo" });
    expect(openrlhf.config(settings)).toMatchObject({
      language: "flags",
      place: "python -m openrlhf.cli.train_ppo_ray",
      text: expect.stringContaining("--actor.policy_loss_type gspo\n"),
    });
  });

  it("are found again with their own bounds, an absent one standing open", () => {
    const weight = { level: "token", aggregation: "sum" } as const;
    const icepop = { action: "zero", measure: "weight" } as const;
    expect(openrlhf.express({ weight, steps: [{ ...icepop, lower: 0.2, upper: 3 }] })).toMatchObject({
      is_correction_type: "icepop",
      is_correction_threshold: [0.2, 3],
    });
    expect(openrlhf.express({ weight, steps: [{ ...icepop, lower: 0.2 }] })).toMatchObject({
      is_correction_threshold: [0.2, Number.POSITIVE_INFINITY],
    });
  });

  it("need two bounds, low before high; equal ones are in order", () => {
    for (const is_correction_threshold of [null, [5, 0.5]] as const) {
      expect(() => openrlhf.correction(complete({ is_correction_threshold }))).toThrow(UsageError);
    }
    expect(openrlhf.correction(complete({ is_correction_threshold: [2, 2] })).steps).toEqual([
      { action: "truncate", lower: 2, upper: 2 },
    ]);
  });
});

describe("OpenRLHF's traps before 0.11.2", () => {
  const traps = (settings: Settings): string => listTraps(openrlhf, complete(settings)).join("\n");

  it("are those of the type that is chosen", () => {
    expect(traps({})).toContain("vllm_kl is the mean of rollout − trainer (k1)");
    expect(traps({})).not.toMatch(/icepop|seq-mask-tis/);
    expect(traps({ is_correction_type: "icepop" })).toContain("stay in the denominator");
    expect(traps({ is_correction_type: "icepop" })).not.toContain("clamps both sides");
    expect(traps({ is_correction_type: "seq-mask-tis" })).not.toContain("clamps both sides");
  });

  it("say that bounds of tokens reject nothing by geometric means, from one side too", () => {
    const bounded = (low: number, high: number): string =>
      traps({ is_correction_type: "seq-mask-tis", is_correction_threshold: [low, high] });
    expect(bounded(0.89, 1.05)).toContain("0.89 to 1.05 rejects next to nothing");
    expect(bounded(0.95, 1.11)).toContain("rejects next to nothing");
    expect(bounded(0.9, 1.1)).not.toContain("rejects next to nothing");
    expect(bounded(0.9, 1.1)).toContain("raw, untruncated");
  });
});

describe("vllm_kl", () => {
  const block = {
    rollout: Float64Array.of(-1, -2, -1),
    trainer: Float64Array.of(-2, -1.5, -9),
    mask: Uint8Array.of(1, 1, 0),
    offsets: Int32Array.of(0, 3),
  };
  const logged = (given: Settings, of = block): Readonly<Record<string, number>> => {
    const settings = complete(given);
    const metrics = openrlhf.metrics(settings);
    metrics.add(of, applyCorrection(of, openrlhf.correction(settings)));
    return metrics.finish();
  };

  it("is the mean of rollout − trainer over tokens with mask 1", () => {
    expect(logged({})).toEqual({ vllm_kl: 0.25 });
    expect(logged({}, { ...block, mask: new Uint8Array(3) })).toEqual({ vllm_kl: Number.NaN });
  });

  it("is logged only with the correction on and PPO's loss", () => {
    expect(logged({ is_correction_enable: false })).toEqual({});
    expect(logged({ policy_loss_type: "gspo" })).toEqual({});
  });
});
