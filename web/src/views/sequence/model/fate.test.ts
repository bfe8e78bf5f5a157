import { expect, test } from "vitest";
import { anyThreshold, describeFate, effectOn, effectsOn, parseThresholds } from "./fate.ts";

const all = parseThresholds({ cap: "2", low: "0.5", high: "5", veto: "0.0001" });

test("thresholds come from the address; what makes no sense is none", () => {
  expect(all).toEqual({ cap: 2, low: 0.5, high: 5, veto: 0.0001 });
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
