import { describe, expect, it } from "vitest";
import { makeView } from "../sample/view.test-data.ts";
import { measureScale, removeScale } from "./scale.ts";
import { drawWords, noisy, scale } from "./words.test-data.ts";

describe.each([20, 60])("a factor on the logits of %i words", (words) => {
  it.each([0.8, 0.94, 1.25])(
    "of %d is recovered: within 2 %% by entropies, within 3 %% without",
    (factor) => {
      const known = measureScale(drawWords({ words, trainer: scale(factor), hasEntropies: true }))!;
      expect(known.by).toBe("entropies");
      expect(Math.abs(known.tau - Math.log(factor))).toBeLessThan(0.02);
      expect(known.explained).toBeGreaterThan(0.99);
      const fitted = measureScale(drawWords({ words, trainer: scale(factor) }))!;
      expect(fitted.by).toBe("alternatives");
      expect(Math.abs(fitted.tau - Math.log(factor))).toBeLessThan(0.03);
      expect(fitted.explained).toBeGreaterThan(0.85);
      // One to as many others as there are.
      expect(fitted.alternatives).toBeGreaterThan(0);
      expect(fitted.alternatives).toBeLessThan(Math.log(words));
    },
  );

  it("is the other way round on the other side", () => {
    const { tau } = measureScale(drawWords({ words, rollout: scale(1.25), hasEntropies: true }))!;
    expect(Math.abs(tau + Math.log(1.25))).toBeLessThan(0.02);
  });
});

it("of noise there is none: it explains nothing", () => {
  const { tau, explained } = measureScale(drawWords({ trainer: noisy(0.1) }))!;
  expect(Math.abs(tau)).toBeLessThan(0.01);
  expect(explained).toBeLessThan(0.02);
});

it("is smaller at sure tokens where a cap bends the logits", () => {
  const cap = (logits: readonly number[]) => logits.map((logit) => 20 * Math.tanh(logit / 20));
  const { curvature } = measureScale(drawWords({ trainer: cap }))!;
  expect(curvature).toBeLessThan(-0.03);
  expect(measureScale(drawWords({ trainer: scale(0.8) }))!.curvature).toBeGreaterThan(-0.005);
});

it("by entropies of another distribution is not believed", () => {
  const view = drawWords({ trainer: scale(0.8), hasEntropies: true });
  for (const { rolloutEntropy, trainerEntropy } of view.rows) {
    rolloutEntropy!.fill(5);
    trainerEntropy!.fill(5);
  }
  expect(measureScale(view)!.by).toBe("alternatives");
});

it("needs thirty tokens that are not certain", () => {
  const of = (count: number) => {
    const rollout = Array.from({ length: count }, (_, t) => -0.2 - t / 20);
    return measureScale(
      makeView([{ rollout: [...rollout, -1e-6], trainer: [...rollout.map((a) => 1.1 * a), -1] }]),
    );
  };
  expect(of(29)).toBeNull();
  expect(of(30)).not.toBeNull();
});

it("can be taken away: only noise is left", () => {
  for (const hasEntropies of [true, false]) {
    const view = drawWords({ trainer: scale(1.1), hasEntropies });
    const left = removeScale(view, measureScale(view)!);
    const size = (values: Float64Array): number => values.reduce((sum, value) => sum + value ** 2, 0);
    expect(size(left)).toBeLessThan((hasEntropies ? 0.01 : 0.3) * size(view.d));
  }
});
