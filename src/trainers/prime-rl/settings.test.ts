import { describe, expect, it } from "vitest";
import { completeSettings } from "../shared/settings.ts";
import { listTraps } from "../shared/traps.test-data.ts";
import { primeRl, primeRlIpo } from "./preset.ts";

describe("prime-rl's two losses", () => {
  it("drop by a difference of probabilities, with the advantage's sign or either way", () => {
    const weight = { level: "token", aggregation: "sum" };
    const measure = { statistic: "prob_diff", level: "token", aggregation: "sum" };
    const dppo = completeSettings(primeRl, { dppo_mask_low: 0.3, dppo_mask_high: 0.4 });
    expect(primeRl.correction(dppo)).toEqual({
      weight,
      steps: [
        { action: "zero", measure, upper: 0.4, when: "positive", nan: "kept" },
        { action: "zero", measure, lower: -0.3, when: "not positive", nan: "kept" },
      ],
    });
    expect(primeRlIpo.correction(completeSettings(primeRlIpo, {}))).toEqual({
      weight,
      steps: [
        { action: "zero", measure: { ...measure, statistic: "abs_prob_diff" }, upper: 0.1, nan: "kept" },
      ],
    });
  });

  it("take 0, and find it again", () => {
    const dppo = completeSettings(primeRl, { dppo_mask_low: 0, dppo_mask_high: 0 });
    expect(primeRl.express(primeRl.correction(dppo))).toEqual({ dppo_mask_low: 0, dppo_mask_high: 0 });
    expect(Object.is(primeRl.express(primeRl.correction(dppo))!.dppo_mask_low, 0)).toBe(true);
    const ipo = completeSettings(primeRlIpo, { ipo_threshold: 0 });
    expect(primeRlIpo.express(primeRlIpo.correction(ipo))).toEqual({ ipo_threshold: 0 });
  });

  it("need both thresholds to be expressed by DPPO, and one by IPO", () => {
    const { weight, steps } = primeRl.correction(completeSettings(primeRl, {}));
    for (const step of steps) {
      expect(primeRl.express({ ...(weight && { weight }), steps: [step] })).toBeUndefined();
    }
    expect(primeRlIpo.express({ steps: [] })).toBeUndefined();
  });

  it("stand in the same place of the same file", () => {
    for (const preset of [primeRl, primeRlIpo]) {
      expect(preset.config(completeSettings(preset, {}))).toMatchObject({
        language: "toml",
        place: "rl.toml, under [trainer.loss]",
      });
      expect(preset).toMatchObject({ trainer: "prime-rl", source: expect.stringContaining("loss.py") });
    }
  });
});

describe("prime-rl's traps", () => {
  const dppo = (low: number, high: number): readonly string[] =>
    listTraps(primeRl, completeSettings(primeRl, { dppo_mask_low: low, dppo_mask_high: high }));
  const ipo = (threshold: number): readonly string[] =>
    listTraps(primeRlIpo, completeSettings(primeRlIpo, { ipo_threshold: threshold }));

  it("name the thresholds that are off, from 1 on", () => {
    const off = (traps: readonly string[]): string[] =>
      traps.flatMap((trap) => /^(\S+) is 1 or more/.exec(trap)?.[1] ?? []);
    expect(off(dppo(0.99, 0.99))).toEqual([]);
    expect(off(dppo(1, 0.2))).toEqual(["dppo_mask_low"]);
    expect(off(dppo(2, 1))).toEqual(["dppo_mask_low", "dppo_mask_high"]);
    expect(off(ipo(0.99))).toEqual([]);
    expect(off(ipo(1))).toEqual(["ipo_threshold"]);
  });

  it("are those of both losses and of each", () => {
    for (const words of ["is not clamped", "still count in the loss's denominator"]) {
      expect(dppo(0.2, 0.2).some((trap) => trap.includes(words))).toBe(true);
      expect(ipo(0.1).some((trap) => trap.includes(words))).toBe(true);
    }
    expect(dppo(0.2, 0.2)[0]).toContain("0.2 is not a ratio of 1.2");
    expect(dppo(0.2, 0.2).some((trap) => trap.includes("the two do not add up"))).toBe(true);
    expect(ipo(0.1)[0]).toContain("not on the ratio");
    expect(ipo(0.1).some((trap) => trap.includes("move back towards the rollout policy"))).toBe(true);
  });
});
