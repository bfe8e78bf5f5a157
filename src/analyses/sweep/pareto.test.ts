import { describe, expect, it } from "vitest";
import type { Correction } from "../../trainers/neutral/correction.ts";
import type { NamedCorrection } from "./named-correction.ts";
import { paretoFront } from "./pareto.ts";

type Point = readonly [
  name: string,
  ess: number,
  mass: number,
  more?: { scale?: number; aggregation?: "mean" },
];

function front(...points: readonly Point[]): string[] {
  const figures = points.map(([name, ess_tokens, mass_moved, more]) => {
    return { name, ess_tokens, mass_moved, weight_mean: more?.scale ?? 1 };
  });
  const corrections = points.map(([name, , , more]) => {
    const weight = { level: "sequence", aggregation: more?.aggregation ?? "sum" } as const;
    const correction: Correction = { weight, steps: [] };
    return { name, correction, methods: [] } as unknown as NamedCorrection;
  });
  return paretoFront(figures, corrections);
}

it("goes from the least mass moved to the most, each with more ESS than the one before", () => {
  expect(front(["c", 0.9, 0.3], ["a", 0.5, 0.1], ["b", 0.7, 0.2], ["beaten", 0.6, 0.25])).toEqual([
    "a",
    "b",
    "c",
  ]);
});

it("holds the better one of two that move the same mass, and the milder one of two with one ESS", () => {
  expect(front(["worse", 0.5, 0.1], ["better", 0.6, 0.1])).toEqual(["better"]);
  expect(front(["milder", 0.6, 0.1], ["harsher", 0.6, 0.2])).toEqual(["milder"]);
  expect(front(["harsher", 0.6, 0.2], ["milder", 0.6, 0.1])).toEqual(["milder"]);
});

it("lets the first stand for all that have the same two figures", () => {
  expect(front(["first", 0.6, 0.1], ["second", 0.6, 0.1])).toEqual(["first"]);
});

it("leaves out geometric means and what has no figures", () => {
  expect(
    front(
      ["geometric", 0.99, 0, { aggregation: "mean" }],
      ["nan", Number.NaN, 0],
      ["endless", 0.9, Infinity],
      ["a", 0.5, 0.1],
    ),
  ).toEqual(["a"]);
});

describe("the gradient's scale", () => {
  it("keeps a correction that scales less, though it has less ESS for what it moves", () => {
    expect(front(["kept", 0.6, 0.2], ["scaled", 0.7, 0.1, { scale: 0.8 }])).toEqual(["scaled", "kept"]);
    expect(front(["kept", 0.6, 0.2], ["enlarged", 0.7, 0.1, { scale: 1.25 }])).toEqual(["enlarged", "kept"]);
    expect(front(["kept", 0.8, 0.1], ["scaled", 0.7, 0.2, { scale: 0.8 }])).toEqual(["kept"]);
  });

  it("does not count where a learning rate is not chosen as finely", () => {
    expect(front(["kept", 0.6, 0.2], ["nearly", 0.7, 0.1, { scale: 0.96 }])).toEqual(["nearly"]);
  });

  it("leaves out even weights that are all close to 0, or all large", () => {
    for (const scale of [Math.exp(-20), 0.5, 2, 1e6, 0, Number.NaN])
      expect(front(["none", 0.5, 0], ["even", 1, 0, { scale }])).toEqual(["none"]);
    expect(front(["none", 0.5, 0], ["even", 1, 0, { scale: 0.51 }])).toEqual(["even", "none"]);
  });
});
