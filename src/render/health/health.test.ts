import { describe, expect, it } from "vitest";
import type { FlatGroupsCheck, RewardLengthCheck, TruncationCheck } from "../../results/health.ts";
import { healthPicture } from "./pictures.ts";
import { healthTable } from "./tables.ts";
import { describeCheck, describeLimit } from "./words.ts";

const FLAT: FlatGroupsCheck = {
  id: "flat_groups",
  outcome: "beyond",
  value: 0.75,
  limit: 0.5,
  groups: 96,
  flat: 72,
  flat_best: 50,
  flat_worst: 20,
  per_step: [
    { step: 1, count: 30, of: 48 },
    { step: 2, count: 42, of: 48 },
  ],
};
const CUT: TruncationCheck = {
  id: "truncation",
  outcome: "within",
  value: 0.05,
  limit: 0.1,
  basis: "finish_reason",
  sequences: 200,
  truncated: 10,
  longest: 512,
  reward_truncated: 0.1,
  reward_rest: 0.6,
  reasons: ["length"],
  per_step: [{ step: null, count: 10, of: 200 }],
};
const LENGTH: RewardLengthCheck = {
  id: "reward_length",
  outcome: "beyond",
  value: -0.5,
  limit: 0.3,
  sequences: 768,
  interval: [-0.55, -0.44],
  within: "group",
  tenths: [
    { shortest: 1, longest: 8, sequences: 77, reward_mean: 0.9 },
    { shortest: 8, longest: 8, sequences: 77, reward_mean: 0.8 },
    { shortest: 9, longest: 40, sequences: 77, reward_mean: 0.2 },
  ],
};

describe("the health of a run in words", () => {
  it("says how many groups teach nothing, and at which end of the rewards they are", () => {
    expect(describeCheck(FLAT)).toBe(
      "72 of 96 prompt groups (75.0 %) have the same reward in every sample: 50 at the best reward, 20 at the worst. Their advantages are 0, so they do not reach the policy gradient.",
    );
    expect(describeCheck({ ...FLAT, flat_best: 0, flat_worst: 0 })).not.toContain("best");
    expect(describeCheck({ ...FLAT, outcome: "unknown" })).toContain("two or more known rewards");
    expect(describeLimit(FLAT)).toContain("Limit 50 %, chosen");
  });

  it("says which responses were truncated, and when that is a guess", () => {
    expect(describeCheck(CUT)).toBe(
      "10 of 200 responses (5.0 %) were truncated (finish reason length). Their mean reward is 0.100, that of the others 0.600.",
    );
    const guessed = describeCheck({ ...CUT, basis: "longest", reward_rest: null });
    expect(guessed).toContain("have exactly the largest length, 512 tokens, and were probably truncated");
    expect(guessed).not.toContain("mean reward");
    expect(describeCheck({ ...CUT, outcome: "unknown", basis: null })).toContain("no finish reasons");
  });

  it("says whether longer responses are rewarded more or less", () => {
    expect(describeCheck(LENGTH)).toBe(
      "Of responses to the same prompt, longer ones are rewarded less: correlation -0.500 (95 % interval -0.550 to -0.440) over 768 sequences.",
    );
    const step = describeCheck({ ...LENGTH, value: 0.5, interval: [0.44, 0.55], within: "step" });
    expect(step).toContain(
      "Of responses in the same step, longer ones are rewarded more: correlation +0.500",
    );
  });

  it("says how old the oldest tokens are", () => {
    const parts = [{ staleness: 7, tokens: 10, delta_abs_mean: 0.1 }];
    const stale = {
      id: "staleness",
      outcome: "beyond",
      value: 7,
      limit: 4,
      tokens: 10,
      mean: 2.5,
      parts,
    } as const;
    expect(describeCheck(stale)).toBe(
      "The oldest tokens were sampled 7 versions before the step that trained on them, 2.50 on average.",
    );
    expect(describeLimit(stale)).toContain("Limit 4 versions");
    expect(describeCheck({ ...stale, outcome: "unknown", value: null })).toContain("no weight versions");
    expect(healthTable(stale).columns.map(({ cells }) => cells[0])).toEqual(["7", "10", "100.0 %", "0.100"]);
  });
});

describe("the parts of a check", () => {
  it("are rows by step with their share, or tenths with their reward", () => {
    expect(healthTable(FLAT).columns.map(({ cells }) => cells[1])).toEqual(["2", "48", "42", "87.5 %"]);
    expect(healthTable(CUT).columns[0]!.cells).toEqual(["n/a"]);
    expect(healthTable(LENGTH).columns.map(({ cells }) => cells[2])).toEqual(["9 to 40", "77", "0.200"]);
  });

  it("are drawn where there are two places to draw", () => {
    expect(healthPicture(FLAT)).toContain("<svg");
    expect(healthPicture(CUT)).toBeUndefined();
    // Two tenths that end at the same length share one place.
    expect(healthPicture({ ...LENGTH, tenths: LENGTH.tenths.slice(0, 2) })).toBeUndefined();
    expect(healthPicture(LENGTH)).toContain("mean reward");
  });
});
