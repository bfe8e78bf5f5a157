import { describe, expect, it } from "vitest";
import { parseFilter } from "../../../src/analyses/filter/filter.ts";
import { madeTable } from "../../../src/analyses/filter/made-table.test-data.ts";
import type { TokenMatches } from "../../../src/results/wire/matches.ts";
import { orderedSequences, parseSort, sortedBy, textRanks } from "./sequence-order.ts";

const table = madeTable([
  { step: 1, row: 0, group: "b", reward: 1, correct: 1, tokens: 10, delta_abs_mean: 0.1, delta_abs_max: 1 },
  { step: 1, row: 1, group: "b", reward: 0, correct: 0, tokens: 30, delta_abs_mean: 0.3, delta_abs_max: 4 },
  { step: 2, row: 0, group: "b", reward: 1, correct: 1, tokens: 20, delta_abs_mean: 0.2, delta_abs_max: 2 },
  { step: 2, row: 1, tokens: 0 },
  { step: 2, row: 2, group: "a10", reward: 1, correct: 0, tokens: 20, delta_abs_mean: 0.5, delta_abs_max: 3 },
  { step: 2, row: 3, group: "a9", tokens: 1, delta_abs_mean: 0.5, delta_abs_max: 3 },
]);
const all = Uint32Array.of(0, 1, 2, 3, 4, 5);

describe("the order of sequences", () => {
  it("puts missing values last in either direction, and keeps the order of equal ones", () => {
    const { delta_abs_mean: values } = table.columns;
    expect([...sortedBy(all, values, true)]).toEqual([4, 5, 1, 2, 0, 3]);
    expect([...sortedBy(all, values, false)]).toEqual([0, 2, 1, 4, 5, 3]);
  });

  it("reads numbers in texts as numbers", () => {
    expect([...sortedBy(all, textRanks(table, "group"), false)]).toEqual([5, 4, 0, 1, 2, 3]);
  });

  it("sorts 100,000 rows", () => {
    const values = Float64Array.from({ length: 100_000 }, (_, i) => (Math.sin(i * 12.9898) * 43758.5453) % 1);
    const rows = Uint32Array.from(values, (_, i) => i);
    const sorted = sortedBy(rows, values, true);
    expect(Float64Array.from(sorted, (row) => values[row]!)).toEqual(values.toSorted().reverse());
    expect(new Set(sorted).size).toBe(rows.length);
  });

  it("is the address's (filter, steps and sort), by default worst first", () => {
    expect([...orderedSequences(table, {})]).toEqual([1, 4, 5, 2, 0, 3]);
    expect([...orderedSequences(table, { steps: "2..2", sort: "abs" })]).toEqual([2, 4, 5, 3]);
    expect([...orderedSequences(table, { filter: "correct:no", sort: "-sequence" })]).toEqual([4, 1]);
    expect([...orderedSequences(table, { sort: "group" })]).toEqual([5, 4, 0, 1, 2, 3]);
  });

  it("keeps a sequence without matching tokens if an alternative has no terms on tokens", () => {
    const matches = { sequences: Uint32Array.of(0), counts: Uint32Array.of(3) } as TokenMatches;
    const rows = (filter: string): number[] => [
      ...orderedSequences(table, { filter, sort: "sequence" }, parseFilter(filter), matches),
    ];
    expect(rows("turn:1")).toEqual([0]);
    expect(rows("turn:1 | correct:no")).toEqual([0, 1, 4]);
    expect(rows("(turn:1 | is:number) reward>=1 | group=a9")).toEqual([0, 5]);
    // The most matching tokens first; last, a sequence that matches as a whole without a matching token.
    expect([
      ...orderedSequences(table, { sort: "-matching" }, parseFilter("turn:1 | correct:no"), matches),
    ]).toEqual([0, 1, 4]);
  });

  it("applies chosen steps to every alternative", () => {
    expect([...orderedSequences(table, { filter: "correct:no | correct:yes", steps: "2..2" })]).toEqual([
      4, 2,
    ]);
  });

  it("by an unknown column is worst first", () => {
    expect(parseSort({ sort: "-toString" })).toEqual({ key: "worst", descending: true });
    expect(parseSort({ sort: "-ess" })).toEqual({ key: "ess", descending: true });
  });
});
