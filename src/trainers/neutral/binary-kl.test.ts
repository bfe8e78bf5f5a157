import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { UsageError } from "../../core/base/errors.ts";
import { binaryKl, binaryKlBound } from "./binary-kl.ts";
import { tokenStatistic } from "./measures.ts";
import { parseCorrection } from "./text.ts";

/** The formula as trainers write it, in float64: right where its two terms do not cancel. */
function plain(logP: number, logQ: number, { probBound = 0, restShift = 0 } = {}): number {
  const clamped = (log: number): number => Math.min(Math.max(Math.exp(log), probBound), 1 - probBound);
  const [p, q] = [clamped(logP), clamped(logQ)];
  return p * Math.log(p / q) + (1 - p) * Math.log((1 - p + restShift) / (1 - q + restShift));
}

/** ∫ (q − p)² x / (t (1 − t)) dx with t = p + x (q − p): every term is positive, so nothing cancels. */
function integral(logP: number, logQ: number): number {
  const p = Math.exp(logP);
  const rest = -Math.expm1(logP);
  const diff = p * Math.expm1(logQ - logP);
  const parts = 4000;
  const at = (x: number): number => (diff * diff * x) / ((p + x * diff) * (rest - x * diff));
  let sum = at(0) + at(1);
  for (let i = 1; i < parts; i++) sum += (i % 2 === 1 ? 4 : 2) * at(i / parts);
  return sum / (3 * parts);
}

const prob = fc.double({ min: 1e-3, max: 1 - 1e-3, noNaN: true });
const logProb = fc.oneof(
  fc.double({ min: -30, max: -1e-12, noNaN: true }),
  fc.double({ min: 1e-12, max: 0.99, noNaN: true }).map((rest) => Math.log1p(-rest)),
);
const guards = fc.constantFrom({}, { probBound: 1e-6 }, { restShift: 1e-8 }, { restShift: 1e-2 });

type Case = Readonly<
  Record<"rollout" | "trainer" | "binary_kl" | "binary_kl_reverse", number> & {
    probBound?: number;
    restShift?: number;
  }
>;
const file = new URL("../../../test/fixtures/binary-kl.json", import.meta.url);
const CASES = JSON.parse(readFileSync(file, "utf8")) as Case[];

describe("binary KL", () => {
  test.each(CASES)("is what 60 digits give: %o", ({ rollout, trainer, ...one }) => {
    for (const [statistic, wanted] of [
      ["binary_kl", one.binary_kl],
      ["binary_kl_reverse", one.binary_kl_reverse],
    ] as const) {
      const { probBound, restShift } = one;
      const figure = { statistic, ...(probBound && { probBound }), ...(restShift && { restShift }) };
      const value = tokenStatistic(figure, rollout, trainer);
      // A shift leaves terms of opposite signs.
      const allowed = 1e-12 * Math.abs(wanted) + (restShift ? 1e-22 : 0);
      expect(Math.abs(value - wanted), `${statistic}: ${value} for ${wanted}`).toBeLessThanOrEqual(allowed);
    }
  });

  it("is the plain formula where that is accurate", () => {
    fc.assert(
      fc.property(prob, prob, guards, (p, q, guard) => {
        const [a, b] = [Math.log(p), Math.log(q)];
        const wanted = plain(a, b, guard);
        expect(Math.abs(binaryKl(a, b, guard) - wanted)).toBeLessThan(1e-14 + 1e-11 * Math.abs(wanted));
      }),
      { numRuns: 2000 },
    );
  });

  it("keeps its digits where the policies nearly agree, at any probability", () => {
    const near = fc.double({ min: -0.2, max: 0.2, noNaN: true });
    fc.assert(
      fc.property(logProb, near, (a, share) => {
        // The step is a share of the distance to 0, so that no probability passes 1.
        const b = a + share * Math.min(1, -a);
        const wanted = integral(a, b);
        expect(Math.abs(binaryKl(a, b) - wanted)).toBeLessThanOrEqual(1e-10 * wanted);
      }),
      { numRuns: 300 },
    );
  });

  it("is p Δ² / (2 (1 − p)) for a tiny Δ, where the plain formula has no digit left", () => {
    for (const [a, delta] of [
      [Math.log(0.5), 1e-9],
      [-20, 1e-9],
      [-1e-6, 1e-12],
    ] as const) {
      const [b, p] = [a + delta, Math.exp(a)];
      const wanted = (p * (b - a) ** 2) / (2 * -Math.expm1(a));
      expect(binaryKl(a, b) / wanted).toBeCloseTo(1, 5);
    }
    expect(plain(-20, -20 + 1e-9)).not.toBeCloseTo(binaryKl(-20, -20 + 1e-9), 28);
  });

  it("never lets a guarded or exact value be negative without a shift", () => {
    fc.assert(
      fc.property(logProb, logProb, fc.constantFrom({}, { probBound: 1e-6 }), (a, b, guard) => {
        expect(binaryKl(a, b, guard)).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  test.each([
    // p = 1: only the token's own term is left.
    [0, -2, {}, 2],
    [0, 0, {}, 0],
    // p = 0: only the others' term is left.
    [-800, Math.log(0.5), {}, Math.LN2],
    [Number.NEGATIVE_INFINITY, Math.log(0.5), {}, Math.LN2],
    // The second coin rules out what the first allows.
    [-1e-7, 0, {}, Number.POSITIVE_INFINITY],
    [-1, Number.NEGATIVE_INFINITY, {}, Number.POSITIVE_INFINITY],
    // Guards keep rounding to 0 and 1 from deciding.
    [-1e-7, 0, { probBound: 1e-6 }, 0],
    [0, -2, { restShift: 1e-8 }, 2],
    [Math.log(0.99), 0, { restShift: 1e-8 }, plain(Math.log(0.99), 0, { restShift: 1e-8 })],
    [-1, Number.NEGATIVE_INFINITY, { probBound: 1e-6 }, plain(-1, -800, { probBound: 1e-6 })],
  ])("of log-probs %d and %d with %o is %d", (a, b, guard, wanted) => {
    const value = binaryKl(a, b, guard);
    if (Number.isFinite(wanted)) expect(value).toBeCloseTo(wanted, 12);
    else expect(value).toBe(wanted);
  });

  it("is NaN for what is no log-prob", () => {
    const infinite = Number.NEGATIVE_INFINITY;
    for (const [a, b] of [
      [Number.NaN, -1],
      [-1, Number.NaN],
      [infinite, infinite],
      [-1, 0.1],
      [0.1, -1],
      [0.1, 0.2],
    ] as const)
      expect(binaryKl(a, b)).toBeNaN();
    // A clamp takes it for certain, as trainers do.
    expect(binaryKl(0.1, 0.2, { probBound: 1e-6 })).toBe(0);
  });
});

describe("the bound without exponentials", () => {
  it("is never below the value", () => {
    fc.assert(
      fc.property(logProb, fc.double({ min: -1, max: 1, noNaN: true }), guards, (a, share, guard) => {
        const b = Math.min(0, a + share * Math.min(1, -a));
        const bound = binaryKlBound(a, b, "restShift" in guard);
        expect(bound).toBeGreaterThanOrEqual(binaryKl(a, b, guard));
        expect(bound).toBeGreaterThanOrEqual(binaryKl(b, a, guard));
      }),
      { numRuns: 5000 },
    );
  });

  it("is small where the policies agree, and infinite where it says nothing", () => {
    expect(binaryKlBound(-1, -1)).toBe(0);
    expect(binaryKlBound(-0.5, -0.5001)).toBeLessThan(1e-7);
    expect(binaryKlBound(-1, -3)).toBe(Number.POSITIVE_INFINITY);
    expect(binaryKlBound(-1e-7, 0)).toBe(Number.POSITIVE_INFINITY);
    expect(binaryKlBound(0.1, -0.1)).toBe(Number.POSITIVE_INFINITY);
    expect(binaryKlBound(Number.NaN, -1)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("guards of a rule", () => {
  test.each([
    "mask:token.k3:..1:prob=1e-6",
    "mask:token.binary_kl:..1:prob=0.5",
    "mask:token.binary_kl:..1:prob=0",
    "mask:token.binary_kl:..1:shift=1",
    "mask:token.binary_kl:..1:shift=0",
    "mask:token.binary_kl:..1:prob=1e-6:shift=2",
  ])("%s is refused", (text) => {
    expect(() => parseCorrection(text)).toThrow(UsageError);
    expect(() => parseCorrection(text)).toThrow(/^step 1 \(mask\) has a guard that it cannot take/);
  });

  test.each(["mask:token.binary_kl:..1:prob=0.49", "mask:token.binary_kl_reverse:..1:prob=1e-6:shift=1e-8"])(
    "%s is taken",
    (text) => {
      expect(() => parseCorrection(text)).not.toThrow();
    },
  );
});
