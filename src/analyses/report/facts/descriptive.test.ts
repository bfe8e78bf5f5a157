import { describe, expect, it } from "vitest";
import { interval, sampleReport } from "../../../../test/report/sample-report.ts";
import type { SampledCluster, SampledSequence } from "../../../core/summaries/sampled-clusters.ts";
import { SequenceSample } from "../../../core/summaries/sequence-sample.ts";
import type { Fact, GroupMetrics, MismatchReport, TailPoint } from "../../../results/report.ts";
import type { Comparisons } from "../standouts/index.ts";
import { descriptiveFacts } from "./descriptive.ts";
import { findFacts } from "./index.ts";

const REPORT = sampleReport();
const METRICS = REPORT.metrics;

function findFact(
  kind: string,
  more: Partial<MismatchReport>,
  clusters?: readonly SampledCluster[],
): Fact | undefined {
  return descriptiveFacts({ ...REPORT, ...more }, clusters).find((fact) => fact.kind === kind);
}

const sequence = (handle: string, tokens: number, deltaAbs: number): SampledSequence => ({
  handle,
  step: 1,
  rank: 0,
  correct: Number.NaN,
  environment: null,
  engine: null,
  finish: null,
  staleness: Number.NaN,
  turns: [tokens / 2, deltaAbs / 2, tokens / 2, deltaAbs / 2],
  excess: [],
  deciles: [],
  jumps: 0,
  reward: Number.NaN,
  tokens: 10,
});
describe("a single token", () => {
  const delta = -0.5;
  const k3 = Math.expm1(delta) - delta;
  /** A run of so many tokens of which the worst one makes `share` of Σ k3. */
  const run = (share: number, tokens = 100): Partial<MismatchReport> => ({
    metrics: { ...METRICS, tokens, k3: k3 / share / tokens },
    worst_tokens: [
      {
        ...REPORT.worst_tokens[0]!,
        delta,
        rollout_logprob: Math.log(0.8),
        trainer_logprob: Math.log(0.2),
      },
    ],
  });

  it("is named with its Δ, its p under the rollout and then the trainer, and its share of k3", () => {
    const { text, weight } = findFact("single-token", run(0.25))!;
    expect(text).toContain("s30.r0.q3.t41");
    expect(text).toMatch(/\(Δ -0\.500, /);
    expect(text).toMatch(/p 0\.800 → 0\.200\)/);
    expect(text).toMatch(/accounts for 25\.0 % of all k3$/);
    expect(weight).toBeCloseTo(2.75, 12);
  });

  it("is worth saying above a tenth", () => {
    expect(findFact("single-token", run(0.0999))!.weight).toBe(0);
    expect(findFact("single-token", run(0.1001))!.weight).toBeCloseTo(2.3003, 10);
  });

  it("is said from fifty tokens on, and where there is one", () => {
    expect(findFact("single-token", run(0.25, 49))).toBeUndefined();
    expect(findFact("single-token", run(0.25, 50))).toBeDefined();
    expect(findFact("single-token", { ...run(0.25), worst_tokens: [] })).toBeUndefined();
  });
});

describe("a single prompt", () => {
  /** Two responses of one prompt that hold `far` of Σ|Δ| = 10, and others of ten tokens and 1 nat each. */
  const makePrompt = (far: number): SampledCluster[] => [
    { cluster: 1, sequences: [sequence("s1.q0", 10, 1)] },
    { cluster: 2, sequences: [sequence("s1.q1", 10, far / 2), sequence("s1.q2", 30, far / 2)] },
    ...Array.from({ length: 9 }, (_, at) => ({
      cluster: 3 + at,
      sequences: [sequence(`s1.q${3 + at}`, 10, (9 - far) / 9)],
    })),
  ];

  it("is named by its first response, with its share of |Δ| and the mean without it", () => {
    const { text, weight } = findFact("single-prompt", {}, makePrompt(5))!;
    expect(text).toMatch(
      /One prompt, that of s1\.q1, accounts with its 2 responses for 50\.0 % of all \|Δ\|/,
    );
    expect(text).toMatch(/without it, mean \|Δ\| is 0\.0500$/);
    expect(weight).toBeCloseTo(3.5, 12);
  });

  it("is named above a tenth, of more than one response, beside other prompts, where all are known", () => {
    const alone = (far: number): Fact | undefined =>
      findFact(
        "single-prompt",
        {},
        Array.from({ length: 20 }, (_, at) => ({
          cluster: at,
          sequences: [0, 1].map((n) => sequence(`s1.q${2 * at + n}`, 10, at === 4 ? far : 9)),
        })),
      );
    // 19 of 190, and 20 of 191.
    expect(alone(19)).toBeUndefined();
    expect(alone(20)!.text).toMatch(/that of s1\.q8, .* for 10\.5 % of all/);
    const single = makePrompt(5).map(({ cluster, sequences }) => ({
      cluster,
      sequences: sequences.slice(0, 1),
    }));
    expect(findFact("single-prompt", {}, single)).toBeUndefined();
    expect(findFact("single-prompt", {}, makePrompt(5).slice(1, 2))).toBeUndefined();
    expect(findFact("single-prompt", {}, makePrompt(5).slice(0, 2))).toBeDefined();
    expect(findFact("single-prompt", {}, undefined)).toBeUndefined();
  });
});

describe("the tail", () => {
  const point = (threshold: number, tokens: number, share: number): TailPoint => {
    return { threshold, tokens, share, positive: tokens, negative: 0 };
  };
  const run = (tail_curve: readonly TailPoint[], count = 1000): Partial<MismatchReport> => ({
    tail_curve,
    metrics: { ...METRICS, tokens: 5000, delta_abs_p50: 0.001 },
    distributions: { ...REPORT.distributions, delta_abs: { ...REPORT.distributions.delta_abs, count } },
  });
  const curve = [point(0.03, 100, 0.02), point(0.1, 50, 0.01), point(1, 2, 0.0004), point(2, 1, 0.0002)];

  it("tells the first threshold that at most one in a hundred tokens passes, beside the median", () => {
    const { text, weight } = findFact("tail", run(curve))!;
    expect(text).toMatch(
      /^50 of 5,000 tokens \(1\.0 %\) differ by more than 0\.1 nats; the median is 0\.00100$/,
    );
    expect(weight).toBeCloseTo(1, 12);
    expect(findFact("tail", run(curve.slice(2)))!.text).toMatch(
      /^2 of 5,000 tokens .* differ by more than 1 nats/,
    );
  });

  it("is nothing of one token, of less than a thousand, or where more than a hundredth passes", () => {
    expect(findFact("tail", run(curve.slice(3)))).toBeUndefined();
    expect(findFact("tail", run(curve.slice(0, 1)))).toBeUndefined();
    expect(findFact("tail", run(curve, 999))).toBeUndefined();
    expect(findFact("tail", { ...run(curve), per_rollout_probability: [] })).toBeUndefined();
  });

  it("does not break on a median of 0", () => {
    const exact = { ...run(curve), metrics: { ...METRICS, tokens: 5000, delta_abs_p50: 0 } };
    expect(findFact("tail", exact)!.weight).toBeCloseTo(5.5, 12);
  });
});

describe("tokens of low probability", () => {
  const bucket = (from: number, to: number, token_share: number, delta_abs_share: number) => ({
    ...({ ...REPORT.per_rollout_probability[0] } as GroupMetrics),
    from,
    to,
    token_share,
    delta_abs_share,
  });

  it("are those the rollout gave less than one half, with their share of tokens and then of |Δ|", () => {
    const { text, weight } = findFact("low-probability", {
      per_rollout_probability: [
        bucket(0, 0.1, 0.01, 0.1),
        bucket(0.1, 0.5, 0.015, 0.1),
        bucket(0.5, 0.9, 0.15, 0.4),
        bucket(0.9, 1, 0.8, 0.2),
      ],
    })!;
    expect(text).toMatch(/p < 0\.5 are 2\.5 % of the tokens and 20\.0 % of all \|Δ\|$/);
    expect(weight).toBeCloseTo(3 / 2.5, 12);
  });

  it("are nothing where there is none", () => {
    expect(
      findFact("low-probability", { per_rollout_probability: [bucket(0.5, 0.9, 0.15, 0.4)] }),
    ).toBeUndefined();
  });
});

describe("a Δ that leans", () => {
  const leaning = (mean: number, low: number, high: number): Fact | undefined =>
    findFact("one-sided", {
      metrics: { ...METRICS, delta_mean: mean, delta_abs_mean: 0.01 },
      intervals: { delta_mean: interval(low, high) },
    });

  it("says to which side, by how much, and how much of mean |Δ| that is", () => {
    const likelier = leaning(0.005, 0.004, 0.006)!;
    expect(likelier.text).toMatch(/the trainer finds the tokens more likely by 0\.00500 nats on average/);
    expect(likelier.text).toMatch(/\(95 % 0\.00400 to 0\.00600\), 50\.0 % of mean \|Δ\|$/);
    expect(likelier.weight).toBeCloseTo(2, 12);
    const less = leaning(-0.0025, -0.004, -0.001)!;
    expect(less.text).toMatch(/the trainer finds the tokens less likely by 0\.00250 nats on average/);
    expect(less.text).toMatch(/\(95 % -0\.00400 to -0\.00100\), 25\.0 % of mean \|Δ\|$/);
    expect(less.weight).toBeCloseTo(1, 12);
  });

  it("is one where the interval leaves 0 out, and where there is an interval", () => {
    expect(leaning(0.005, 0, 0.01)).toBeUndefined();
    expect(leaning(-0.005, -0.01, 0)).toBeUndefined();
    expect(leaning(0.005, -0.001, 0.011)).toBeUndefined();
    expect(leaning(0.005, Number.NaN, Number.NaN)).toBeUndefined();
    expect(findFact("one-sided", { intervals: {} })).toBeUndefined();
  });
});

describe("product ratios", () => {
  const of = (sequences: number, ess_seq: number): Fact | undefined =>
    findFact("product-ratio", {
      sequence_metrics: { ...REPORT.sequence_metrics, sequences, ess_seq, length_mean: 71.6 },
    });

  it("say how many sequences stay effective, from eight on", () => {
    const { text, weight } = of(8, 0.25)!;
    expect(text).toMatch(/leave 25\.0 % of the sequences effective \(mean length 72 tokens\)$/);
    expect(weight).toBeCloseTo(2, 12);
    expect(of(7, 0.25)).toBeUndefined();
  });
});

describe("factsOf", () => {
  const nothing: Comparisons = {
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
  const base: Partial<MismatchReport> = {
    worst_tokens: [],
    tail_curve: [],
    per_rollout_probability: [],
    intervals: {},
  };
  const kinds = (more: Partial<MismatchReport>): string[] =>
    findFacts({ ...REPORT, ...base, ...more }, new SequenceSample(), nothing).map(({ kind }) => kind);
  const ess = (ess_seq: number): Partial<MismatchReport> => ({
    sequence_metrics: { ...REPORT.sequence_metrics, ess_seq },
  });

  it("says what is a factor of two, and not what is less", () => {
    expect(kinds(ess(0.5))).toEqual(["product-ratio"]);
    expect(kinds(ess(0.501))).toEqual([]);
  });

  it("names no prompt where some were not kept: the largest may be among them", () => {
    const named = (limit: number): string[] => {
      const sample = new SequenceSample(limit);
      for (const cluster of [1, 2, 3])
        for (const at of [0, 1]) sample.add(cluster, true, sequence(`s1.q${2 * cluster + at}`, 10, cluster));
      return findFacts({ ...REPORT, ...base, ...ess(1) }, sample, nothing).map(({ kind }) => kind);
    };
    expect(named(6)).toEqual(["single-prompt"]);
    expect(named(4)).toEqual([]);
  });

  it("says three at most, those of the largest weight, first the largest", () => {
    const leaning = {
      metrics: {
        ...METRICS,
        tokens: 1000,
        delta_mean: 0.0101,
        delta_abs_mean: 0.02,
        delta_abs_p50: 0.001,
        k3: 1,
      },
      intervals: { delta_mean: interval(0.001, 0.01) },
    };
    const low = {
      per_rollout_probability: [
        { ...REPORT.per_rollout_probability[0]!, from: 0, to: 0.5, token_share: 0.01, delta_abs_share: 0.64 },
      ],
    };
    const tail = {
      tail_curve: [{ threshold: 10, tokens: 5, share: 0.005, positive: 5, negative: 0 }],
      distributions: {
        ...REPORT.distributions,
        delta_abs: { ...REPORT.distributions.delta_abs, count: 1000 },
      },
    };
    // Weights: 2.02, 2.4, 2, 1.
    expect(kinds({ ...ess(0.5), ...leaning, ...low, ...tail })).toEqual([
      "low-probability",
      "one-sided",
      "tail",
    ]);
    expect(kinds({ ...ess(0.1), ...leaning, ...low, ...tail })).toEqual([
      "product-ratio",
      "low-probability",
      "one-sided",
    ]);
  });
});
