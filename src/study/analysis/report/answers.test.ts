import { describe, expect, test } from "vitest";
import type { CategoryFigures, Progression } from "../../results/checkpoints.ts";
import type { KlAnswer, KlComparison, KlReport } from "../../results/report.ts";
import type { AttentionFigures, FirstErrorFigures, PairedDifference } from "../../results/wrong-texts.ts";
import { answers } from "./answers.ts";
import { buildKlReport } from "./build-kl-report.ts";
import { growingStudy, makeStudy } from "./report.test-data.ts";

const { texts, checkpoints } = growingStudy();
const REPORT: KlReport = buildKlReport({ ...makeStudy(texts, checkpoints), cases: [] });

function findAnswer(start: string, more: Partial<KlReport>): KlAnswer {
  const found = answers({ ...REPORT, ...more }).find(({ question }) => question.startsWith(start));
  if (found === undefined) throw new Error(`no question starts with ${start}`);
  return found;
}

const comparison = (more: Partial<KlComparison> = {}): KlComparison => ({
  kind: "first-last",
  a: "c10",
  b: "c30",
  problems: 8,
  mean_difference: 0.5,
  median_difference: 0.5,
  interval: { low: 0.4, high: 0.6 },
  statistic: 0,
  p_value: 0.01,
  adjusted_p_value: 0.02,
  rank_biserial: 1,
  significant: true,
  ...more,
});

const paired = (mean: number, more: Partial<PairedDifference> = {}): PairedDifference => ({
  problems: 12,
  mean,
  interval: null,
  p_value: 0.01,
  adjusted_p_value: 0.02,
  rank_biserial: null,
  significant: true,
  ...more,
});
const untested = { p_value: null, adjusted_p_value: null, significant: false };
const insignificant = { p_value: 0.2, adjusted_p_value: 0.4, significant: false };

describe("at which tokens", () => {
  const at = (more: Partial<KlReport>) => findAnswer("At which tokens", more);
  const last = REPORT.checkpoints.c30!;
  const withLast = (more: Partial<typeof last>) => ({
    checkpoints: { ...REPORT.checkpoints, c30: { ...last, ...more } },
  });

  test("names spikes, their share, and the tokens by their share of all KL", () => {
    const { answer, support } = at(
      withLast({
        spikes_total: 12,
        spikes_per_100_tokens: 25,
        spike_share_of_kl: 0.8,
        spikes_mean: 1.5,
        spikes_shuffled: 0.75,
        mean_kl: 0.5,
        mean_kl_interval: { low: 0.4, high: 0.625 },
      }),
    );
    expect(support).toBe("descriptive");
    expect(answer).toMatch(/^12 spikes, 25\.0 per 100 tokens, contain 80\.0 % of all KL/);
    expect(answer).toContain("(1.50 per problem; the same values in random order have 0.750)");
    expect(answer).toMatch(/By the token's text: "7" \(85\.7 % of all KL, 8 times\)/);
    expect(answer).toMatch(/Mean KL 0\.500 nats \(95 % 0\.400 to 0\.625\) over 8 problems\.$/);
  });

  test("says that no token is a spike, and does without what is not known", () => {
    const { answer } = at(withLast({ spike_share_of_kl: null, mean_kl_interval: null, problems: 1 }));
    expect(answer).toMatch(/^No token is a spike\./);
    expect(answer).toMatch(/nats over 1 problem\.$/);
    expect(at(withLast({ spike_share_of_kl: 0.5, spikes_shuffled: null })).answer).not.toContain(
      "random order",
    );
    expect(at(withLast({ mean_kl: null })).support).toBe("not enough data");
    expect(at({ top_tokens: [] }).support).toBe("not enough data");
    const many = Array.from({ length: 7 }, (_, i) => ({ ...REPORT.top_tokens[0]!, token: `t${i}` }));
    const five = at({ top_tokens: many }).answer;
    expect([five.includes('"t4"'), five.includes('"t5"')]).toEqual([true, false]);
    expect(at(withLast({ spikes_total: 1, spike_share_of_kl: 0.5 })).answer).toMatch(
      /^1 spike, .* per 100 tokens, contains 50\.0 % of all KL/,
    );
    const once = at({ top_tokens: [{ ...REPORT.top_tokens[0]!, count: 1 }] }).answer;
    expect(once).toContain("of all KL, 1 time)");
  });
});

describe("of which kind", () => {
  const kind = (mean_kl: number, low: number, high: number, share_of_kl = 0.5, share_of_tokens = 0.4) =>
    ({
      ...REPORT.categories.c30!.number!,
      mean_kl,
      share_of_kl,
      share_of_tokens,
      mean_kl_interval: { low, high },
    }) satisfies CategoryFigures;
  const of = (categories: Readonly<Record<string, CategoryFigures>>) =>
    findAnswer("What kind of tokens", { categories: { c30: categories } });

  test("lists the highest first, and says yes where the intervals of the first two lie apart", () => {
    const apart = of({ other: kind(0.1, 0.05, 0.2, 0.3, 0.6), number: kind(0.9, 0.21, 1) });
    expect(apart.support).toBe("yes");
    expect(apart.answer).toMatch(/^Highest mean KL: number 0\.900 nats .*; other 0\.100 nats/);
    expect(apart.answer).toContain("50.0 % of the KL on 40.0 % of the tokens");
    expect(apart.answer).toContain("More of the KL than of the tokens: number.");
    expect(apart.answer).toMatch(/the intervals of number and other do not overlap\.$/);
  });

  test("says no where they touch, and that the order is not settled", () => {
    const touching = of({ other: kind(0.1, 0.05, 0.2, 0.4), number: kind(0.9, 0.2, 1, 0.4) });
    expect(touching.support).toBe("no");
    expect(touching.answer).toMatch(/overlap, so the order of the two is uncertain\.$/);
    expect(touching.answer).not.toContain("do not overlap");
    expect(touching.answer).toContain("More of the KL than of the tokens: none.");
  });

  test("has too little for an answer without intervals or with one kind", () => {
    const none = { ...kind(0.9, 0, 1), mean_kl_interval: null };
    expect(of({ number: none, other: kind(0.1, 0, 0.2) })).toMatchObject({ support: "not enough data" });
    expect(of({ number: kind(0.9, 0, 1) }).support).toBe("not enough data");
  });
});

describe("since which checkpoint", () => {
  const progression = REPORT.progression!;
  const since = (more: Partial<Progression>, test?: Partial<KlComparison>) =>
    findAnswer("Since which", {
      progression: { ...progression, ...more },
      comparisons: [comparison({ kind: "consecutive", a: "c10", b: "c20", ...test })],
    });

  test("names the checkpoint by which half is there, and the step to it", () => {
    const { answer, support } = since({ half_by: "c20" });
    expect(support).toBe("yes");
    expect(answer).toMatch(
      /^Half of the last checkpoint's mean KL \(.* nats\) is reached by c20 and kept; from c10 to it/,
    );
    expect(answer).toContain(
      "changes by +0.500 nats (95 % 0.400 to 0.600) over 8 problems, p = 0.0200 for the median after correction",
    );
    expect(since({ half_by: "c20" }, { significant: false }).support).toBe("no");
    expect(since({ half_by: "c20" }, { mean_difference: -0.5 }).answer).toContain("changes by -0.500 nats");
  });

  test("says that it may be older where the first one has it, and what could not be tested", () => {
    const first = since({ half_by: "c10" });
    expect(first.support).toBe("descriptive");
    expect(first.answer).toContain("it is the first one scored, so it may be older");
    const open = since({ half_by: "c20" }, { adjusted_p_value: null });
    expect(open.support).toBe("not enough data");
    expect(open.answer).toContain("the step from c10 could not be tested");
    expect(since({ half_by: "c30" }).support).toBe("not enough data");
    expect(since({ half_by: "c20" }, { kind: "baseline" }).support).toBe("not enough data");
    const none = since({ half_by: null });
    expect([none.support, none.answer.startsWith("The last mean KL is not above 0.")]).toEqual([
      "not enough data",
      true,
    ]);
    expect(findAnswer("Since which", { progression: null }).support).toBe("not enough data");
  });

  test("says of each turning point whether it is more than a walk", () => {
    const turn = (supported: boolean | null, type: "max" | "inflection" = "max") => ({
      ...{ checkpoint: "c20", step: 20, value: 1, type, method: "peaks" as const, supported },
    });
    const of = (...turning_points: ReturnType<typeof turn>[]) =>
      since({ half_by: "c20", turning_points }).answer;
    expect(of(turn(true))).toContain("c20 (max, more than a walk)");
    expect(of(turn(false))).toContain("c20 (max, no more than a walk)");
    expect(of(turn(null))).toContain("c20 (max, not tested: too few checkpoints)");
    expect(of(turn(true, "inflection"))).toContain("No turning point.");
  });

  test("says how far a drift is from a walk without one", () => {
    const of = (trend: Progression["trend"]) => since({ half_by: "c20", trend }).answer;
    expect(of({ rho: -0.8, p_value: 0.03 })).toMatch(
      /with step -0\.80 over these 3 .* without one: p = 0\.0300\.$/,
    );
    expect(of({ rho: 0.8, p_value: null })).toContain("too few of them to tell a drift from a walk");
    expect(of(null)).not.toContain("Rank correlation");
  });
});

describe("whether first and last differ", () => {
  const differ = (...comparisons: KlComparison[]) => findAnswer("Do the first and the last", { comparisons });

  test("is yes after a significant test, whatever the direction, and no after one that is not", () => {
    const rises = differ(comparison());
    expect(rises.support).toBe("yes");
    expect(rises.answer).toMatch(/^From c10 to c30 the mean KL changes by \+0\.500 nats/);
    const falls = differ(comparison({ mean_difference: -0.5, interval: { low: -0.6, high: -0.4 } }));
    expect(falls.answer).toContain("changes by -0.500 nats (95 % -0.600 to -0.400)");
    expect(differ(comparison({ significant: false })).support).toBe("no");
  });

  test("counts the significant steps between neighbors", () => {
    const steps = [true, false, true].map((significant) => comparison({ kind: "consecutive", significant }));
    expect(differ(comparison(), ...steps).answer).toContain(
      "Of 3 steps between neighbors 2 are significant.",
    );
    expect(differ(comparison(), steps[0]!).answer).toContain("Of 1 step between neighbors 1 is significant.");
    expect(differ(comparison()).answer).not.toContain("between neighbors");
  });

  test("has not enough data without a test", () => {
    const open = differ(comparison(untested));
    expect(open.support).toBe("not enough data");
    expect(open.answer).toContain("too few problems differ for a test.");
    expect(differ()).toMatchObject({
      support: "not enough data",
      answer: "4 checkpoints and 8 problems: there are no pairs to compare.",
    });
    const one = findAnswer("Do the first", {
      comparisons: [],
      metrics: { ...REPORT.metrics, checkpoints: 1, problems: 1 },
    });
    expect(one.answer).toBe("1 checkpoint and 1 problem: there are no pairs to compare.");
  });
});

describe("whether KL sits at errors", () => {
  const figures = (more: Partial<FirstErrorFigures> = {}): FirstErrorFigures => ({
    checkpoint: "c30",
    texts: 20,
    window: 2,
    spike_at_error: 0.6,
    tested: 5,
    tested_at_error: 0.8,
    expected: 0.3,
    p_value: 0.01,
    adjusted_p_value: 0.0499,
    kl_at_error: 1,
    kl_elsewhere: 0.1,
    median_distance: -1,
    spikes_after: 0.5,
    ...more,
  });
  const at = (more: Partial<FirstErrorFigures> = {}) =>
    findAnswer("Is the KL concentrated", { first_errors: [figures(more)], correctness: [] });

  test("is yes below alpha, with the share at errors and the share to expect", () => {
    const { answer, support } = at();
    expect(support).toBe("yes");
    expect(answer).toMatch(/^60\.0 % of 20 wrong texts have a spike at their first known error\./);
    expect(at({ texts: 1 }).answer).toMatch(/^60\.0 % of 1 wrong text have/);
    expect(answer).toMatch(
      /Of the 5 .*, 80\.0 % have one at the error; 30\.0 % would if .*\(p = 0\.0499\)\./,
    );
    expect(at({ adjusted_p_value: 0.05 }).support).toBe("no");
  });

  test("has not enough data below five texts", () => {
    expect(at({ tested: 4 }).support).toBe("not enough data");
    expect(at({ tested: 5 }).support).toBe("yes");
    const none = at({
      tested: 0,
      tested_at_error: null,
      expected: null,
      p_value: null,
      adjusted_p_value: null,
    });
    expect(none.support).toBe("not enough data");
    expect(none.answer).toContain("None of them has another result");
    expect(at({ checkpoint: "c20" })).toMatchObject({
      support: "not enough data",
      answer: expect.stringContaining("No wrong text has a known first error"),
    });
  });

  test("says on which side of the error the nearest spike lies", () => {
    expect(at({ median_distance: -2 }).answer).toContain("The nearest spike is 2 tokens before it (median).");
    expect(at({ median_distance: 3 }).answer).toContain("The nearest spike is 3 tokens after it (median).");
    expect(at({ median_distance: -1 }).answer).toContain("The nearest spike is 1 token before it (median).");
    expect(at({ median_distance: 0 }).answer).toContain("The nearest spike is at the error (median).");
    expect(at({ median_distance: null }).answer).not.toContain("nearest spike");
  });

  test("says which share of the KL moves as one wants", () => {
    const correctness = [
      { ...REPORT.correctness.find(({ checkpoint }) => checkpoint === "c30")!, good_share: 0.7 },
    ];
    const { answer } = findAnswer("Is the KL concentrated", { first_errors: [], correctness });
    expect(answer).toContain(
      "70.0 % of the KL of judged texts is at tokens that move in the wanted direction",
    );
  });
});

describe("attention", () => {
  const figures = (more: Partial<AttentionFigures> = {}): AttentionFigures => ({
    checkpoint: "c30",
    texts: 12,
    problems: 12,
    to_error: 0.08,
    reference_to_error: 0.05,
    to_control: null,
    reference_to_control: null,
    difference: paired(0.03),
    control_difference: null,
    with_kl: null,
    strongest_head: null,
    hidden: null,
    ...more,
  });
  const look = (more: Partial<AttentionFigures>) =>
    findAnswer("Does it look", { attention: [figures(more)] });

  test("is yes where significantly more goes to the error, not where less does", () => {
    const more = look({});
    expect(more.support).toBe("yes");
    expect(more.answer).toMatch(
      / 8\.0 % of c30's attention goes to it, 5\.0 % of ref's: \+3\.00 points over 12 problems \(p = 0\.0200\)\./,
    );
    expect(look({ difference: paired(-0.03) })).toMatchObject({
      support: "no",
      answer: expect.stringContaining(": -3.00 points"),
    });
    expect(look({ difference: paired(0.03, insignificant) }).support).toBe("no");
    expect(look({ difference: paired(0.03, untested) })).toMatchObject({
      support: "not enough data",
      answer: expect.stringContaining("(too few problems differ for a test)"),
    });
  });

  test("is told beside the tokens before the error and the KL behind it", () => {
    const { answer } = look({
      control_difference: paired(-0.01),
      with_kl: { problems: 12, coefficient: -0.4, interval: null, p_value: 0.1, adjusted_p_value: 0.2 },
    });
    expect(answer).toContain("To as many tokens right before the error: -1.00 points (p = 0.0200).");
    expect(answer).toContain("with mean KL after the error -0.40 (p = 0.200).");
  });

  const hide = (more: Partial<NonNullable<AttentionFigures["hidden"]>>) =>
    findAnswer("Is the KL after the error caused", {
      attention: [
        figures({
          hidden: {
            problems: 12,
            kl: 0.5,
            kl_without_error: 0.3,
            kl_without_control: 0.45,
            difference: paired(-0.2),
            against_control: paired(-0.15),
            ...more,
          },
        }),
      ],
    });

  test("KL falls with the error hidden, more than with other tokens hidden", () => {
    const falls = hide({});
    expect(falls.support).toBe("yes");
    expect(falls.answer).toMatch(
      /is 0\.500 nats; with the error hidden .* 0\.300 \(p = 0\.0200\), .* hidden instead 0\.450\./,
    );
    expect(falls.answer).toMatch(/40\.0 % of it disappears when the error is hidden\.$/);
    expect(hide({ against_control: null, kl_without_control: null }).support).toBe("yes");
  });

  test("KL that rises, or does not fall more than by chance, says nothing", () => {
    for (const [difference, reading] of [
      [paired(0.2), "It does not fall"],
      [paired(0), "It does not fall"],
      [paired(-0.2, insignificant), "It falls no further than chance allows"],
    ] as const) {
      const { support, answer } = hide({ difference });
      expect(support).toBe("no");
      expect(answer).toContain(` ${reading}: these data do not show that it comes from seeing the error.`);
    }
    expect(hide({ difference: paired(-0.2, untested) }).support).toBe("not enough data");
  });

  test("KL that other hidden tokens take away as well is not the error's", () => {
    for (const [against_control, reading] of [
      [paired(0.1), " Hiding the other tokens removes as much of it."],
      [paired(-0.1, insignificant), " Chance allows as large a fall with the other tokens hidden."],
    ] as const) {
      const { support, answer } = hide({ against_control });
      expect(support).toBe("no");
      expect(answer.endsWith(reading), answer).toBe(true);
    }
  });
});

describe("against a baseline", () => {
  const beside = (...comparisons: KlComparison[]) => findAnswer("How far is sft from ref", { comparisons });
  const baseline = comparison({ kind: "baseline", a: "sft", b: "c30" });

  test("is its comparison with the last checkpoint", () => {
    const { answer, support } = beside(comparison({ ...baseline, b: "c10", mean_difference: -9 }), baseline);
    expect(support).toBe("yes");
    expect(answer).toMatch(
      /^sft has a mean KL of .* nats; from it to c30 the mean KL changes by \+0\.500 nats/,
    );
    expect(beside({ ...baseline, significant: false }).support).toBe("no");
    expect(beside({ ...baseline, ...untested })).toMatchObject({ support: "not enough data" });
    expect(beside()).toMatchObject({
      support: "not enough data",
      answer: "sft and c30 have no problems in common.",
    });
  });
});

test("a probability is never written as 0", () => {
  const p = (adjusted_p_value: number): string =>
    findAnswer("Do the first", { comparisons: [comparison({ adjusted_p_value })] }).answer;
  expect(p(1e-16)).toContain("p < 1e-15 for the median after");
  expect(p(0.00012)).toContain("p = 1.20e-4 for the median after");
  expect(p(0.001)).toContain("p = 0.00100 for the median after");
});
