import { describe, expect, it } from "vitest";
import { applyCorrection } from "../neutral/apply.ts";
import { completeSettings } from "../shared/settings.ts";
import { listTraps } from "../shared/traps.test-data.ts";
import { primeRl, primeRlIcepop, primeRlIpo, primeRlKpop } from "./preset.ts";

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
        { action: "zero", measure: { ...measure, statistic: "abs_prob_diff" }, upper: 0.3, nan: "kept" },
      ],
    });
  });

  it("take 0, and find it again", () => {
    const dppo = completeSettings(primeRl, { dppo_mask_low: 0, dppo_mask_high: 0 });
    expect(primeRl.express(primeRl.correction(dppo))).toEqual({ dppo_mask_low: 0, dppo_mask_high: 0 });
    expect(Object.is(primeRl.express(primeRl.correction(dppo))!.dppo_mask_low, 0)).toBe(true);
    const ipo = completeSettings(primeRlIpo, { eps: 0 });
    expect(primeRlIpo.express(primeRlIpo.correction(ipo))).toEqual({ eps: 0 });
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
        place: expect.stringMatching(/^rl\.toml, under \[trainer\.loss\]/),
      });
      expect(preset).toMatchObject({ trainer: "prime-rl", source: expect.stringContaining("loss.py") });
    }
  });
});

describe("the IcePop loss", () => {
  const correct = (ratio_low: number, ratio_high: number) =>
    primeRlIcepop.correction(completeSettings(primeRlIcepop, { ratio_low, ratio_high }));

  it("drops ratios outside an inclusive band, and finds it again", () => {
    const rollout = Float64Array.from([-1, -1, -1, -1, -1]);
    const ratios = [0.19, 0.21, 1, 4.9, 5.1];
    const block = {
      rollout,
      trainer: rollout.map((logprob, t) => logprob + Math.log(ratios[t]!)),
      mask: new Uint8Array(5).fill(1),
      offsets: Int32Array.from([0, 5]),
    };
    const { weights } = applyCorrection(block, correct(0.2, 5));
    expect([...weights!].map((weight) => Number(weight.toFixed(6)))).toEqual([0, 0.21, 1, 4.9, 0]);
    expect(primeRlIcepop.express(correct(0.5, 3))).toEqual({ ratio_low: 0.5, ratio_high: 3 });
    expect(primeRlIcepop.express({ ...correct(0.5, 3), steps: [] })).toBeUndefined();
    expect(primeRlIcepop.config(completeSettings(primeRlIcepop, {})).text).toBe(
      '[trainer.loss]\ntype = "icepop"\nratio_low = 0.2\nratio_high = 5\n',
    );
  });

  it("is refused where prime-rl refuses it", () => {
    expect(() => correct(0, 5)).toThrow(/greater than 0/);
    expect(() => correct(2, 1)).toThrow(/must not exceed/);
  });
});

describe("the proposed KPop loss", () => {
  const settings = (kpop_threshold: number) => completeSettings(primeRlKpop, { kpop_threshold });

  /** By the pull request's formula, in float64: tokens at which either direction exceeds the threshold. */
  function plainKept(rollout: number, trainer: number, threshold: number): boolean {
    const clamped = (log: number): number => Math.min(Math.max(Math.exp(log), 1e-6), 1 - 1e-6);
    const [r, t] = [clamped(rollout), clamped(trainer)];
    const kl = (p: number, q: number): number => p * Math.log(p / q) + (1 - p) * Math.log((1 - p) / (1 - q));
    return kl(t, r) <= threshold && kl(r, t) <= threshold;
  }

  it("drops a token where either direction exceeds the threshold", () => {
    const values = [-1e-9, -0.001, -0.02, -0.3, -1, -2.5, -6, -20];
    const pairs = values.flatMap((a) => values.map((b) => [a, b] as const));
    const block = {
      rollout: Float64Array.from(pairs, ([a]) => a),
      trainer: Float64Array.from(pairs, ([, b]) => b),
      mask: new Uint8Array(pairs.length).fill(1),
      offsets: Int32Array.of(0, pairs.length),
    };
    const { weights, mask } = applyCorrection(block, primeRlKpop.correction(settings(0.1)));
    expect([...mask]).toEqual(pairs.map(() => 1));
    expect(Array.from(weights!, (weight) => weight !== 0)).toEqual(
      pairs.map(([a, b]) => plainKept(a, b, 0.1)),
    );
  });

  it("counts a token that both directions drop once", () => {
    const block = {
      rollout: Float64Array.of(-0.1, -1, -1),
      trainer: Float64Array.of(-3, -1, -1.01),
      mask: Uint8Array.of(1, 1, 1),
      offsets: Int32Array.of(0, 3),
    };
    const metrics = primeRlKpop.metrics(settings(0.1));
    metrics.add(block, applyCorrection(block, primeRlKpop.correction(settings(0.1))));
    expect(metrics.finish()["is_masked/mean"]).toBeCloseTo(1 / 3, 12);
  });

  it("is found again, and refuses a negative threshold", () => {
    expect(primeRlKpop.express(primeRlKpop.correction(settings(0.2)))).toEqual(settings(0.2));
    expect(primeRlKpop.express({ steps: [] })).toBeUndefined();
    expect(() => primeRlKpop.correction(settings(-1))).toThrow("refuses kpop_threshold");
    expect(primeRlKpop.config(settings(0.1)).text).toBe(
      '[trainer.loss]\ntype = "kpop"\nkpop_threshold = 0.1\n',
    );
    expect(listTraps(primeRlKpop, settings(0.1)).join()).toContain("move back towards");
  });
});

describe("prime-rl's traps", () => {
  const dppo = (low: number, high: number): readonly string[] =>
    listTraps(primeRl, completeSettings(primeRl, { dppo_mask_low: low, dppo_mask_high: high }));
  const ipo = (threshold: number): readonly string[] =>
    listTraps(primeRlIpo, completeSettings(primeRlIpo, { eps: threshold }));

  it("name the thresholds that are off, from 1 on", () => {
    const off = (traps: readonly string[]): string[] =>
      traps.flatMap((trap) => /^(\S+) is 1 or more/.exec(trap)?.[1] ?? []);
    expect(off(dppo(0.99, 0.99))).toEqual([]);
    expect(off(dppo(1, 0.2))).toEqual(["dppo_mask_low"]);
    expect(off(dppo(2, 1))).toEqual(["dppo_mask_low", "dppo_mask_high"]);
    expect(off(ipo(0.99))).toEqual([]);
    expect(off(ipo(1))).toEqual(["eps"]);
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
