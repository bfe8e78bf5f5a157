import { expect, test } from "vitest";
import {
  anyThreshold,
  describeFate,
  effectOn,
  effectsOn,
  judging,
  type Thresholds,
  thresholdsOf,
} from "./fate.ts";

const all = thresholdsOf({ cap: "2", low: "0.5", high: "5", veto: "0.0001" });

test("thresholds are the bounds of the address's correction that bind", () => {
  expect(all).toEqual({ level: "token", cap: 2, low: 0.5, high: 5, zeroes: false, veto: 0.0001 });
  expect(anyThreshold(thresholdsOf({ metric: "k3" }))).toBe(false);
  expect(anyThreshold(thresholdsOf({ level: "token", method: "none" }))).toBe(false);
  expect(anyThreshold(thresholdsOf({ method: "mask", low: "0", high: "inf", cap: "2" }))).toBe(false);
  expect(thresholdsOf({ method: "truncate" }).cap).toBe(2);
  expect(thresholdsOf({ level: "geometric", method: "mask" })).toMatchObject({ low: 0.99, high: 1.01 });
});

test("IcePop's tokens outside the band stay in the mask, with weight 0", () => {
  const icepop = thresholdsOf({ method: "icepop", low: "0.5", high: "5" });
  expect(describeFate(Math.log(6), icepop, undefined, 1)).toBe("weight 0: ρ > 5");
});

test("a token's fate goes by its ratio", () => {
  expect(effectOn(0, all)).toBe("kept");
  expect(effectOn(Math.log(3), all)).toBe("truncated");
  expect(effectOn(Math.log(6), all)).toBe("masked");
  expect(effectOn(Math.log(0.4), all)).toBe("masked");
  expect(effectOn(Math.log(0.00001), all)).toBe("vetoed");
  expect(effectOn(Number.NaN, all)).toBe("kept");
  expect(effectOn(Infinity, all)).toBe("masked");
});

test("of a sequence, one ratio judges all tokens; the veto stays with each token", () => {
  const deltas = Float64Array.of(0.5, Number.NaN, 0.5, -0.1);
  const at = (level: string): Thresholds => judging(thresholdsOf({ level, cap: "2", veto: "0.95" }), deltas);
  expect(deltas.map((delta) => (effectOn(delta, at("token")) === "kept" ? 0 : 1))).toEqual(
    Float64Array.of(0, 0, 0, 1),
  );
  expect(at("sequence").whole).toBeCloseTo(0.9, 12);
  expect(effectOn(0.5, at("sequence"))).toBe("truncated");
  expect(effectOn(-0.1, at("sequence"))).toBe("vetoed");
  expect(at("geometric").whole).toBeCloseTo(0.3, 12);
  expect(effectOn(0.5, at("geometric"))).toBe("kept");
  expect(describeFate(0.5, at("sequence"), undefined, 0)).toBe("ρ of the sequence truncated to 2");
});

test("counts, and the token that takes the sequence away", () => {
  const deltas = Float64Array.of(0, Math.log(3), Number.NaN, -20, -21);
  expect(effectsOn(deltas, all)).toEqual({ truncated: 1, masked: 0, vetoed: 2, vetoedBy: 3 });
});

test("fates in words", () => {
  expect(describeFate(Math.log(3), all, undefined, 1)).toBe("truncated to 2");
  expect(describeFate(Math.log(6), all, undefined, 1)).toBe("masked: ρ > 5");
  expect(describeFate(Math.log(0.4), all, undefined, 1)).toBe("masked: ρ < 0.5");
  expect(describeFate(0, all, 3, 1)).toBe("dropped: t3 vetoes the sequence");
  expect(describeFate(-20, all, 3, 3)).toBe("vetoes the sequence: ρ < 0.0001");
  expect(describeFate(0, all, undefined, 1)).toBe("kept");
  expect(describeFate(Number.NaN, all, undefined, 1)).toMatch(/missing/);
});
