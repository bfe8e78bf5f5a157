import { describe, expect, it } from "vitest";
import type { DroppedPart, SweepCorrection, SweepMetrics } from "../../results/sweep.ts";
import { recommend } from "./recommend.ts";

const METRICS: SweepMetrics = {
  sequences: 100,
  sequences_empty: 0,
  tokens: 10_000,
  turns_max: 1,
  groups: 50,
  corrections: 3,
  front: 2,
  delta_mean: 0,
  delta_std: 0.1,
  ess: 0.5,
  ess_seq: 0.1,
  ratio_outside: 0.01,
  reward_mean: 0.5,
  accuracy: 0.5,
};

const DROPPED: DroppedPart = {
  tokens: 100,
  tokens_share: 0.01,
  sequences: 1,
  sequences_share: 0.01,
  reward_dropped: 0.5,
  reward_kept: 0.5,
  reward_shift: 0,
  accuracy_dropped: 0.5,
  accuracy_kept: 0.5,
  accuracy_shift: 0,
  by_advantage: null,
  by_length: [],
  by_environment: [],
  groups_lost: 0,
} as unknown as DroppedPart;

function correction(
  name: string,
  ess_tokens: number,
  mass_moved: number,
  more: Partial<SweepCorrection> = {},
  dropped: Partial<DroppedPart> = {},
): SweepCorrection {
  return {
    name,
    correction_text: "",
    rule: "",
    preset: null,
    tokens_kept: 10_000,
    tokens_kept_share: 1,
    sequences_kept: 100,
    sequences_kept_share: 1,
    mass_lost: mass_moved,
    mass_moved,
    ess_tokens,
    ess_sequences: ess_tokens,
    weight_mean: 1,
    weight_max: 2,
    truncated_share: 0.01,
    token_budget: null,
    on_front: true,
    ...more,
    dropped: { ...DROPPED, ...dropped },
  };
}

const none = correction("none", 0.5, 0, { on_front: false });
const advise = (corrections: readonly SweepCorrection[], metrics: Partial<SweepMetrics> = {}) =>
  recommend([none, ...corrections], { ...METRICS, ...metrics });

describe("recommend, where the ratios are even", () => {
  const net = correction("token-tis 2", 0.995, 0.001, { truncated_share: 0.0003 });

  it("needs no correction from an ESS of 99 % on, with one in ten thousand tokens outside at most", () => {
    const { kind, name, reasons } = advise([net], { ess: 0.99, ratio_outside: 1e-4 });
    expect([kind, name]).toEqual(["none needed", "token-tis 2"]);
    expect(reasons[0]).toMatch(
      /^no correction is needed: .* ESS of 0\.990 and 0\.010 % of the tokens outside/,
    );
    expect(reasons[1]).toMatch(/safety net that touches 0\.030 % of the tokens here/);
    const untouched = advise([correction("token-tis 2", 1, 0, { truncated_share: 0 })], {
      ess: 0.999,
      ratio_outside: 0,
    });
    expect(untouched.reasons[0]).toContain("and no token outside [1/2, 2]");
    expect(untouched.reasons[1]).toContain("touches nothing here");
  });

  it("recommends the net for a few tokens beyond that, and says what no correction reaches", () => {
    const { kind, name, reasons } = advise([net], { ess: 0.99, ratio_outside: 1.01e-4 });
    expect([kind, name]).toEqual(["recommended", "token-tis 2"]);
    expect(reasons[0]).toMatch(
      /^the ratios are even except at a few tokens: .* 0\.990, and 0\.010 % of the tokens/,
    );
    expect(reasons[1]).toMatch(/drops nothing; no correction gets the ESS beyond 0\.9950,/);
  });

  it("chooses among corrections below 99 %", () => {
    expect(advise([correction("a", 0.995, 0.001)], { ess: 0.9899, ratio_outside: 0 }).name).toBe("a");
  });

  it("names the plain correction where the grid has no net", () => {
    expect(advise([correction("a", 0.995, 0.001)], { ess: 0.999, ratio_outside: 0 }).name).toBe("none");
  });
});

describe("recommend, among corrections within the limits", () => {
  it("takes the best ESS, and of those within 0.2 points of it the one that moves least", () => {
    const choose = (mild: number) =>
      advise([correction("best", 0.9, 0.04), correction("mild", mild, 0.01)]).name;
    expect(choose(0.8981)).toBe("mild");
    expect(choose(0.8979)).toBe("best");
    expect(choose(0.91)).toBe("mild");
  });

  it("says the ESS without and with it, what is dropped and what is moved", () => {
    const { kind, reasons } = advise([
      correction("a", 0.9, 0.03, {}, { groups_lost: 1, reward_shift: 0.012 }),
    ]);
    expect(kind).toBe("recommended");
    expect(reasons[0]).toMatch(
      /^a has the best ESS among the points of the Pareto front .*: 0\.500 without, 0\.900 with it$/,
    );
    expect(reasons[0]).toContain("give or take 0.2 %");
    expect(reasons[1]).toBe("it drops 1.0 % of the tokens and moves 3.0 % of the weight mass");
    expect(reasons[2]).toBe("it leaves 1 of 50 groups empty");
    expect(reasons[3]).toBe("what it drops moves the mean reward by 0.012 standard deviations");
    expect(reasons.at(-1)).toMatch(
      /^limits: at most 5 % of tokens dropped, 5 % of mass moved, 5 % of weights clamped, a gradient scaled by 20 %, 2 % of groups empty, 0\.05 standard/,
    );
  });

  it("says that nothing is dropped, and then nothing of groups and rewards", () => {
    const { reasons } = advise([
      correction("a", 0.9, 0.03, {}, { tokens: 0, tokens_share: 0, reward_shift: 0.01 }),
    ]);
    expect(reasons[1]).toMatch(/^it drops no token and moves 3\.0 % of the weight mass$/);
    expect(reasons.join("; ")).not.toMatch(/groups are left|what it drops/);
  });

  it("speaks of the accuracy where there are no rewards", () => {
    const { reasons } = advise([
      correction("a", 0.9, 0.03, {}, { reward_shift: null, accuracy_shift: -0.02 }),
    ]);
    expect(reasons.join("; ")).toContain("moves the mean accuracy by -0.020 standard deviations");
  });

  it("looks off the front only where nothing on it fits", () => {
    const off = correction("off", 0.95, 0.02, { on_front: false });
    expect(advise([correction("front", 0.8, 0.02), off]).name).toBe("front");
    const found = advise([correction("front", 0.8, 0.06), off]);
    expect(found.name).toBe("off");
    expect(found.reasons[0]).toContain(
      "among all corrections (no point of the front keeps within the limits)",
    );
  });

  it("leaves out what has no ESS, and what has no more than there was", () => {
    expect(advise([correction("odd", Number.NaN, 0.01), correction("a", 0.6, 0.01)]).name).toBe("a");
    const { kind, name } = advise([correction("same", 0.5, 0.01)]);
    expect([kind, name]).toEqual(["none fits", "same"]);
  });
});

describe("each limit of a recommendation", () => {
  type Case = [
    what: string,
    at: (of: number) => SweepCorrection,
    limit: number,
    words: RegExp,
    metrics?: Partial<SweepMetrics>,
  ];
  const cases: Case[] = [
    [
      "tokens dropped",
      (of) => correction("a", 0.9, 0.01, {}, { tokens_share: of }),
      0.05,
      /it drops 5\.\d+ % of the tokens/,
    ],
    ["mass moved", (of) => correction("a", 0.9, of), 0.05, /it moves 5\.\d+ % of the weight mass/],
    [
      "weights clamped",
      (of) => correction("a", 0.9, 0.01, { truncated_share: of }),
      0.05,
      /it clamps 5\.\d+ % of the weights/,
    ],
    [
      "gradient scaled down",
      (of) => correction("a", 0.9, 0.01, { weight_mean: Math.exp(-of * (1 - 1e-12)) }),
      0.2,
      /it scales the gradient by 0\.809/,
    ],
    [
      "gradient scaled up",
      (of) => correction("a", 0.9, 0.01, { weight_mean: Math.exp(of * (1 - 1e-12)) }),
      0.2,
      /it scales the gradient by 1\.236/,
    ],
    [
      "groups left empty",
      (of) => correction("a", 0.9, 0.01, {}, { groups_lost: of * 1000 }),
      0.02,
      /it leaves 2\.\d+ % of the groups empty/,
      { groups: 1000 },
    ],
    [
      "reward moved up",
      (of) => correction("a", 0.9, 0.01, {}, { reward_shift: of, accuracy_shift: 0 }),
      0.05,
      /it moves the mean reward by 0\.053 standard/,
    ],
    [
      "reward moved down",
      (of) => correction("a", 0.9, 0.01, {}, { reward_shift: -of }),
      0.05,
      /it moves the mean reward by -0\.053 standard/,
    ],
    [
      "accuracy moved",
      (of) => correction("a", 0.9, 0.01, {}, { reward_shift: null, accuracy_shift: of }),
      0.05,
      /it moves the mean accuracy by 0\.053 standard/,
    ],
  ];

  it.each(cases)(
    "%s: kept at it, broken beyond it, near from four fifths on",
    (_, at, limit, words, metrics) => {
      const kept = advise([at(limit)], metrics);
      expect(kept.kind).toBe("recommended");
      expect(kept.reasons.join("; ")).toContain("it is close to a limit that other prompts or later steps");
      expect(advise([at(limit * 0.801)], metrics).reasons.join("; ")).toContain("close to a limit");
      expect(advise([at(limit * 0.799)], metrics).reasons.join("; ")).not.toContain("close to a limit");
      const broken = advise([at(limit * 1.06)], metrics);
      expect([broken.kind, broken.name]).toEqual(["none fits", "a"]);
      expect(broken.reasons.find((reason) => reason.startsWith("it breaks a limit:"))).toMatch(words);
    },
  );

  it("is not asked of what is not known", () => {
    const unknown = { reward_shift: null, accuracy_shift: null, groups_lost: null };
    expect(advise([correction("a", 0.9, 0.01, {}, unknown)]).kind).toBe("recommended");
    expect(advise([correction("a", 0.9, 0.01, {}, { groups_lost: 40 })], { groups: null }).kind).toBe(
      "recommended",
    );
  });
});

describe("recommend, where no correction keeps within the limits", () => {
  it("names the point of the front that moves least, each limit it breaks, and where to look", () => {
    const { kind, name, reasons } = advise([
      correction("far", 0.95, 0.3),
      correction("mild", 0.7, 0.1, {}, { tokens_share: 0.2 }),
      correction("off", 0.9, 0.07, { on_front: false }),
    ]);
    expect([kind, name]).toEqual(["none fits", "mild"]);
    expect(reasons).toEqual([
      "no correction raises the ESS of 0.500 within the limits; of those that raise it, mild moves the least",
      "it breaks a limit: it drops 20.0 % of the tokens",
      "it breaks a limit: it moves 10.0 % of the weight mass",
      "look for the cause of the mismatch first: logratio report",
    ]);
  });

  it("recommends nothing where nothing raises the ESS", () => {
    const { kind, name, reasons } = advise([correction("off", 0.4, 0.2, { on_front: false })]);
    expect([kind, name]).toEqual(["none fits", "none"]);
    expect(reasons[0]).toBe("no correction of this grid raises the ESS of 0.500");
    expect(reasons.at(-1)).toContain("look for the cause");
  });
});
