import { describe, expect, it } from "vitest";
import { makeAssessment } from "../../../test/support/assessment.ts";
import type { GateCheck } from "../../results/gate.ts";
import type { MismatchReport } from "../../results/report.ts";
import type { SeriesReport } from "../../results/series.ts";
import { parseCondition } from "../conditions/condition.ts";
import { parseFigureName } from "../conditions/figure-name.ts";
import type { Baseline } from "./baseline.ts";
import { predictRun } from "./corridor.ts";
import { evaluateGate, type GateOptions } from "./evaluate-gate.ts";
import { distinctRuns, type LearnedRun, learnBaseline } from "./learn.ts";

interface Drawn {
  readonly metrics?: Readonly<Record<string, unknown>>;
  readonly intervals?: Readonly<Record<string, unknown>>;
  readonly excluded?: Readonly<Record<string, number>>;
  readonly per_step?: readonly object[];
  readonly verdict?: object;
}

const interval = (low: number, high: number, clusters = 40) => ({ low, high, clusters, reason: null });

/** A report with what gates read of one. */
function makeReport({ metrics, intervals = {}, excluded, per_step = [], verdict }: Drawn): MismatchReport {
  return {
    kind: "report",
    assessment: makeAssessment(),
    run: "drawn",
    metrics: { tokens: 5000, sequences: 40, ...metrics },
    intervals,
    verdict: { level: "normal", level_range: ["normal", "normal"], headline: "as usual", ...verdict },
    identity: { failures: [] },
    trust: {},
    excluded: { delta_negative_infinite: 0, delta_positive_infinite: 0, missing: 0, ...excluded },
    per_step,
    findings: [{ code: "x" }],
  } as unknown as MismatchReport;
}

const limit = (text: string) => ({ condition: parseCondition(text) });
const gate = (report: MismatchReport | SeriesReport, limits: readonly string[], more: GateOptions = {}) =>
  evaluateGate(report, { limits: limits.map(limit), ...more });
/** The check of the first limit, after the one of non-finite tokens. */
const judge = (drawn: Drawn, text: string): GateCheck =>
  gate(makeReport(drawn), [text]).checks.find(({ condition }) => condition === parseCondition(text).text)!;

describe("a limit on a figure", () => {
  it.each([
    ["k3 <= 0.5", "pass", "<= 0.500"],
    ["k3 <= 0.4", "pass", "<= 0.400"],
    ["k3 < 0.4", "fail", "not < 0.400"],
    ["k3 >= 0.4", "pass", ">= 0.400"],
    ["k3 > 0.4", "fail", "not > 0.400"],
    ["k3 >= 0.5", "fail", "not >= 0.500"],
    ["k3 == 0.4", "pass", "== 0.400"],
    ["k3 != 0.4", "fail", "not != 0.400"],
  ])("without an interval: %s is a %s", (text, outcome, reason) => {
    expect(judge({ metrics: { k3: 0.4 } }, text)).toMatchObject({
      metric: "k3",
      kind: "limit",
      step: null,
      value: 0.4,
      interval: null,
      outcome,
      reason,
    });
  });

  it("shows where the figure may lie", () => {
    const corridor = (text: string) => judge({ metrics: { k3: 0.4 } }, text).corridor;
    expect(corridor("k3 <= 1")).toEqual({ low: null, high: 1 });
    expect(corridor("k3 < 1")).toEqual({ low: null, high: 1 });
    expect(corridor("k3 >= 1")).toEqual({ low: 1, high: null });
    expect(corridor("k3 == 1")).toEqual({ low: 1, high: 1 });
    expect(corridor("k3 != 1")).toEqual({ low: null, high: null });
  });

  it("holds with its whole interval, is open where that has the bound inside, and fails beyond", () => {
    const drawn = { metrics: { delta_mean: 0.4 }, intervals: { delta_mean: interval(0.3, 0.5) } };
    expect(judge(drawn, "delta_mean <= 0.6")).toMatchObject({
      outcome: "pass",
      reason: "<= 0.600, with its whole interval",
    });
    expect(judge(drawn, "delta_mean <= 0.45")).toMatchObject({
      outcome: "undecidable",
      reason: "the interval has values on both sides of 0.450",
    });
    expect(judge(drawn, "delta_mean >= 0.6")).toMatchObject({
      outcome: "fail",
      reason: "not >= 0.600, with its whole interval",
    });
  });

  it("has an interval at its own share of alpha: wider for a smaller one, on the figure's scale", () => {
    const drawn = makeReport({ metrics: { delta_mean: 0.4 }, intervals: { delta_mean: interval(0.3, 0.5) } });
    const ends = (alpha: number) => gate(drawn, ["delta_mean <= 9"], { alpha }).checks.at(-1)!.interval!;
    const usual = ends(0.05);
    expect([usual.low, usual.high]).toEqual([expect.closeTo(0.3, 9), expect.closeTo(0.5, 9)]);
    const strict = ends(0.01);
    // scipy: t.ppf(0.995, 39) / t.ppf(0.975, 39) = 2.7079131835 / 2.0226909201
    expect(strict.high).toBeCloseTo(0.4 + (0.1 * 2.7079131835) / 2.0226909201, 7);
    expect(strict.low).toBeCloseTo(0.4 - (0.1 * 2.7079131835) / 2.0226909201, 7);
    // Two limits share alpha.
    const shared = gate(drawn, ["delta_mean <= 9", "delta_mean >= -9"], { alpha: 0.02 });
    expect(shared.checks.slice(1).map(({ alpha }) => alpha)).toEqual([0.01, 0.01]);
    expect(shared.checks.at(-1)!.interval!.high).toBeCloseTo(strict.high, 9);
    // Of what is 1 in a perfect run, the ends stay in order and below 1.
    const ess = makeReport({ metrics: { ess: 0.98 }, intervals: { ess: interval(0.96, 0.99) } });
    const below = gate(ess, ["ess >= 0.5"], { alpha: 0.001 }).checks.at(-1)!.interval!;
    expect(below.low).toBeLessThan(0.96);
    expect(below.high).toBeGreaterThan(0.99);
    expect(below.high).toBeLessThan(1);
  });

  it("says why the report withholds an interval, whatever comes out", () => {
    const drawn = {
      metrics: { k3: 0.4 },
      intervals: { k3: { low: Number.NaN, high: Number.NaN, clusters: 4, reason: "only 4 prompts" } },
    };
    expect(judge(drawn, "k3 <= 1").reason).toBe("<= 1.00; the report withholds the interval: only 4 prompts");
    expect(judge(drawn, "k3 >= 1").reason).toContain("not >= 1.00; the report withholds");
  });

  it("of every step shows the worst: what is not finite, then what fails, then what is open", () => {
    const steps = (...values: (number | null)[]) => ({
      per_step: values.map((k3, at) => ({ step: 10 * (at + 1), k3 })),
    });
    expect(judge(steps(0.1, 0.5, 0.3), "per_step.k3 <= 0.2")).toMatchObject({
      step: 20,
      value: 0.5,
      outcome: "fail",
      reason: "2 steps of 3, worst step 20: not <= 0.200",
    });
    expect(judge(steps(0.3, 0.1, 0.2), "per_step.k3 >= 0.25")).toMatchObject({ step: 20, value: 0.1 });
    expect(judge(steps(0.1, 0.2), "per_step.k3 <= 0.2")).toMatchObject({
      step: 20,
      outcome: "pass",
      reason: "all 2 steps: <= 0.200",
    });
    expect(judge(steps(0.9, null), "per_step.k3 <= 0.2")).toMatchObject({
      step: 20,
      outcome: "non_finite",
      reason: "1 step of 2, worst step 20: not finite",
    });
    expect(judge(steps(0.1), "per_step.k3 <= 0.2").reason).toBe("step 10: <= 0.200");
    expect(judge(steps(0.1), "per_step.k3[11] <= 0.2")).toMatchObject({ outcome: "missing", step: 11 });
  });

  it("is not judged of too few tokens or sequences, counts aside", () => {
    const few = { metrics: { k3: 0.4, tokens: 999 } };
    expect(judge(few, "k3 <= 1")).toMatchObject({
      outcome: "too_few",
      reason: "999 tokens of 40 sequences; at least 1,000 tokens and 8 sequences are needed",
      value: 0.4,
    });
    expect(judge({ metrics: { k3: 0.4, sequences: 7 } }, "k3 <= 1").outcome).toBe("too_few");
    expect(judge({ metrics: { k3: 0.4, tokens: 1000, sequences: 8 } }, "k3 <= 1").outcome).toBe("pass");
    expect(judge(few, "tokens >= 999").outcome).toBe("pass");
    expect(judge({ metrics: { k3: null, tokens: 9 } }, "k3 <= 1").outcome).toBe("non_finite");
  });
});

describe("log-probs that are not finite", () => {
  it("fail a gate that does not allow them", () => {
    const report = makeReport({ metrics: { k3: 0 }, excluded: { missing: 2, delta_negative_infinite: 1 } });
    const refused = gate(report, ["k3 <= 1"]);
    expect(refused.passed).toBe(false);
    expect(refused.checks[0]).toMatchObject({
      metric: "non_finite_tokens",
      outcome: "non_finite",
      reason: "3 tokens with mask 1 without two finite log-probs, at most 0 allowed",
    });
    const allowed = gate(report, ["k3 <= 1", "non_finite_tokens <= 3"]);
    expect(allowed.passed).toBe(true);
    expect(allowed.checks.map(({ metric }) => metric)).toEqual(["k3", "non_finite_tokens"]);
    expect(allowed.checks[1]!.reason).toBe("3 tokens with mask 1 without two finite log-probs");
  });
});

describe("logged metrics that are not finite", () => {
  const found = [{ breaks: true }, { breaks: true }, { breaks: false }];
  const logged = { kind: "series", files: [], findings: [], finite: { found } } as unknown as SeriesReport;
  const withSeries = {
    ...logged,
    series: [{ metric: "kl", steps: [1], values: [0.1] }],
  } as unknown as SeriesReport;

  it("fail a gate that does not allow them, alone and beside dumps", () => {
    const report = { ...makeReport({ metrics: { k3: 0 } }), logged: withSeries } as MismatchReport;
    for (const [results, limit] of [
      [withSeries, "logged.kl <= 1"],
      [report, "k3 <= 1"],
    ] as const) {
      const refused = gate(results, [limit]);
      expect(refused.passed).toBe(false);
      expect(refused.checks.find(({ metric }) => metric === "non_finite_metrics")).toMatchObject({
        outcome: "non_finite",
        value: 2,
        reason: "2 logged metrics with NaN or infinite values, at most 0 allowed",
      });
      expect(gate(results, [limit, "non_finite_metrics <= 2"]).passed).toBe(true);
    }
  });

  it("are not asked for where none were read", () => {
    const names = gate(makeReport({ metrics: { k3: 0 } }), ["k3 <= 1"]).checks.map(({ metric }) => metric);
    expect(names).toEqual(["non_finite_tokens", "k3"]);
    expect(gate(makeReport({}), ["non_finite_metrics <= 0"]).checks.at(-1)!.outcome).toBe("missing");
  });
});

describe("a limit on the verdict", () => {
  const judged = (verdict: object, text = "verdict <= normal") => judge({ verdict }, text);
  it("follows its level, is open where the data leave it open, and says which levels", () => {
    expect(judged({})).toMatchObject({
      metric: "verdict",
      value: null,
      outcome: "pass",
      reason: "the verdict is normal",
    });
    expect(judged({ level: "high", level_range: ["high", "high"] })).toMatchObject({ outcome: "fail" });
    expect(judged({ level: "normal", level_range: ["normal", "elevated"] })).toMatchObject({
      outcome: "undecidable",
      reason: "the verdict is normal, and may be elevated",
    });
    expect(judged({ level: "too_few", headline: "too few tokens" })).toMatchObject({
      outcome: "too_few",
      reason: "too few tokens",
    });
  });
});

describe("logged metrics alone", () => {
  const series = {
    kind: "series",
    files: [{ file: "metrics.jsonl" }],
    series: [{ metric: "actor/kl", steps: [1, 2], values: [0.1, 0.3] }],
    findings: [],
  } as unknown as SeriesReport;
  it("are held to limits on them, and lack every figure of dumps", () => {
    const { checks, run, passed } = gate(series, [
      "max(logged.actor/kl) <= 0.2",
      "k3 <= 1",
      "verdict <= normal",
    ]);
    expect(run).toBe("metrics.jsonl");
    expect(passed).toBe(false);
    expect(checks.map(({ outcome }) => outcome)).toEqual(["fail", "missing", "missing"]);
    expect(gate({ ...series, files: [] } as SeriesReport, ["mean(logged.actor/kl) <= 0.2"])).toMatchObject({
      run: "logged metrics",
      passed: true,
    });
  });
});

describe("a gate", () => {
  const open = makeReport({ metrics: { delta_mean: 0.4 }, intervals: { delta_mean: interval(0.3, 0.5) } });

  it("passes with undecidable checks only where they are allowed", () => {
    expect(gate(open, ["delta_mean <= 0.45"])).toMatchObject({ passed: false, allow_undecidable: false });
    expect(gate(open, ["delta_mean <= 0.45"], { allowUndecidable: true })).toMatchObject({
      passed: true,
      allow_undecidable: true,
    });
    expect(gate(open, ["delta_mean <= 0.2"], { allowUndecidable: true }).passed).toBe(false);
  });

  it("carries the run, its findings, and alpha: the baseline's, else what is asked, else 0.01", () => {
    expect(gate(open, ["delta_mean <= 1"])).toMatchObject({
      run: "drawn",
      alpha: 0.01,
      baseline: null,
      findings: [{ code: "x" }],
    });
    expect(gate(open, ["delta_mean <= 1"], { alpha: 0.2 }).alpha).toBe(0.2);
    const baseline: Baseline = {
      alpha: 0.3,
      runs: [],
      checks: [],
      limits: [{ ...limit("tokens > 0"), line: 7 }],
    };
    const both = gate(open, ["delta_mean <= 1"], { alpha: 0.2, baseline, baselineName: "b.yaml" });
    expect(both).toMatchObject({ alpha: 0.3, baseline: { file: "b.yaml", runs: 0, checks: 0 } });
    expect(both.checks.map(({ metric, line }) => [metric, line])).toEqual([
      ["non_finite_tokens", null],
      ["tokens", 7],
      ["delta_mean", null],
    ]);
  });

  it("refuses to check nothing, and conditions that only alerts know", () => {
    expect(() => evaluateGate(open, {})).toThrow("there is nothing to check");
    expect(() => gate(open, ["changed(unit_mean)"])).toThrow("is not a limit");
  });
});

let runsMade = 0;
/** No two have all figures in common, as no two runs have. */
const learned = (name: string, drawn: Drawn, sha256: string | null = name): LearnedRun => ({
  run: { name, date: null, files: 1, sha256 },
  results: makeReport({ ...drawn, metrics: { delta_std: ++runsMade, ...drawn.metrics } }),
});
const runs = (...values: number[]): LearnedRun[] =>
  values.map((delta_mean, at) =>
    learned(`r${at}`, {
      metrics: { delta_mean },
      intervals: { delta_mean: interval(delta_mean - 0.02, delta_mean + 0.02) },
    }),
  );
const METRICS = { metrics: ["delta_mean"] };

describe("a corridor of sound runs", () => {
  const baseline = learnBaseline(runs(0.1, 0.2, 0.3, 0.2), undefined, METRICS);
  const judgeRun = (drawn: Drawn, base = baseline): GateCheck =>
    evaluateGate(makeReport(drawn), { baseline: base }).checks.at(-1)!;
  const at = (delta_mean: number, width = 0.02, clusters = 40): Drawn => ({
    metrics: { delta_mean },
    intervals: { delta_mean: interval(delta_mean - width, delta_mean + width, clusters) },
  });

  it("passes a run inside, and says on which side one outside is", () => {
    expect(judgeRun(at(0.2))).toMatchObject({
      kind: "corridor",
      outcome: "pass",
      reason: "inside the corridor of 4 runs",
      condition: null,
      alpha: 0.01,
    });
    const { low, high } = predictRun({ scale: "linear", values: [0.1, 0.2, 0.3, 0.2], errors: [] }, 0.01)!;
    expect(judgeRun(at(0.2)).corridor).toEqual({ low, high });
    expect(judgeRun(at(high + 0.01))).toMatchObject({
      outcome: "fail",
      reason: "above the corridor of 4 runs",
    });
    expect(judgeRun(at(low - 0.01))).toMatchObject({
      outcome: "fail",
      reason: "below the corridor of 4 runs",
    });
    expect(judgeRun(at(high)).outcome).toBe("pass");
    expect(judgeRun(at(low)).outcome).toBe("pass");
  });

  it("leaves a run open that is known much less well than those before", () => {
    expect(judgeRun(at(0.2, 2))).toMatchObject({
      outcome: "undecidable",
      reason: expect.stringMatching(/^inside .* but its own interval is wider/) as string,
    });
    expect(judgeRun(at(1.5, 2))).toMatchObject({
      outcome: "undecidable",
      reason: expect.stringMatching(/^outside .* more prompts would decide/) as string,
    });
  });

  it("leaves a small run open whose error is not known, and fails it inside its rights otherwise", () => {
    const noError = learnBaseline(
      [0.1, 0.2, 0.3].map((p, i) => learned(`p${i}`, { metrics: { delta_abs_p99: p } })),
      undefined,
      { metrics: ["delta_abs_p99"] },
    );
    const small = (sequences: number) => judgeRun({ metrics: { delta_abs_p99: 1e6, sequences } }, noError);
    expect(small(19)).toMatchObject({
      outcome: "undecidable",
      reason: "outside the corridor of 3 runs, but the run has less than half of their prompts",
    });
    expect(small(20).outcome).toBe("fail");
  });

  it("needs three runs, a finite figure, and enough tokens", () => {
    const two = learnBaseline(runs(0.1, 0.2), undefined, METRICS);
    expect(judgeRun(at(0.2), two)).toMatchObject({
      outcome: "too_few",
      corridor: null,
      interval: null,
      reason: "the baseline has 2 runs with this figure; a corridor needs 3",
    });
    expect(judgeRun({ metrics: { delta_mean: null } })).toMatchObject({ outcome: "non_finite" });
    expect(judgeRun({ metrics: { delta_mean: 0.2, tokens: 10 } })).toMatchObject({ outcome: "too_few" });
  });

  it("shares alpha with the other corridors", () => {
    const both = learnBaseline(
      runs(0.1, 0.2, 0.3).map((run, i) => ({
        ...run,
        results: makeReport({ metrics: { delta_mean: i / 10, k3: (i + 1) / 10 } }),
      })),
      undefined,
      { metrics: ["delta_mean", "k3"], alpha: 0.05 },
    );
    const { checks } = evaluateGate(makeReport(at(0.1)), { baseline: both });
    expect(checks.filter(({ kind }) => kind === "corridor").map(({ alpha }) => alpha)).toEqual([
      0.025, 0.025,
    ]);
  });
});

describe("learning", () => {
  it("keeps each run's value, error and prompts, in their order after those before", () => {
    const first = learnBaseline(runs(0.1, 0.2), undefined, METRICS);
    expect(first.runs).toMatchObject([
      { name: "r0", prompts: 40, sha256: "r0" },
      { name: "r1", prompts: 40 },
    ]);
    expect(first.alpha).toBe(0.01);
    expect(first.checks).toHaveLength(1);
    expect(first.checks[0]).toMatchObject({ scale: "linear", values: [0.1, 0.2] });
    // Half of a 95 % interval over the normal quantile 1.959963985
    expect(first.checks[0]!.errors[0]).toBeCloseTo(0.02 / 1.959963985, 8);
    const more = learnBaseline([learned("new", { metrics: { delta_mean: 0.7 } })], first);
    expect(more.runs.map(({ name }) => name)).toEqual(["r0", "r1", "new"]);
    expect(more.checks[0]!.values).toEqual([0.1, 0.2, 0.7]);
    expect(more.checks[0]!.errors[2]).toBeNull();
  });

  it("counts a run once: by its digest, else by its name", () => {
    const first = learnBaseline(runs(0.1, 0.2, 0.3), undefined, METRICS);
    const again = learnBaseline([learned("other name", { metrics: { delta_mean: 0.5 } }, "r1")], first);
    expect(again.checks[0]!.values).toEqual([0.1, 0.3, 0.5]);
    const unnamed = learnBaseline([learned("a", { metrics: { delta_mean: 1 } }, null)], undefined, METRICS);
    const twice = learnBaseline([learned("a", { metrics: { delta_mean: 2 } }, null)], unnamed);
    expect(twice.checks[0]!.values).toEqual([2]);
    const others = learnBaseline([learned("b", { metrics: { delta_mean: 3 } }, null)], twice);
    expect(others.checks[0]!.values).toEqual([2, 3]);
  });

  it("counts a run once whose data come again in other files", () => {
    const figures = { metrics: ["delta_mean", "delta_abs_mean", "k3", "prob_diff_above_half"] };
    const data = { delta_mean: 1 / 3, delta_abs_mean: 0.2, k3: 0.3, prob_diff_above_half: 0, delta_std: 1 };
    const plain = learned("run", { metrics: data });
    const zipped = learned("run.gz", { metrics: data });
    expect(distinctRuns([plain, zipped])).toEqual([plain]);
    const first = learnBaseline([plain], undefined, figures);
    // As a baseline's file keeps it.
    const stored = {
      ...first,
      checks: first.checks.map((check) => ({
        ...check,
        values: check.values.map((v) => v && +v.toPrecision(7)),
      })),
    };
    expect(learnBaseline([zipped], stored).runs.map(({ name }) => name)).toEqual(["run.gz"]);
    const other = learned("other", { metrics: { ...data, k3: 0.30001 } });
    expect(learnBaseline([other], stored).runs.map(({ name }) => name)).toEqual(["run", "other"]);
    // Two figures, and one that is 0 in both, agree by chance.
    const few = { metrics: ["delta_mean", "k3", "prob_diff_above_half"] };
    const alike = learned("alike", { metrics: { ...data, delta_std: 2 } });
    expect(learnBaseline([alike], learnBaseline([plain], undefined, few)).runs).toHaveLength(2);
  });

  it("keeps fifty runs, the newest", () => {
    const history = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => learned(`n${from + i}`, { metrics: { delta_mean: from + i } }));
    const full = learnBaseline(history(0, 50), undefined, METRICS);
    expect(full.runs).toHaveLength(50);
    const rolled = learnBaseline(history(50, 2), full);
    expect(rolled.runs).toHaveLength(50);
    expect([rolled.runs[0]!.name, rolled.checks[0]!.values[0], rolled.checks[0]!.values[49]]).toEqual([
      "n2",
      2,
      51,
    ]);
    const many = learnBaseline(history(0, 60), undefined, METRICS);
    expect([many.runs.length, many.runs[0]!.name]).toEqual([50, "n10"]);
  });

  it("refuses runs that are too small or not finite, and runs without a common figure", () => {
    const small = learned("tiny", { metrics: { delta_mean: 0, tokens: 500 } });
    expect(() => learnBaseline([small], undefined, METRICS)).toThrow(
      "tiny has 500 tokens of 40 sequences: too few to learn from",
    );
    const odd = learned("odd", { metrics: { delta_mean: null } });
    expect(() => learnBaseline([odd], undefined, METRICS)).toThrow("delta_mean of odd is");
    expect(() => learnBaseline([], undefined, { metrics: ["per_step.k3"] })).toThrow("no figure in common");
  });

  it("takes by default the figures that every run has, and of each step those that all have", () => {
    const one = learned("one", { metrics: { delta_abs_mean: 1, delta_mean: 1, k3: 1, pearson: null } });
    const names = ({ checks }: Baseline) => checks.map(({ figure }) => figure.text);
    expect(names(learnBaseline([one], undefined))).not.toContain("pearson");
    expect(names(learnBaseline([one], undefined))).toEqual(
      expect.arrayContaining(["delta_abs_mean", "delta_mean", "k3"]),
    );
    const steps = (name: string, ...at: number[]) =>
      learned(name, { per_step: at.map((step) => ({ step, k3: step / 10 })) });
    const stepped = learnBaseline([steps("a", 1, 2, 3), steps("b", 2, 3, 4)], undefined, {
      metrics: ["|per_step.k3|"],
    });
    expect(names(stepped)).toEqual(["|per_step.k3[2]|", "|per_step.k3[3]|"]);
    expect(names(learnBaseline([steps("a", 2)], undefined, { metrics: ["per_step.k3"] }))).toEqual([
      "per_step.k3[2]",
    ]);
    expect(names(learnBaseline([steps("c", 2)], stepped))).toEqual(names(stepped));
    expect(parseFigureName("per_step.k3[2]").step).toBe(2);
  });
});
