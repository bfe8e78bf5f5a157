import { expect, test } from "vitest";
import { NATS } from "../../../ui/color-scale.ts";
import { madeSequence } from "./made-sequence.test-data.ts";
import { listMetrics } from "./metrics.ts";

const info = {
  scales: {
    ...{ delta: 0.4, k3: 0.1, prob_diff: 0.2, entropy: null, impact: 0.3 },
    largest: { delta: 8, k3: 5, prob_diff: 0.9, entropy: null, impact: 7 },
  },
};
const wire = madeSequence(["a", "b", "c", "d"], {
  mask: Uint8Array.of(1, 1, 0, 1),
  rollout: Float32Array.of(-1, -2, 0, -Infinity),
  trainer: Float32Array.of(-0.5, Number.NaN, -30, -Infinity),
  policies: { reference: Float32Array.of(-1.5, -1, -1, -1) },
});
const metric = (name: string) => listMetrics(info, wire).find((one) => one.name === name)!;

test("only what the sequence has values for is offered", () => {
  expect(listMetrics(info, wire).map(({ name }) => name)).toEqual([
    "delta",
    "rho",
    "k3",
    "dp",
    "logp",
    "trainer",
    "policy:reference",
  ]);
  const more = { ...wire, advantages: new Float32Array(4), rolloutEntropy: new Float32Array(4) };
  const names = listMetrics(info, more).map(({ name }) => name);
  for (const name of ["entropy", "advantage", "impact"]) expect(names).toContain(name);
});

test("missing, untrained and infinite values are distinct", () => {
  expect([...metric("delta").values(wire)]).toEqual([0.5, Number.NaN, Number.NaN, Infinity]);
});

test("formulas", () => {
  expect(metric("rho").values(wire)[0]).toBe(0.5);
  expect(metric("rho").figure!(0.5)).toBe(Math.exp(0.5));
  expect(metric("rho").show(0.5)).toBe("1.65");
  expect(metric("k3").values(wire)[0]).toBeCloseTo(Math.exp(0.5) - 0.5 - 1, 12);
  expect(metric("dp").values(wire)[0]).toBeCloseTo(Math.exp(-0.5) - Math.exp(-1), 12);
  expect(metric("policy:reference").values(wire)[0]).toBe(1);
  expect(metric("logp").values(wire)[0]).toBe(1);
  expect(metric("logp").show(1)).toBe("−1.00");
  expect(metric("logp").figure!(1)).toBe(-1);
});

test("the impact is what a token's weight in the gradient lacks", () => {
  const advantages = Float32Array.of(-2, 1, 1, 0);
  const impact = listMetrics(info, { ...wire, advantages }).find(({ name }) => name === "impact")!;
  const [first, missing, untrained, infinite] = impact.values(wire);
  expect(first).toBeCloseTo(-2 * (Math.exp(0.5) - 1), 12);
  expect([missing, untrained, infinite]).toEqual([Number.NaN, Number.NaN, 0]);
  expect(impact.ofRun).toEqual({ floor: 0, domain: 0.3, end: 7 });
});

test("the scale is fixed or the run's, never the sequence's", () => {
  expect(
    [metric("delta"), metric("rho"), metric("policy:reference")].map(({ anchored }) => anchored),
  ).toEqual([NATS, NATS, NATS]);
  expect(metric("delta").ofRun).toEqual({ floor: 0, domain: 0.4, end: 8 });
  expect(metric("rho").ofRun).toEqual(metric("delta").ofRun);
  expect([metric("k3").ofRun?.end, metric("logp").ofRun]).toEqual([5, undefined]);
  expect(listMetrics({ scales: { ...info.scales, delta: 0 } }, wire)[0]!.ofRun).toBeUndefined();
});

test("k3 at the ends of Δ's scale has about the same shades", () => {
  const k3 = (delta: number): number => Math.expm1(delta) - delta;
  const { floor, domain, end } = metric("k3").anchored;
  expect([k3(-NATS.floor), floor, k3(NATS.floor)]).toEqual(
    [...[k3(-NATS.floor), floor, k3(NATS.floor)]].sort(),
  );
  expect(k3(-NATS.domain)).toBeLessThan(domain);
  expect(k3(NATS.domain)).toBeGreaterThan(domain);
  expect(k3(-NATS.end)).toBeLessThan(end);
});
