import { describe, expect, it } from "vitest";
import type { Factor } from "../../../core/statistics/factor.ts";
import type { SampledCluster } from "../../../core/summaries/sampled-clusters.ts";
import type { Fact } from "../../../results/report.ts";
import type { Comparisons } from "../standouts/index.ts";
import type { OutcomeContrast } from "../standouts/outcome.ts";
import type { Standout } from "../standouts/standout.ts";
import type { Trend } from "../standouts/trend.ts";
import { comparisonFacts } from "./comparisons.ts";
import { ordinal } from "./words.ts";

const CLUSTERS: SampledCluster[] = ["s1.q0", "s1.q1", "s2.q2"].map((handle, cluster) => ({
  cluster,
  sequences: [
    {
      handle,
      step: 1,
      rank: 0,
      correct: 1,
      environment: null,
      engine: null,
      finish: null,
      staleness: Number.NaN,
      turns: [10, 1],
      excess: [],
      deciles: [],
      jumps: 0,
      reward: Number.NaN,
      tokens: 10,
    },
  ],
}));

const NONE: Comparisons = {
  steps: [],
  ranks: [],
  environments: [],
  engines: [],
  finishReasons: [],
  staleness: [],
  turns: [],
  deciles: [],
  outcome: undefined,
  trend: undefined,
};

const factor = (of: number, more: Partial<Factor> = {}): Factor => ({
  factor: of,
  interval: { low: of / 2, high: of * 2 },
  leaveOneOut: { low: of / 1.25, high: of * 1.25 },
  largest: { cluster: 1, share: 0.1 },
  withoutLargest: of / 2,
  ...more,
});

const standout = <K extends string | number>(key: K, more: Partial<Standout<K>> = {}): Standout<K> => ({
  key,
  mean: 0.08,
  othersMean: 0.02,
  tokens: 100,
  factor: factor(4),
  p: 0.01,
  ...more,
});

const facts = (more: Partial<Comparisons>): Fact[] => comparisonFacts({ ...NONE, ...more }, CLUSTERS);
const only = (more: Partial<Comparisons>): Fact => {
  const all = facts(more);
  expect(all).toHaveLength(1);
  return all[0]!;
};

describe("a part that stands out", () => {
  it("is said of the first of each list, with its mean first and the others' after it", () => {
    const cases: [Partial<Comparisons>, kind: string, text: RegExp, subject: string | number][] = [
      [{ steps: [standout(7), standout(3)] }, "worst-step", /^Step 7 stands out: .* in the other steps,/, 7],
      [{ ranks: [standout(2), standout(0)] }, "rank", /^Rank 2 stands out: .* on the other ranks,/, 2],
      [
        { environments: [standout("code"), standout("maths")] },
        "environment",
        /^Environment code stands out: .* in the other environments,/,
        "code",
      ],
      [
        { turns: [standout(3), standout(0)] },
        "turn",
        /^Turn 3 stands out: .* in the other turns of the same responses,/,
        3,
      ],
      [
        { deciles: [standout(0), standout(9)] },
        "position",
        /^The 1st tenth of the response stands out: .* in the rest of it,/,
        0,
      ],
    ];
    for (const [comparisons, kind, text, subject] of cases) {
      const fact = only(comparisons);
      expect(fact.kind).toBe(kind);
      expect(fact.text).toMatch(text);
      expect(fact.text).toMatch(
        /mean \|Δ\| 0\.0800 against 0\.0200 .*, 4\.0 times as much \(95 % 2\.0 to 8\.0\)$/,
      );
      expect(fact.weight).toBe(2);
      expect(fact.evidence).toEqual({
        subject,
        p: 0.01,
        factor: 4,
        interval: { low: 2, high: 8 },
        leave_one_out: { low: 3.2, high: 5 },
      });
    }
  });

  it("has the range with any one prompt left out where there is no interval", () => {
    const { text, evidence } = only({ steps: [standout(7, { factor: factor(4, { interval: null }) })] });
    expect(text).toMatch(/\(3\.2 to 5\.0 with any one prompt left out\)$/);
    expect(evidence?.interval).toBeNull();
  });

  it("names the prompt that makes a quarter of it, and the factor without it where there is one", () => {
    const at = (share: number, withoutLargest = 1.5): string =>
      only({
        ranks: [standout(1, { factor: factor(4, { largest: { cluster: 1, share }, withoutLargest }) })],
      }).text;
    expect(at(0.2499)).not.toContain("the prompt of");
    expect(at(0.25)).toMatch(/; the prompt of s1\.q1 accounts for 25\.0 % of it, 1\.5 without it\)$/);
    expect(at(0.5, Number.NaN)).toMatch(/; the prompt of s1\.q1 accounts for 50\.0 % of it\)$/);
  });
});

describe("right and wrong answers", () => {
  const contrast = (more: Partial<OutcomeContrast> = {}): OutcomeContrast => ({
    correctMean: 0.01,
    incorrectMean: 0.04,
    factor: factor(4),
    withinPrompt: { factor: 2.5, prompts: 30 },
    withoutStep: undefined,
    p: 0.05,
    ...more,
  });

  it("says that incorrect ones are further off where they are", () => {
    const { kind, text, weight, evidence } = only({ outcome: contrast() });
    expect(kind).toBe("correctness");
    expect(text).toMatch(
      /^Incorrect responses differ 4\.0 times as much as correct ones: mean \|Δ\| 0\.0400 against 0\.0100 /,
    );
    expect(text).toMatch(/\(95 % 2\.0 to 8\.0; 2\.5 within the same prompt, over 30 prompts\)$/);
    expect(weight).toBe(2);
    expect(evidence).toMatchObject({ subject: "incorrect", factor: 4, p: 0.05 });
  });

  it("says that correct ones are where they are, every figure turned round", () => {
    const { text, weight, evidence } = only({
      outcome: contrast({
        correctMean: 0.04,
        incorrectMean: 0.01,
        factor: factor(0.25),
        withinPrompt: { factor: 0.5, prompts: 30 },
      }),
    });
    expect(text).toMatch(
      /^Correct responses differ 4\.0 times as much as incorrect ones: mean \|Δ\| 0\.0400 against 0\.0100 /,
    );
    expect(text).toMatch(/\(95 % 2\.0 to 8\.0; 2\.0 within the same prompt, over 30 prompts\)$/);
    expect(weight).toBe(2);
    expect(evidence).toEqual({
      subject: "correct",
      p: 0.05,
      factor: 4,
      interval: { low: 2, high: 8 },
      leave_one_out: { low: 3.2, high: 5 },
    });
    const open = only({
      outcome: contrast({ factor: factor(0.25, { interval: null }), withinPrompt: undefined }),
    });
    expect(open.text).toMatch(/\(3\.2 to 5\.0 with any one prompt left out\)$/);
  });

  it("says nothing without a test that finds it", () => {
    expect(facts({ outcome: contrast({ p: 0.0501 }) })).toEqual([]);
    expect(facts({})).toEqual([]);
  });

  it("names the step without which the factor is a quarter nearer to 1, of either side", () => {
    const without = (of: number, rest: number): string =>
      only({
        outcome: contrast({
          factor: factor(of),
          withoutStep: { step: 7, factor: rest },
          withinPrompt: undefined,
        }),
      }).text;
    expect(without(4, 3.2)).toMatch(/\(95 % 2\.0 to 8\.0; 3\.2 without step 7\)$/);
    expect(without(4, 3.21)).not.toContain("without step");
    expect(without(4, 9)).not.toContain("without step");
    expect(without(0.25, 0.5)).toMatch(/\(95 % 2\.0 to 8\.0; 2\.0 without step 7\)$/);
    expect(without(0.25, 0.1)).not.toContain("without step");
  });

  it("names the prompt that makes much of the wrong answers' part, where no step explains it", () => {
    const large = { largest: { cluster: 2, share: 0.4 }, withoutLargest: 3 };
    expect(only({ outcome: contrast({ factor: factor(4, large) }) }).text).toMatch(
      /; the prompt of s2\.q2 accounts for 40\.0 % of it, 3\.0 without it\)$/,
    );
    const step = { withoutStep: { step: 7, factor: 2 } };
    expect(only({ outcome: contrast({ factor: factor(4, large), ...step }) }).text).not.toContain(
      "the prompt of",
    );
    // The largest prompt is known of the wrong answers' part only.
    expect(only({ outcome: contrast({ factor: factor(0.25, large) }) }).text).not.toContain("the prompt of");
  });
});

describe("a run that changes", () => {
  const trend = (early: number, late: number, p = 0.05): Trend => ({
    early,
    late,
    factor: factor(late / early),
    p,
  });

  it("grows, which weighs more", () => {
    const { kind, text, weight, evidence } = only({ trend: trend(0.01, 0.04) });
    expect(kind).toBe("drift");
    expect(text).toMatch(
      /^Mean \|Δ\| grows over the run, from 0\.0100 in the first third of the steps to 0\.0400 in the last: a factor of 4\.0 \(95 % 2\.0 to 8\.0\)$/,
    );
    expect(weight).toBeCloseTo(2.4, 12);
    expect(evidence).toMatchObject({ subject: "late", factor: 4 });
  });

  it("falls, which weighs less", () => {
    const { text, weight, evidence } = only({ trend: trend(0.04, 0.01) });
    expect(text).toMatch(
      /^Mean \|Δ\| falls over the run, from 0\.0400 in the first third of the steps to 0\.0100 in the last: a factor of 4\.0 \(95 % 2\.0 to 8\.0\)$/,
    );
    expect(weight).toBeCloseTo(1.2, 12);
    expect(evidence).toMatchObject({ subject: "early", factor: 4, interval: { low: 2, high: 8 } });
  });

  it("says nothing of what chance gives", () => {
    expect(facts({ trend: trend(0.01, 0.04, 0.0501) })).toEqual([]);
  });
});

it("writes the ends of the teens and of a hundred as people say them", () => {
  expect([10, 13, 22, 23, 24, 101, 111, 112, 113].map(ordinal)).toEqual([
    "10th",
    "13th",
    "22nd",
    "23rd",
    "24th",
    "101st",
    "111th",
    "112th",
    "113th",
  ]);
});
