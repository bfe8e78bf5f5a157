import { describe, expect, it } from "vitest";
import { ChangeProcess } from "./change-process.ts";

const LOG = Math.log;

describe("the evidence of a change", () => {
  it("is 0 nats before the first step, and of steps that say nothing", () => {
    const process = new ChangeProcess(2);
    expect(process.read()).toEqual({ logEvidence: 0, since: Number.NaN });
    for (let step = 10; step < 20; step++) expect(process.add(step, [0, 0]).logEvidence).toBeCloseTo(0, 12);
  });

  it("sums the wealth of every start, whose shares are 1/(j(j + 1)), and the stake still to come", () => {
    const process = new ChangeProcess(1);
    // Half the stake doubles, half waits.
    expect(process.add(5, [LOG(2)]).logEvidence).toBeCloseTo(LOG(1 + 1 / 2), 12);
    expect(process.add(6, [LOG(3)]).logEvidence).toBeCloseTo(LOG(3 * (1 + 1 / 6) + 1 / 3), 12);
    expect(process.add(7, [LOG(1 / 4)]).logEvidence).toBeCloseTo(LOG((3.5 + 1 / 12) / 4 + 1 / 4), 12);
  });

  it("divides the stake among the ways of betting, and takes one that is not given for a factor of 1", () => {
    const process = new ChangeProcess(2);
    expect(process.add(1, [LOG(2), LOG(6)]).logEvidence).toBeCloseTo(LOG((1 + 3) / 2 + 1 / 2), 12);
    expect(new ChangeProcess(2).add(1, [LOG(2)]).logEvidence).toBeCloseTo(LOG((1 + 1 / 2) / 2 + 1 / 2), 12);
  });

  it("names the start with the largest wealth, of the bet that won most", () => {
    const process = new ChangeProcess(2);
    const since = (step: number, factors: readonly number[]): number =>
      process.add(step, factors.map(LOG)).since;
    expect(since(10, [1, 0.9])).toBe(10);
    // 0.5 × 0.05 of the start at 10 is more than 1/6 × 0.05 of one at 20.
    expect(since(20, [0.05, 0.05])).toBe(10);
    expect(since(30, [5, 2])).toBe(30);
    expect(since(40, [5, 2])).toBe(30);
    expect(since(50, [0.001, 9])).toBe(30);
  });

  it("takes the later of two starts with the same wealth", () => {
    const process = new ChangeProcess(1);
    process.add(1, [LOG(1 / 3)]);
    expect(process.add(2, [LOG(2)]).since).toBe(2);
  });
});
