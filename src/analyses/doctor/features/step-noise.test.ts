import { expect, it } from "vitest";
import { makeView } from "../sample/view.test-data.ts";
import { measureStepNoise } from "./step-noise.ts";

/** Ten sequences of a hundred tokens at p = ½, off by ±delta in turns. */
const step = (number: number, delta: number, rows = 10) =>
  Array.from({ length: rows }, () => ({
    step: number,
    rollout: Array.from({ length: 100 }, () => Math.log(0.5)),
    trainer: Array.from({ length: 100 }, (_, t) => Math.log(0.5) + (t % 2 === 0 ? delta : -delta)),
  }));
const noise = (deltas: readonly number[], rows = 10) =>
  measureStepNoise(makeView(deltas.flatMap((delta, k) => step(k, delta, rows))));

it("is the median step's, whatever one bad step has", () => {
  const sigma = (delta: number): number => (Math.sqrt(Math.PI / 2) * delta) / 0.5;
  expect(noise([0.01, 0.02, 0.03, 0.04, 5])).toBeCloseTo(sigma(0.03), 9);
});

it("is unknown of fewer than five steps, and of steps with too little in them", () => {
  expect(noise([0.01, 0.02, 0.03, 0.04])).toBeNull();
  expect(noise([0.01, 0.02, 0.03, 0.04, 0.05], 9)).toBeNull();
});

it("leaves out sequences without a step", () => {
  expect(measureStepNoise(makeView(step(Number.NaN, 0.1)))).toBeNull();
});
