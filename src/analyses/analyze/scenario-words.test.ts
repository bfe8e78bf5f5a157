import { describe, expect, it } from "vitest";
import type {
  ClusteredTest,
  Comparison,
  DivergenceFigures,
  LoggedDigitFigures,
  Scenario,
  ShareFigures,
} from "../../results/analyze.ts";
import { readScenarios, type ScenarioSource } from "./scenarios.ts";

const DIGITS = { count: 100, correct_texts: 500, texts_unknown: 0 } as LoggedDigitFigures;

const share = (more: Partial<ShareFigures> = {}): ShareFigures => ({
  count: 1000,
  share: 0.7,
  interval: { low: 0.65, high: 0.75 },
  by: "prompt",
  clusters: 40,
  baseline: 0.6,
  baseline_from: "given",
  against_baseline: null,
  ...more,
});

const clustered = (low: number | null, high: number | null, clusters = 40, least = 20): ClusteredTest => ({
  by: "prompt",
  clusters,
  clusters_least: least,
  statistic: 1,
  p_value: 0.5,
  degrees_of_freedom: clusters - 1,
  interval: { low, high },
  effect_interval: { low, high },
});

const comparison = (id: Comparison["id"], more: Partial<Comparison> = {}): Comparison => {
  return {
    id,
    title: "",
    unit: "token",
    a: { label: "a", count: 500, mean: 0.5 },
    b: { label: "b", count: 400, mean: 0.4 },
    absent: null,
    mean_difference: 0.1,
    hedges_g: 0.1,
    clustered: clustered(-0.1, 0.1),
    ...more,
  } as Comparison;
};

function read(
  id: Scenario["id"],
  more: Partial<ScenarioSource> & { readonly shown?: Comparison } = {},
): Scenario {
  const { shown, ...source } = more;
  const comparisons = [comparison("correctness_sequences"), comparison("not_digits")];
  return readScenarios({
    correct: { count: 500 } as DivergenceFigures,
    digits: DIGITS,
    shares: { correct: share(), digits_correct: share(), correct_digits: share() },
    comparisons: comparisons.map((one) => (one.id === shown?.id ? shown : one)),
    ...source,
  }).find((scenario) => scenario.id === id)!;
}

const ofCorrect = (more: Partial<ShareFigures>) => ({
  shares: { correct: share(more), digits_correct: share(), correct_digits: share() },
});

describe("each scenario", () => {
  it("says what was seen, what it means and what to do, on the right side", () => {
    const words: [Scenario["id"], RegExp, RegExp, RegExp][] = [
      [
        "mostly_correct",
        /^more divergent tokens come from correct answers than expected by chance/,
        /learning correct answers/,
        /nothing to fix/,
      ],
      [
        "mostly_incorrect",
        /^more divergent tokens come from incorrect answers than expected by chance/,
        /learning wrong answers, or the training is unstable/,
        /check the reward function/,
      ],
      [
        "digits_correct",
        /^more divergent digit tokens come from correct answers than expected by chance/,
        /learned correct digits/,
        /nothing to fix/,
      ],
      ["equal", /equal on correct and incorrect/, /unrelated to correctness/, /logratio sweep/],
      ["digits_only", /only digit tokens diverge in correct answers/, /decide the answer/, /logratio digits/],
      ["not_digits_more", /other than digits diverge more/, /unexpected/, /check the prompt format/],
    ];
    for (const [id, observation, interpretation, nextStep] of words) {
      const scenario = read(id);
      expect(scenario.observation).toMatch(observation);
      expect(scenario.interpretation).toMatch(interpretation);
      expect(scenario.next_step).toMatch(nextStep);
    }
  });
});

describe("more from correct or incorrect answers", () => {
  const status = (id: Scenario["id"], low: number, high: number, more: Partial<ShareFigures> = {}) =>
    read(id, ofCorrect({ interval: { low, high }, ...more })).status;

  it("is yes above chance, no where ten points above it are excluded, else open", () => {
    expect(status("mostly_correct", 0.601, 0.9)).toBe("yes");
    expect(status("mostly_correct", 0.6, 0.699)).toBe("no");
    expect(status("mostly_correct", 0.6, 0.701)).toBe("not enough data");
  });

  it("is the rest for incorrect answers, the interval turned round", () => {
    // Incorrect: chance 0.4.
    expect(status("mostly_incorrect", 0.3, 0.599)).toBe("yes");
    expect(status("mostly_incorrect", 0.501, 0.6)).toBe("no");
    expect(status("mostly_incorrect", 0.499, 0.6)).toBe("not enough data");
    const { measured } = read("mostly_incorrect", ofCorrect({ interval: { low: 0.65, high: 0.8 } }));
    expect(measured).toMatch(/^30\.0 % of 1,000 records are from incorrect answers/);
    expect(measured).toContain("95 % interval 20.0 % to 35.0 % over 40 prompts; by chance 40.0 %");
    expect(read("mostly_correct").measured).toMatch(
      /^70\.0 % .* from correct answers, .*; by chance 60\.0 %/,
    );
  });

  it("needs ten clusters, an interval, a share and chance's share", () => {
    expect(status("mostly_correct", 0.7, 0.8, { clusters: 9 })).toBe("not enough data");
    expect(status("mostly_correct", 0.7, 0.8, { clusters: 10 })).toBe("yes");
    const open = (more: Partial<ShareFigures>) => read("mostly_correct", ofCorrect(more));
    for (const [more, words] of [
      [{ share: null }, "no record says whether its answer is correct"],
      [{ interval: { low: null, high: null } }, "which records are from one response"],
      [{ baseline: null, baseline_from: null }, "--accuracy 0.62 does"],
    ] as const) {
      expect(open(more).status).toBe("not enough data");
      expect(open(more).measured).toContain(words);
    }
    expect(open({ count: 1, by: "response" }).measured).toMatch(/of 1 record is from .* over 40 responses;/);
  });

  it("says where chance's share is from", () => {
    const from = (baseline_from: ShareFigures["baseline_from"]) =>
      read("mostly_incorrect", ofCorrect({ baseline_from })).measured;
    expect(from("tokens")).toContain("(the share of all response tokens in incorrect answers)");
    expect(from("responses")).toMatch(/\(the share of all responses that are incorrect\)$/);
    expect(from("given")).toContain("(the share of all responses that are incorrect, as given)");
  });

  it("of digits has its own share, and nothing without texts", () => {
    const shares = { correct: share(), correct_digits: share() };
    const low = share({ interval: { low: 0.3, high: 0.5 } });
    expect(read("digits_correct", { shares: { ...shares, digits_correct: low } }).status).toBe("no");
    expect(read("mostly_correct", { shares: { ...shares, digits_correct: low } }).status).toBe("yes");
    const digits = (count: number, texts_unknown: number) =>
      read("digits_correct", { digits: { ...DIGITS, count, texts_unknown } });
    expect(digits(0, 3).measured).toBe("the log has no token texts");
    expect(digits(1, 3).status).toBe("yes");
    expect(digits(0, 0).status).toBe("yes");
  });
});

describe("divergence equal on both", () => {
  const equal = (test: Partial<Comparison>, correct: Partial<ShareFigures> = {}) =>
    read("equal", {
      ...ofCorrect({ interval: { low: 0.55, high: 0.65 }, ...correct }),
      shown: comparison("correctness_sequences", test),
    });
  const at = (low: number, high: number, correct: Partial<ShareFigures> = {}) =>
    equal({ clustered: clustered(low, high) }, correct).status;

  it("is yes within a fifth of a deviation and ten points", () => {
    expect(at(-0.2, 0.2)).toBe("yes");
    expect(at(-0.201, 0.1)).toBe("not enough data");
    expect(at(-0.1, 0.201)).toBe("not enough data");
    expect(at(-0.1, 0.1, { interval: { low: 0.501, high: 0.699 } })).toBe("yes");
    expect(at(-0.1, 0.1, { interval: { low: 0.499, high: 0.6 } })).toBe("not enough data");
    expect(at(-0.1, 0.1, { interval: { low: 0.6, high: 0.701 } })).toBe("not enough data");
  });

  it("is no where a mean or a share lies apart, in either direction", () => {
    expect(at(0.01, 0.3)).toBe("no");
    expect(at(-0.3, -0.01)).toBe("no");
    expect(at(0, 0.3)).toBe("not enough data");
    expect(at(-0.1, 0.1, { interval: { low: 0.701, high: 0.9 } })).toBe("no");
    expect(at(-0.1, 0.1, { interval: { low: 0.3, high: 0.499 } })).toBe("no");
    // A difference that is certain but small is none.
    expect(at(0.01, 0.2)).toBe("yes");
  });

  it("needs ten prompts, an interval and chance's share", () => {
    const of = (clusters: number) => equal({ clustered: clustered(-0.1, 0.1, clusters) }).status;
    expect([of(9), of(10)]).toEqual(["not enough data", "yes"]);
    expect(at(-0.1, 0.1, { baseline: null })).toBe("not enough data");
    expect(at(0.1, 0.3, { baseline: null })).toBe("no");
    expect(equal({ absent: "no response is correct" }).measured).toBe(
      "no comparison: no response is correct",
    );
    expect(equal({ clustered: null })).toMatchObject({
      status: "not enough data",
      measured: expect.stringContaining("in too few prompts for a test"),
    });
    expect(equal({ clustered: clustered(null, null) }).measured).toContain("too uniform for an interval");
  });

  it("is yes of values that are all the same", () => {
    const same = {
      a: { label: "", count: 9, mean: 0.5 },
      b: { label: "", count: 9, mean: 0.5 },
      hedges_g: null,
    };
    const { status, measured } = equal({ ...same, clustered: clustered(null, null) });
    expect(status).toBe("yes");
    expect(measured).toContain("every value is the same");
  });

  it("names the means of correct and then of incorrect responses", () => {
    expect(equal({}).measured).toMatch(
      /^mean 0\.500 in 500 correct, 0\.400 in 400 incorrect responses; effect 0\.10, 95 % interval -0\.10 to 0\.10 over 40 prompts/,
    );
  });
});

describe("only digits", () => {
  const only = (correct_digits: Partial<ShareFigures>, more: Partial<ScenarioSource> = {}) =>
    read("digits_only", {
      shares: {
        correct: share(),
        digits_correct: share(),
        correct_digits: share({
          share: 0.8,
          interval: { low: 0.75, high: 0.9 },
          baseline: 0.4,
          baseline_from: "incorrect",
          against_baseline: { low: 0.2, high: 0.6, clusters: 5 },
          ...correct_digits,
        }),
      },
      ...more,
    });
  const apart = (low: number, high: number, clusters = 5) => ({ against_baseline: { low, high, clusters } });

  it("is yes of four fifths or more, which incorrect answers do not have", () => {
    const { status, measured } = only({});
    expect(status).toBe("yes");
    expect(measured).toMatch(/^80\.0 % of 500 records from correct answers are digit tokens/);
    expect(measured).toMatch(/in incorrect ones 40\.0 %: .* 20\.0 to 60\.0 points$/);
    expect(only({ share: 0.799 }).status).toBe("not enough data");
    expect(only(apart(0, 0.2)).status).toBe("not enough data");
    expect(only(apart(0.001, 0.05)).status).toBe("yes");
  });

  it("is no where it is surely less, or as much in incorrect ones", () => {
    expect(only({ interval: { low: 0.6, high: 0.799 } }).status).toBe("no");
    expect(only({ interval: { low: 0.6, high: 0.8 } }).status).toBe("yes");
    expect(only(apart(-0.1, 0.099)).status).toBe("no");
    expect(only(apart(-0.1, 0.1)).status).toBe("not enough data");
  });

  it("needs texts, responses, ten clusters, and five of incorrect answers", () => {
    expect(only({ clusters: 9 }).status).toBe("not enough data");
    expect(only({ clusters: 10 }).status).toBe("yes");
    expect(only(apart(0.2, 0.6, 4)).measured).toContain("too few records are from incorrect answers");
    expect(only({ baseline: null }).status).toBe("not enough data");
    expect(only({ interval: { low: null, high: null } }).measured).toContain("are from one response");
    expect(only({}, { correct: { count: 0 } as DivergenceFigures }).measured).toBe(
      "no record is from a correct answer",
    );
    expect(only({}, { digits: { ...DIGITS, correct_texts: 0 } }).measured).toBe("the log has no token texts");
  });
});

describe("other tokens more than digits", () => {
  const others = (low: number | null, high: number | null, least = 20, more: Partial<Comparison> = {}) =>
    read("not_digits_more", {
      shown: comparison("not_digits", { clustered: clustered(low, high, 40, least), ...more }),
    });

  it("is yes above 0, no below a small effect, else open", () => {
    expect(others(0.001, 0.5).status).toBe("yes");
    expect(others(0, 0.199).status).toBe("no");
    expect(others(-0.5, -0.2).status).toBe("no");
    expect(others(0, 0.2).status).toBe("not enough data");
    expect(others(0.001, 0.5).measured).toMatch(
      /^mean 0\.500 in 500 other tokens, 0\.400 in 400 digit tokens;/,
    );
  });

  it("needs ten clusters on both sides, and texts", () => {
    expect([others(0.1, 0.5, 9).status, others(0.1, 0.5, 10).status]).toEqual(["not enough data", "yes"]);
    expect(others(null, null).measured).toContain("too uniform");
    expect(others(0.1, 0.5, 20, { clustered: null }).measured).toContain("in too few prompts, or the log");
    expect(others(0.1, 0.5, 20, { absent: "no token is of digits" }).measured).toBe(
      "no comparison: no token is of digits",
    );
    const none = { label: "", count: 0, mean: null };
    const absent = comparison("not_digits", { absent: "nothing", a: none, b: none });
    expect(read("not_digits_more", { shown: absent, digits: { ...DIGITS, texts_unknown: 3 } }).measured).toBe(
      "the log has no token texts",
    );
  });
});

describe("an interval with one end", () => {
  const ends = [
    [0.7, null],
    [null, 0.9],
  ] as const;

  it.each(ends)("from %s to %s decides nothing", (low, high) => {
    const interval = { low, high };
    for (const id of ["mostly_correct", "mostly_incorrect"] as const) {
      const { status, measured } = read(id, ofCorrect({ interval }));
      expect(status).toBe("not enough data");
      expect(measured).toContain("answers; the log does not say which records are from one response");
    }
    for (const id of ["equal", "not_digits_more"] as const) {
      const shown = comparison(id === "equal" ? "correctness_sequences" : "not_digits", {
        clustered: clustered(low, high),
      });
      expect(read(id, { shown }).measured).toMatch(/too uniform for an interval$/);
    }
    const open = read("equal", ofCorrect({ interval }));
    expect(open).toMatchObject({
      status: "not enough data",
      measured: expect.stringMatching(/--accuracy 0.62/),
    });
  });
});
