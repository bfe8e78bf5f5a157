import { describe, expect, it } from "vitest";
import { isLogratioError } from "../../core/base/errors.ts";
import type { MismatchReport } from "../../results/report.ts";
import type { SeriesReport } from "../../results/series.ts";
import { parseCondition } from "./condition.ts";
import { findScale, parseFigureName } from "./figure-name.ts";
import { judgeInterval, judgeVerdict, meets } from "./judge.ts";
import { readFigures } from "./read-figure.ts";
import { isAmount } from "./vocabulary.ts";

function refusal(text: string): string {
  try {
    parseCondition(text);
  } catch (error) {
    if (isLogratioError(error, "UsageError")) return `${error.message} | ${error.hint}`;
    throw error;
  }
  throw new Error(`${text} was read`);
}

describe("a condition", () => {
  it.each([
    ["delta_abs_mean<=0.015", "delta_abs_mean <= 0.015"],
    ["  per_step . k3 <1e-3", undefined],
    ["| identity.unit_mean.z | <= 4", "|identity.unit_mean.z| <= 4"],
    ["max( per_step.k3 ) < 1_000", "max(per_step.k3) < 1_000"],
    ["per_step.k3[030] > -.5", "per_step.k3[30] > -.5"],
    ["logged.actor/rollout corr.kl[3] >= +2.", "logged.actor/rollout corr.kl[3] >= +2."],
    ['logged."a" == 1', "logged.a == 1"],
    ["verdict<=elevated", "verdict <= elevated"],
    ["changed", "changed"],
    ["changed( unit_mean )", "changed(unit_mean)"],
  ])("%s is read as %s", (given, shown) => {
    if (shown === undefined) expect(refusal(given)).toContain("there is no figure");
    else {
      expect(parseCondition(given).text).toBe(shown);
      // What is shown reads the same, so that files may hold it.
      expect(parseCondition(shown)).toEqual(parseCondition(given));
    }
  });

  it.each([
    ["", /cannot read the condition ""/],
    ["k3", /write it as delta_abs_mean <= 0.015/],
    ["k3 <=", /cannot read/],
    ["k3 = 4", /cannot read/],
    ["k3 <= 1 <= 2", /cannot read/],
    ["k3 <= 1e999", /"1e999" is not a finite number/],
    ["k3 <= NaN", /not a finite number/],
    ["k3 <= 2 %", /write shares as fractions of 1/],
    ["delta_abs <= 1", /there is no figure "delta_abs" \| .*delta_abs_mean/],
    ["identity.unit <= 1", /identity\.unit_mean\.value/],
    ["__proto__ <= 1", /there is no figure/],
    ["metrics.constructor <= 1", /there is no figure/],
    ["toString <= 1", /there is no figure/],
    ["logged. <= 1", /there is no figure/],
    ["k3[3] <= 1", /only figures per_step/],
    ["max(k3) <= 1", /max\(\) is over steps/],
    ["max(per_step.k3[2]) <= 1", /is over steps/],
    ["verdict <= terrible", /levels are none, normal, elevated, high, broken/],
    ["changed(k3)", /changed\(unit_mean\) or changed\(delta_abs_mean\)/],
    ["changed(", /cannot read/],
    [`k3${" ".repeat(1000)}`, /more than 500/],
  ])("%s is refused", (given, message) => expect(refusal(given)).toMatch(message));
});

const interval = (low: number, high: number) => ({ low, high, clusters: 20, reason: null });
const REPORT = {
  kind: "report",
  metrics: { k3: 2e-3, delta_mean: -0.5, ess: 0.93, k2: 4, tokens: 10 },
  intervals: {
    k3: interval(1e-3, 3e-3),
    delta_mean: interval(-0.9, 0.2),
    ess: { ...interval(Number.NaN, Number.NaN), reason: "only 4 prompts", leave_one_out: [0.9, 0.95] },
    k2: {
      ...interval(Number.NaN, Number.NaN),
      reason: "one prompt holds 30 %",
      leave_one_out: [3, 5],
      withheld: [2, "Infinity"],
    },
  },
  verdict: { level: "elevated", level_range: ["elevated", "high"] },
  identity: {
    unit_mean: { value: 1.01, z: -3 },
    half_variance: { value: 1 },
    surprisal: null,
    failures: [{}],
  },
  trust: { khat_ratio: "Infinity" },
  excluded: { delta_negative_infinite: 1, delta_positive_infinite: 0, missing: 2 },
  per_step: [
    { step: 10, k3: 1, reward: null },
    { step: 20, k3: null, reward: 0.5 },
  ],
} as unknown as MismatchReport;

const values = (name: string): unknown => {
  const found = readFigures(REPORT, parseFigureName(name));
  return "missing" in found ? found.missing : found.readings.map(({ step, value }) => [step, value]);
};

describe("a figure", () => {
  it("is read by its name, with NaN where it is not finite and a reason where it is not there", () => {
    expect(values("k3")).toEqual([[null, 2e-3]]);
    expect(values("|delta_mean|")).toEqual([[null, 0.5]]);
    expect(values("|identity.unit_mean.z|")).toEqual([[null, 3]]);
    expect(values("identity.failures")).toEqual([[null, 1]]);
    expect(values("identity.surprisal.z")).toBe("the run has no identity.surprisal.z");
    expect(values("trust.khat_ratio")).toEqual([[null, Number.POSITIVE_INFINITY]]);
    expect(values("non_finite_tokens")).toEqual([[null, 3]]);
    expect(values("per_step.k3")).toEqual([
      [10, 1],
      [20, Number.NaN],
    ]);
    expect(values("per_step.k3[10]")).toEqual([[10, 1]]);
    expect(values("per_step.k3[11]")).toBe("no step 11");
    expect(values("max(per_step.k3)")).toEqual([[20, Number.NaN]]);
    // Null means that the data do not say.
    expect(values("per_step.reward")).toEqual([[20, 0.5]]);
    expect(values("per_step.entropy")).toBe("no step has entropy");
    expect(values("logged.kl")).toBe("no logged metrics were read");
  });

  it("has the report's interval, folded where its size is asked, or why there is none", () => {
    const read = (name: string): unknown => {
      const found = readFigures(REPORT, parseFigureName(name));
      return "missing" in found ? found : found.readings[0];
    };
    expect(read("k3")).toMatchObject({ interval: { low: 1e-3, high: 3e-3 } });
    expect(read("|delta_mean|")).toMatchObject({ interval: { low: 0, high: 0.9 } });
    expect(read("ess")).toMatchObject({ interval: { low: 0.9, high: 0.95 }, withheld: "only 4 prompts" });
    expect(read("k2")).toMatchObject({ interval: { low: 2, high: 5 } });
    expect(read("tokens")).toMatchObject({ interval: null, withheld: null });
  });

  it("of logged metrics is there for each step, by its name", () => {
    const series = {
      kind: "series",
      series: [{ metric: "actor/kl", steps: [1, 2, 3], values: [0.1, null, 0.3] }],
    } as unknown as SeriesReport;
    const read = (name: string): unknown => readFigures(series, parseFigureName(name));
    expect(read("last(logged.actor/kl)")).toMatchObject({ readings: [{ step: 3, value: 0.3 }] });
    expect(read("logged.actor/kl")).toMatchObject({ readings: [{}, { value: Number.NaN }, {}] });
    expect(read("logged.kl")).toEqual({ missing: "logged are actor/kl" });
    expect(read("k3")).toEqual({ missing: "logged metrics only: no dumps were read" });
  });
});

describe("whether it holds", () => {
  it("is open where the interval has values on both sides", () => {
    const judge = (low: number, high: number): string => judgeInterval(2, { low, high }, "<=", 3);
    expect([judge(1, 3), judge(1, 3.1), judge(3.1, 4)]).toEqual(["holds", "open", "fails"]);
    expect(judgeInterval(2, null, ">", 2)).toBe("fails");
    expect(judgeInterval(2, { low: 1, high: 3 }, "==", 2)).toBe("holds");
    expect(judgeInterval(Number.NaN, null, "!=", 2)).toBe("fails");
  });

  it("is open of a verdict that the data leave open", () => {
    const judge = (text: string): string => {
      const condition = parseCondition(text);
      return condition.kind === "verdict" ? judgeVerdict(REPORT.verdict, condition) : "no verdict";
    };
    expect(judge("verdict <= high")).toBe("holds");
    expect(judge("verdict <= elevated")).toBe("open");
    expect(judge("verdict == normal")).toBe("fails");
    expect(judge("verdict > normal")).toBe("holds");
  });
});

describe("how figures are compared between runs", () => {
  const scale = (name: string) => findScale(parseFigureName(name));
  it.each([
    ["linear", "delta_mean k1 delta_min delta_max steps turns_max ranks ratio_mean chi2_token"],
    [
      "log",
      "tokens sequences delta_std delta_abs_mean delta_abs_max delta_abs_p50 delta_abs_p99 delta_abs_p999",
    ],
    ["log", "k2 k3 ratio_std prob_diff_mean prob_diff_max prob_diff_std rollout_ppl trainer_ppl"],
    ["below_one", "ess pearson per_step.ess"],
    ["root", "sequences_empty prob_diff_above_half catastrophic_tokens catastrophic_fraction"],
    ["root", "identity.failures excluded.missing excluded.delta_negative_infinite non_finite_tokens"],
    ["root", "excluded.delta_positive_infinite"],
    ["linear", "identity.unit_mean.value identity.unit_mean.z identity.half_variance.value"],
    ["linear", "identity.surprisal.value identity.surprisal.z trust.khat_ratio trust.khat_inverse"],
    ["linear", "trust.khat_sequence per_step.reward per_step.accuracy"],
    ["log", "trust.design_effect trust.effective_sequences per_step.entropy per_step.response_tokens"],
  ])("%s: %s", (wanted, names) => {
    for (const name of names.split(" ")) expect(scale(name), name).toBe(wanted);
  });

  it("knows which figures say how much was read", () => {
    const counts = ["sequences", "tokens", "steps", "turns_max", "ranks", "sequences_empty"];
    expect(counts.every(isAmount)).toBe(true);
    expect(["k3", "ess", "catastrophic_tokens"].some(isAmount)).toBe(false);
  });
});

describe("a number meets a bound", () => {
  it.each([
    ["<=", [true, true, false]],
    ["<", [true, false, false]],
    [">=", [false, true, true]],
    [">", [false, false, true]],
    ["==", [false, true, false]],
    ["!=", [true, false, true]],
  ] as const)("%s", (operator, met) => {
    expect([1, 2, 3].map((value) => meets(value, operator, 2))).toEqual(met);
    expect(meets(Number.NaN, operator, 2)).toBe(false);
  });

  it.each([
    ["k3 <= 1e3", 1000],
    ["k3 <= 1e+3", 1000],
    ["k3 <= .5E-1", 0.05],
    ["k3 <= -2.", -2],
    ["k3 <= 1_000.5", 1000.5],
  ])("%s is read", (text, bound) => expect(parseCondition(text)).toMatchObject({ bound }));

  it.each(["k3 <= 1x", "k3 <= x1", "k3 <= 1e", "k3 <= 1e3x", "k3 <= 1-2"])("%s is not", (text) => {
    expect(refusal(text)).toContain("is not a finite number");
  });
});

describe("figures of steps, pooled", () => {
  const stepped = {
    ...REPORT,
    per_step: [3, 1, 2].map((k3, at) => ({ step: 10 * (3 - at), k3 })),
  } as unknown as MismatchReport;
  const pooled = (name: string) => {
    const found = readFigures(stepped, parseFigureName(name));
    return "missing" in found ? found.missing : found.readings.map(({ step, value }) => [step, value]);
  };
  it("are the mean of all, the largest or smallest with its step, or that of the last step", () => {
    expect(pooled("mean(per_step.k3)")).toEqual([[null, 2]]);
    expect(pooled("max(per_step.k3)")).toEqual([[30, 3]]);
    expect(pooled("min(per_step.k3)")).toEqual([[20, 1]]);
    expect(pooled("last(per_step.k3)")).toEqual([[30, 3]]);
    expect(pooled("|min(per_step.k3)|")).toEqual([[20, 1]]);
  });

  it("have no name around another: the words must be the whole of it", () => {
    for (const name of ["xmax(per_step.k3) <= 1", "x|k3| <= 1", "max(per_step.k3)x <= 1"])
      expect(refusal(name), name).toMatch(/there is no figure|cannot read/);
  });
});

it("a verdict that is not a level is open, and an end that touches 0 makes a size begin at 0", () => {
  const condition = parseCondition("verdict <= normal");
  if (condition.kind !== "verdict") throw new Error("not a verdict");
  const judge = (...range: string[]) =>
    judgeVerdict({ level_range: range } as unknown as MismatchReport["verdict"], condition);
  expect(judge("too_few", "too_few")).toBe("open");
  expect(judge("normal", "too_few")).toBe("open");
  expect(judge("too_few", "normal")).toBe("open");
  const size = (low: number, high: number) => {
    const report = { ...REPORT, intervals: { delta_mean: interval(low, high) } } as unknown as MismatchReport;
    const found = readFigures(report, parseFigureName("|delta_mean|"));
    return "missing" in found ? undefined : found.readings[0]!.interval;
  };
  expect(size(-0.9, -0.1)).toMatchObject({ low: 0.1, high: 0.9 });
  expect(size(-0.9, 0)).toMatchObject({ low: 0, high: 0.9 });
  expect(size(0, 0.9)).toMatchObject({ low: 0, high: 0.9 });
});
