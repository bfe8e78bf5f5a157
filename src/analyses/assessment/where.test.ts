import { describe, expect, it } from "vitest";
import { sampleMetrics, sampleReport } from "../../../test/report/sample-report.ts";
import type { MismatchMetrics } from "../../results/report.ts";
import { findStandingParts, type PartSource } from "./where.ts";

const figures = (tokens: number, k3: number): MismatchMetrics => ({
  ...sampleMetrics(1, tokens),
  tokens,
  k3,
});

const total = (k3: number) => ({ ...sampleReport().metrics, ...figures(1000, k3) });

const NOTHING: PartSource = {
  metrics: total(0.001),
  per_correctness: [],
  per_turn: [],
  per_environment: [],
  per_rank: [],
  per_engine: [],
  per_staleness: [],
  per_position_decile: [],
};

/** Two parts: the first with these shares of the 1,000 tokens and of Σ k3 = 1. */
const halves = (tokens: number, k3: number): [MismatchMetrics, MismatchMetrics] => [
  figures(1000 * tokens, k3 / (1000 * tokens)),
  figures(1000 * (1 - tokens), (1 - k3) / (1000 * (1 - tokens))),
];

function turns(tokens: number, k3: number): Pick<PartSource, "per_turn"> {
  return { per_turn: halves(tokens, k3).map((own, turn) => ({ turn, ...own })) };
}

const kinds = (more: Partial<PartSource>): string[] =>
  findStandingParts({ ...NOTHING, ...more }).map(({ kind, name }) => `${kind} ${name}`);

describe("parts that stand out", () => {
  it("have their share of the tokens and of Σ k3", () => {
    const [part] = findStandingParts({ ...NOTHING, ...turns(0.2, 0.8) });
    expect(part).toMatchObject({ kind: "turn", name: "0" });
    expect(part!.token_share).toBeCloseTo(0.2, 12);
    expect(part!.k3_share).toBeCloseTo(0.8, 12);
  });

  it("hold 30 % of Σ k3 and half as much again as their tokens would", () => {
    expect(kinds(turns(0.1, 0.29))).toEqual([]);
    expect(kinds(turns(0.1, 0.31))).toEqual(["turn 0"]);
    expect(kinds(turns(0.5, 0.74))).toEqual([]);
    expect(kinds(turns(0.5, 0.76))).toEqual(["turn 0"]);
    // The other side of what is spared.
    expect(kinds(turns(0.5, 0.1))).toEqual(["turn 1"]);
  });

  it("are one of a kind, and none of a kind that has one part only", () => {
    const per_rank = [figures(200, 2e-3), figures(200, 2e-3), figures(600, 1e-4)].map((own, rank) => ({
      rank,
      ...own,
    }));
    expect(kinds({ per_rank })).toEqual(["rank 0"]);
    expect(kinds({ per_turn: [{ turn: 0, ...figures(100, 0.009) }] })).toEqual([]);
  });

  it("come in the order of what they add to the relative entropy, four at most", () => {
    const named = (tokens: number, k3: number) =>
      halves(tokens, k3).map((own, at) => ({ name: ["a", "b"][at]!, ...own }));
    const all = {
      per_correctness: named(0.5, 0.8),
      ...turns(0.1, 0.9),
      per_environment: named(0.2, 0.9),
      per_engine: named(0.3, 0.9),
      per_staleness: halves(0.25, 0.9).map((own, staleness) => ({ staleness, ...own })),
    };
    expect(kinds(all)).toEqual(["turn 0", "environment a", "staleness 0", "engine a"]);
  });

  it("are none where there is no mismatch", () => {
    for (const k3 of [0, Number.NaN]) {
      const metrics = total(k3);
      expect(findStandingParts({ ...NOTHING, ...turns(0.1, 0.9), metrics })).toEqual([]);
    }
  });
});
