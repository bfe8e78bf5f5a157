import { describe, expect, it } from "vitest";
import { normal, seededRandom } from "../../../../test/support/calibration/claim.ts";
import { compareCheckpoints, type PromptDistances } from "./likelihood.ts";

const TOKENS = 20;
const SIGMA = 0.03;

/** Prompts whose tokens are `noise(prompt, token)` away from each of the checkpoints, in units of σ. */
function draw(
  prompts: number,
  noise: (prompt: number, token: number) => readonly number[],
): PromptDistances[] {
  return Array.from({ length: prompts }, (_, prompt) => {
    const unsure = Float64Array.from({ length: TOKENS }, (_, t) => 0.05 + 0.9 * (t / TOKENS));
    const tokens = Array.from({ length: TOKENS }, (_, t) => noise(prompt, t));
    const deltas = tokens[0]!.map((_, c) =>
      Float64Array.from(tokens, (of, t) => of[c]! * SIGMA * unsure[t]!),
    );
    return { unsure, deltas };
  });
}

describe("log-odds of checkpoints", () => {
  it("are 0 for the nearest, and at most 12 nats against another", () => {
    const random = seededRandom("far");
    const far = draw(20, () => [normal(random), 8 * normal(random)]);
    expect(compareCheckpoints(far, 0, SIGMA)).toEqual([0, -12]);
  });

  it("count a prompt once, however many tokens it has and however far off they are", () => {
    const random = seededRandom("one prompt");
    const one = draw(1, () => [normal(random), 100]);
    expect(compareCheckpoints(one, 0, SIGMA)).toEqual([0, -3]);
    const three = draw(3, () => [normal(random), 100]);
    expect(compareCheckpoints(three, 0, SIGMA)[1]).toBe(-9);
  });

  it("are not decided by single tokens that are far off, nor by one prompt against the others", () => {
    const random = seededRandom("outliers");
    const outlier = draw(20, (_, t) => {
      const noise = normal(random);
      return t === 3 ? [400, 300] : [noise, noise + 2 * normal(random)];
    });
    expect(compareCheckpoints(outlier, 0, SIGMA)[1]!).toBeLessThan(-10);
    const odd = draw(20, (prompt) => {
      const noise = normal(random);
      return prompt === 0 ? [200 * noise, noise] : [noise, 3 * noise];
    });
    expect(compareCheckpoints(odd, 0, SIGMA)[1]!).toBeLessThan(-10);
  });

  it("do not depend on the scale of exact scores", () => {
    const exact = draw(8, () => [0, 1]);
    expect(compareCheckpoints(exact, 0, 0)[1]).toBe(-12);
    expect(
      compareCheckpoints(
        draw(8, () => [0, 0]),
        0,
        0,
      ),
    ).toEqual([0, 0]);
  });

  it("are as often right as they say, also where tokens of a prompt depend on each other", () => {
    const random = seededRandom("calibration");
    const bins = new Map<number, { stated: number; right: number; n: number }>();
    for (let run = 0; run < 600; run++) {
      const truth = random() < 0.5 ? 0 : 1;
      let [shared, apart] = [0, 0];
      const prompts = draw(10, (_, t) => {
        if (t === 0) [shared, apart] = [normal(random), normal(random)];
        const noise = 0.6 * shared + 0.8 * normal(random);
        const other = noise + 0.3 * (0.6 * apart + 0.8 * normal(random));
        return truth === 0 ? [noise, other] : [other, noise];
      });
      const odds = compareCheckpoints(prompts, 0, SIGMA)[1]!;
      const second = 1 / (1 + Math.exp(-odds));
      const stated = Math.max(second, 1 - second);
      const bin = bins.get(Math.min(9, Math.floor(stated * 10))) ?? { stated: 0, right: 0, n: 0 };
      bins.set(Math.min(9, Math.floor(stated * 10)), bin);
      bin.n++;
      bin.stated += stated;
      bin.right += Number((odds > 0 ? 1 : 0) === truth);
    }
    // Up to three points too sure are within what few prompts can tell.
    for (const { stated, right, n } of bins.values()) {
      const chance = Math.sqrt((stated / n) * (1 - stated / n) * (1 / n));
      expect(stated / n - right / n).toBeLessThan(0.03 + 2.6 * chance);
    }
  });
});
