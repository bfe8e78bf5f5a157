import { expect, it } from "vitest";
import type { Correction } from "../../trainers/neutral/correction.ts";
import type { NamedCorrection } from "./named-correction.ts";
import { paretoFront } from "./pareto.ts";

type Point = readonly [name: string, ess: number, mass: number, aggregation?: "mean"];

function front(...points: readonly Point[]): string[] {
  const figures = points.map(([name, ess_tokens, mass_moved]) => ({ name, ess_tokens, mass_moved }));
  const corrections = points.map(([name, , , aggregation]) => {
    const weight = { level: "sequence", aggregation: aggregation ?? "sum" } as const;
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
      ["geometric", 0.99, 0, "mean"],
      ["nan", Number.NaN, 0],
      ["endless", 0.9, Infinity],
      ["a", 0.5, 0.1],
    ),
  ).toEqual(["a"]);
});
