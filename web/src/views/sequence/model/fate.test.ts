import { expect, test } from "vitest";
import {
  anyThreshold,
  describeFate,
  effectOn,
  effectsOn,
  judging,
  parseThresholds,
  type Thresholds,
} from "./fate.ts";

const all = parseThresholds({ cap: "2", low: "0.5", high: "5", veto: "0.0001" });

test("thresholds come from the address; what makes no sense is none", () => {
  expect(all).toEqual({ level: "token", cap: 2, low: 0.5, high: 5, veto: 0.0001 });
  expect(anyThreshold(parseThresholds({ cap: "", low: "-1", high: "x", veto: "Infinity" }))).toBe(false);
  expect(anyThreshold(parseThresholds({ cap: "2" }))).toBe(true);
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
  const at = (level: string): Thresholds =>
    judging(parseThresholds({ level, cap: "2", veto: "0.95" }), deltas);
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
  expect(describeFate(-20, all, 3, 3)).toBe("vetoes the sequence: ρ < 1e−4");
  expect(describeFate(0, all, undefined, 1)).toBe("kept");
  expect(describeFate(Number.NaN, all, undefined, 1)).toMatch(/missing/);
});
