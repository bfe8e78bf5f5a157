import { describe, expect, it } from "vitest";
import type { Correction, Measure, Reject, Step, Weight } from "../neutral/correction.ts";
import {
  findMeasure,
  looksAtRawWeights,
  measuresWeight,
  tightenLogBound,
  withinReach,
  withinSafety,
} from "./neutral-steps.ts";
import { boundsOfClamped, makeBounds } from "./read-setting.ts";

const TOKEN: Weight = { level: "token", aggregation: "sum" };
const SEQUENCE: Weight = { level: "sequence", aggregation: "sum" };
const RATIO: Measure = { statistic: "ratio", level: "sequence", aggregation: "sum" };

describe("a clamp that a trainer always makes", () => {
  it("is met by a bound as wide as it, and by none", () => {
    expect([undefined, 20, 21, Infinity].map((bound) => withinSafety(bound, 20))).toEqual(
      Array(4).fill(true),
    );
    expect(withinSafety(19.9, 20)).toBe(false);
  });

  it("of a token's weight is the tighter of the clamps of Δ and of the log of the weight, for there Δ is that log", () => {
    expect(tightenLogBound(TOKEN)).toBeUndefined();
    expect(tightenLogBound({ ...TOKEN, logBound: 5 })).toBe(5);
    expect(tightenLogBound({ ...TOKEN, deltaBound: 3 })).toBe(3);
    expect(tightenLogBound({ ...TOKEN, deltaBound: 3, logBound: 5 })).toBe(3);
    expect(tightenLogBound({ ...TOKEN, deltaBound: 7, logBound: 5 })).toBe(5);
    expect(tightenLogBound({ ...SEQUENCE, deltaBound: 3, logBound: 5 })).toBe(5);
    expect(tightenLogBound({ ...SEQUENCE, deltaBound: 3 })).toBeUndefined();
  });

  it("does not matter to bounds that bind before it does", () => {
    const limit = Math.exp(2);
    const reach = (lower?: number, upper?: number) => withinReach(makeBounds(lower, upper), TOKEN, 2);
    expect([reach(undefined, limit), reach(0, limit), reach(-1, 1), reach(1 / limit, limit)]).toEqual(
      Array(4).fill(true),
    );
    expect(reach(undefined, limit * 1.01)).toBe(false);
    expect(reach(0.99 / limit, limit)).toBe(false);
    expect(reach(0.5)).toBe(false);
    expect(withinReach({ lower: 0.5 }, { ...TOKEN, logBound: 2 }, 2)).toBe(true);
  });

  it("leaves only those bounds that it does not keep from binding", () => {
    expect(boundsOfClamped(0.5, 2, 1)).toEqual({ lower: 0.5, upper: 2 });
    expect(boundsOfClamped(Math.exp(-1), 2, 1)).toEqual({ upper: 2 });
    expect(boundsOfClamped(0.5, Math.exp(1), 1)).toEqual({ lower: 0.5 });
    expect(boundsOfClamped(0.1, 9, 1)).toBeUndefined();
    expect(boundsOfClamped(undefined, undefined, 1)).toBeUndefined();
  });
});

describe("what a rejection measures", () => {
  const mask = (change: Partial<Reject> = {}): Reject => ({
    action: "mask",
    measure: RATIO,
    upper: 2,
    ...change,
  });

  it("is its own measure, or the weight's ratio spelled out", () => {
    expect(findMeasure(mask(), undefined)).toBe(RATIO);
    expect(findMeasure(mask({ measure: "weight" }), SEQUENCE)).toEqual(RATIO);
    expect(findMeasure(mask({ measure: "weight" }), { ...TOKEN, deltaBound: 20 })).toEqual({
      statistic: "ratio",
      ...TOKEN,
      deltaBound: 20,
    });
  });

  it.each<[why: string, step: Reject, weight: Weight | undefined]>([
    ["it asks for advantages", mask({ when: "negative" }), SEQUENCE],
    ["it asks for single tokens", mask({ only: "diverging tokens" }), SEQUENCE],
    ["it measures what earlier steps left", mask({ measure: { ...RATIO, over: "kept" } }), SEQUENCE],
    ["the weight is of what earlier steps left", mask({ measure: "weight" }), { ...SEQUENCE, over: "kept" }],
    ["there is no weight", mask({ measure: "weight" }), undefined],
  ])("is none where %s", (_, step, weight) => {
    expect(findMeasure(step, weight)).toBeUndefined();
  });

  it("is the weight's ratio at the same level, put together alike unless tokens stand alone", () => {
    const mean = { ...RATIO, aggregation: "mean" } as const;
    const token = { ...mean, level: "token" } as const;
    expect([measuresWeight(RATIO, SEQUENCE), measuresWeight(token, TOKEN)]).toEqual([true, true]);
    expect(measuresWeight(mean, SEQUENCE)).toBe(false);
    expect(measuresWeight(token, SEQUENCE)).toBe(false);
    expect(measuresWeight({ ...RATIO, statistic: "k2" }, SEQUENCE)).toBe(false);
  });
});

describe("rejections that look at weights", () => {
  const look: Step = { action: "mask", measure: "weight", upper: 2 };
  const own: Step = { action: "mask", measure: RATIO, upper: 2 };
  const changes: readonly Step[] = [
    { action: "truncate", upper: 2 },
    { action: "zero", measure: RATIO, upper: 2 },
    { action: "normalize", over: "token" },
  ];
  const raw = (...steps: Step[]) => looksAtRawWeights({ weight: TOKEN, steps } satisfies Correction);

  it.each(changes)("see raw ones before $action, and changed ones after it", (change) => {
    expect(raw(look, change)).toBe(true);
    expect(raw(own, change, own)).toBe(true);
    expect(raw(change, own)).toBe(true);
    expect(raw(own, change, look)).toBe(false);
    expect(raw(change, own, look)).toBe(false);
  });

  it("see raw ones where nothing changes them", () => {
    expect(raw()).toBe(true);
    expect(raw(own, look, look)).toBe(true);
  });
});
