import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KlReport } from "../../results/report.ts";
import type { StudyText } from "../study.ts";
import { buildKlReport } from "./build-kl-report.ts";
import { chooseCases } from "./cases.ts";
import { growingStudy, lookedAt, makeStudy, type NamedKl, studyText } from "./report.test-data.ts";

function makeReport(texts: readonly StudyText[], checkpoints: readonly NamedKl[]): KlReport {
  const input = makeStudy(texts, checkpoints);
  return buildKlReport({ ...input, cases: lookedAt(texts, checkpoints, chooseCases(input)) });
}

const { texts, checkpoints } = growingStudy();
const report = makeReport(texts, checkpoints);

describe("all spikes", () => {
  const input = { ...makeStudy(texts, checkpoints), cases: [] };

  test("are listed when asked for: by checkpoint, in the order of the text, as many as are counted", () => {
    expect(buildKlReport(input).all_spikes).toBeNull();
    const { all_spikes: all, checkpoints: figures } = buildKlReport({ ...input, allSpikes: true });
    expect(Object.keys(all!)).toEqual(["sft", "c10", "c20", "c30"]);
    for (const [name, spikes] of Object.entries(all!))
      expect([name, spikes.length]).toEqual([name, figures[name]!.spikes_total]);
    expect(all!.c30!.map(({ handle }) => handle)).toEqual(texts.map((_, i) => `q${i}.t4`));
    expect(all!.c20![1]).toEqual({
      handle: "q1.t4",
      text: "p1",
      problem: "p1",
      position: 4,
      token: "7",
      token_id: 4,
      category: "number",
      region: "late",
      kl: 0.9 * 3 * 1.1,
      zscore: 3,
    });
  });
});

describe("a checkpoint's figures", () => {
  const two = [
    studyText("a", ["x", "1"]),
    studyText("b1", ["x"], { problem: "b" }),
    studyText("b2", ["2"], { problem: "b" }),
  ];
  // Problem a: (0.2 + 0.4) / 2 = 0.3; problem b: (1.5 + 0.1) / 2 = 0.8, averaged over its texts in the same way.
  const figures = makeReport(two, [{ name: "c", kl: [[0.2, 0.4], [1.5], [0.1]] }]).checkpoints.c!;

  test("are means over problems of means over texts", () => {
    expect(figures.mean_kl).toBeCloseTo(0.55, 12);
    expect(figures.std_kl).toBeCloseTo(0.25, 12);
    expect(figures.median_kl).toBeCloseTo(0.55, 12);
    expect([figures.min_kl, figures.max_kl]).toEqual([expect.closeTo(0.3, 12), expect.closeTo(0.8, 12)]);
    expect(figures.mean_reverse_kl).toBeCloseTo(0.275, 12);
    expect(figures.token_mean_kl).toBeCloseTo(2.2 / 4, 12);
    expect(figures.mean_entropy_normalized).toBeCloseTo(0.055 / Math.log(8), 12);
    expect(figures.argmax_changed).toBe(0.25);
    expect(figures.mean_delta).toBeCloseTo(-0.55, 12);
  });

  test("count spikes per problem", () => {
    expect([figures.spikes_total, figures.spikes_mean, figures.spikes_median]).toEqual([1, 0.5, 0.5]);
    expect(figures.spikes_per_100_tokens).toBe(25);
    expect(figures.spike_share_of_kl).toBeCloseTo(1.5 / 2.2, 12);
  });

  test("have no interval below six problems, and spikes beside those of shuffled values", () => {
    expect(figures.mean_kl_interval).toBeNull();
    expect(figures.spikes_shuffled).toBe(0.25);
  });

  test("are null and said to be absent where they cannot be", () => {
    const one = makeReport([studyText("a", ["x"])], [{ name: "c", kl: [[0.2]] }]);
    expect(one.checkpoints.c!.mean_kl_interval).toBeNull();
    expect(one.progression).toBeNull();
    expect(one.absent.join("\n")).toMatch(/mean_kl_interval[\s\S]*no progression/);
    expect(one.answers.map(({ support }) => support)).not.toContain("yes");
    const stepped = makeReport([studyText("a", ["x"])], [{ name: "c", step: 1, kl: [[0.2]] }]);
    expect(stepped.absent).toContain("no progression: 1 checkpoint has a step and a mean KL, two are needed");
    const [a, b] = ["a", "b"].map((name, step) => ({ name, step, kl: [[0.2]] }));
    const pair = makeReport([studyText("x", ["x"], { level: 1 })], [a!, b!]);
    expect(pair.absent).toContain("no comparison of a and b: 1 problem is scored under both");
    expect(pair.absent.join("\n")).toMatch(/no correlation with level: known of 1 problem, \d+ are needed/);
  });

  test("leave out texts without a finite KL, and say so", () => {
    const infinite = makeReport(two, [{ name: "c", kl: [[0.2, 0.4], [1.5], [Number.POSITIVE_INFINITY]] }]);
    expect(infinite.checkpoints.c!.mean_kl).toBeCloseTo(0.9, 12);
    expect(infinite.checkpoints.c!.texts_missing).toBe(1);
    expect(infinite.absent).toContain("1 text has no finite mean KL and is in no figure (c)");
  });
});

test("tokens with an infinite KL are counted", () => {
  const input = makeStudy(texts, checkpoints);
  const [first, ...rest] = input.checkpoints;
  const some = first!.texts.map((text, i) => (i < 3 ? { ...text, infiniteKl: 2 } : text));
  const { absent } = buildKlReport({
    ...input,
    checkpoints: [{ ...first!, texts: some }, ...rest],
    cases: [],
  });
  expect(absent).toContain("6 tokens have an infinite KL and are in no mean and no spike (c30)");
});

test("nothing in a report is NaN or infinite", () => {
  const walk = (value: unknown, path: string): void => {
    if (typeof value === "number") expect(Number.isFinite(value), path).toBe(true);
    else if (value !== null && typeof value === "object")
      for (const [key, inner] of Object.entries(value)) walk(inner, `${path}.${key}`);
  };
  walk(report, "report");
  const hole = checkpoints.map((one) => ({ ...one, kl: one.kl.map((row) => row.map(() => Number.NaN)) }));
  walk(makeReport(texts, [checkpoints[0]!, ...hole.slice(1)]), "with holes");
});

describe("categories", () => {
  test("are pooled over tokens", () => {
    const { number, other } = report.categories.c30!;
    expect([number!.count, other!.count]).toEqual([16, 32]);
    const scale = texts.reduce((sum, _, i) => sum + 1 + i / 10, 0) / 8;
    expect(number!.mean_kl).toBeCloseTo((scale * 3.1) / 2, 12);
    expect(number!.share_of_tokens).toBeCloseTo(1 / 3, 12);
    expect(number!.share_of_kl).toBeCloseTo(3.1 / 3.5, 12);
    expect(number!.spikes).toBe(8);
    expect(number!.std_kl).toBeGreaterThan(1.4);
  });

  test("answer of which kind the tokens are", () => {
    expect(report.answers[1]).toMatchObject({ support: "yes" });
    expect(report.answers[1]!.answer).toMatch(/^Highest mean KL: number /);
  });
});

describe("over checkpoints", () => {
  test("baselines come first, then steps", () => {
    expect(Object.keys(report.checkpoints)).toEqual(["sft", "c10", "c20", "c30"]);
    expect(report.metrics.last_checkpoint).toBe("c30");
    expect(report.progression!.checkpoints).toEqual(["c10", "c20", "c30"]);
  });

  test("stages are thirds of the way, and the last by itself", () => {
    expect(report.progression!.stages.map(({ stage, checkpoints: of }) => [stage, ...of])).toEqual([
      ["early", "c10"],
      ["mid", "c20"],
      ["final", "c30"],
    ]);
    expect(report.progression!.stages[0]!.change).toBeNull();
    expect(report.progression!.stages[2]!.change).toBeCloseTo(0.1 * (3.5 / 6) * 1.35, 12);
  });

  test("half of it is there by the second", () => {
    expect(report.progression!.half_by).toBe("c20");
    // Wilcoxon's exact p of 8 pairs, 2 / 256, times the number of comparisons.
    expect(report.answers[2]).toMatchObject({
      support: "yes",
      answer: expect.stringContaining(
        "p = 0.0391 for the median after correction (these two checkpoints, other problems)",
      ),
    });
    const alone = makeReport(
      texts,
      checkpoints.filter(({ role }) => role !== "baseline"),
    );
    expect(alone.answers[2]).toMatchObject({
      support: "yes",
      answer: expect.stringContaining("p = 0.0234 for the median after correction"),
    });
  });

  test("entropy falls or rises by a share of the first", () => {
    expect(report.progression!.entropy_reduction!.relative).toBeCloseTo(1 - 10, 12);
    expect(report.progression!.entropy_reduction!.rates[1]).toBeCloseTo(1 - 1 / 0.9, 12);
  });

  test("a turning point is supported where the whole path rises and falls, not where neighbours differ", () => {
    const at = (level: number): number[][] => texts.map((_, i) => [level * (1 + i / 10), 0]);
    const path = (levels: readonly number[]) =>
      makeReport(
        texts,
        levels.map((level, i) => ({ name: `c${i}`, step: i + 1, kl: at(level) })),
      );
    const turns = (levels: readonly number[]) =>
      path(levels)
        .progression!.turning_points.filter(({ type }) => type !== "inflection")
        .map(({ checkpoint, supported }) => [checkpoint, supported]);
    expect(turns([0.1, 0.2, 0.3, 0.4, 0.5, 0.4, 0.3, 0.2, 0.1])).toEqual([["c4", true]]);
    // Each value differs significantly from the next, but there is nothing but jitter.
    const jitter = turns([0.1, 0.5, 0.2, 0.6, 0.15, 0.55, 0.12, 0.4, 0.3]);
    expect(jitter.length).toBeGreaterThan(4);
    expect(jitter.every(([, supported]) => supported === false)).toBe(true);
    expect(turns([0.1, 0.9, 0.2])).toEqual([["c1", null]]);
    expect(path([0.1, 0.9, 0.2]).absent.join("\n")).toContain("no test of turning points: 3 checkpoints");
  });
});

describe("comparisons", () => {
  test("pair problems, with Holm's correction over all", () => {
    expect(report.comparisons.map(({ kind, a, b }) => `${kind} ${a} ${b}`)).toEqual([
      "consecutive c10 c20",
      "consecutive c20 c30",
      "first-last c10 c30",
      "baseline sft c10",
      "baseline sft c30",
    ]);
    const raw = 2 / 2 ** texts.length;
    for (const one of report.comparisons) {
      expect(one.p_value).toBeCloseTo(raw, 12);
      expect(one.adjusted_p_value).toBeCloseTo(5 * raw, 12);
    }
    expect(report.comparisons[2]!.mean_difference).toBeCloseTo(0.9 * (3.5 / 6) * 1.35, 12);
    expect(report.comparisons[3]!.rank_biserial).toBe(-1);
  });

  test("have no p-value below six pairs that differ", () => {
    const same = makeReport(texts, [
      { name: "a", step: 1, kl: checkpoints[0]!.kl },
      { name: "b", step: 2, kl: checkpoints[0]!.kl },
    ]);
    expect(same.comparisons).toHaveLength(1);
    expect(same.comparisons[0]).toMatchObject({ kind: "first-last", p_value: null, significant: false });
    expect(same.absent).toContain("no p-value for a against b: 0 of 8 problems differ, 6 are needed");
    expect(same.answers[3]).toMatchObject({ support: "not enough data" });
  });
});

describe("correctness", () => {
  test("keeps wrong and right texts apart", () => {
    const last = report.correctness.find(({ checkpoint }) => checkpoint === "c30")!;
    expect(last.wrong_texts).toMatchObject({ problems: 4, texts: 4, spikes_mean: 1 });
    expect(last.wrong_texts!.mean_kl).toBeCloseTo((3.5 / 6) * 1.3, 12);
    expect(last.right_texts!.mean_kl).toBeCloseTo((3.5 / 6) * 1.4, 12);
    expect(last.test).toMatchObject({ method: "mann-whitney", n: 8 });
    expect(last.good_share).toBeCloseTo(1.3 / 2.7, 12);
    expect(last.good_kl).toBeCloseTo((3.5 / 6) * 0.65, 12);
    expect(last.solved).toBeNull();
  });

  test("pairs problems that have both", () => {
    const both = texts.map((text, i) => ({
      ...text,
      problem: `q${i % 4}`,
      correct: i < 4,
    }));
    const many = [...both, ...both.map((text, i) => ({ ...text, id: `r${i}`, problem: `s${i % 4}` }))];
    const kl = many.map((text, i) => [text.correct ? 0.1 : 0.5 + i / 100]);
    const last = makeReport(many, [{ name: "c", step: 1, kl }]).correctness[0]!;
    expect(last.test).toMatchObject({ method: "wilcoxon", n: 8, rank_biserial: 1 });
  });

  test("tells problems that a checkpoint solves from those it does not", () => {
    const outcomes = new Map(texts.map(({ problem }, i) => [problem, i > 5]));
    const last = makeReport(texts, [{ ...checkpoints[0]!, outcomes }]).correctness[0]!;
    expect([last.solved!.problems, last.unsolved!.problems]).toEqual([2, 6]);
  });
});

test("correlations leave out what is constant, and correct over all", () => {
  const at = report.correlations.filter(({ checkpoint, of }) => checkpoint === "c30" && of === "mean_kl");
  expect(at.map((one) => `${one.with} ${one.method}`)).toEqual([
    "level spearman",
    "correctness point-biserial",
  ]);
  expect(report.absent).toContain(
    "no correlation with response_length: all 8 values are 6 (every checkpoint)",
  );
  expect(at.every((one) => one.adjusted_p_value >= one.p_value)).toBe(true);
});

describe("tables of the published analysis", () => {
  test("spikes per problem, in ranges", () => {
    const ranges = report.spike_distribution.c30!;
    expect(ranges.map(({ range, problems, share }) => [range, problems, share])).toEqual([
      ["0", 0, 0],
      ["1-5", 8, 1],
      ["6-10", 0, 0],
      [">10", 0, 0],
    ]);
  });

  test("top problems and tokens", () => {
    expect(report.top_problems.c30!.by_mean_kl.map(({ problem }) => problem)).toEqual(
      [...texts].reverse().map(({ problem }) => problem),
    );
    expect(report.top_tokens[0]).toMatchObject({
      token: "7",
      category: "number",
      count: 8,
      spikes: 8,
      problems: 8,
    });
    expect(report.top_tokens[0]!.share_of_kl).toBeCloseTo(3 / 3.5, 12);
  });

  test("top spikes, with the words around them and since when they are there", () => {
    expect(report.top_spikes).toHaveLength(8);
    expect(report.top_spikes[0]).toMatchObject({
      handle: "q7.t4",
      token: "7",
      before: "2 * 3 =",
      after: ".",
      since: "c20",
    });
  });

  test("cases hold every checkpoint", () => {
    expect(new Set(report.cases.map(({ text }) => text)).size).toBe(report.cases.length);
    const [first] = report.cases;
    expect(first).toMatchObject({
      checkpoints: ["sft", "c10", "c20", "c30"],
      categories: expect.arrayContaining(["number"]),
    });
    expect(first!.kl).toHaveLength(4);
    expect(first!.spikes[0]!.since).toBe("c20");
  });

  test("what was not looked at again is absent, not guessed", () => {
    const without = buildKlReport({ ...makeStudy(texts, checkpoints), cases: [] });
    expect(without.cases).toEqual([]);
    expect(without.top_spikes.every(({ since }) => since === null)).toBe(true);
    expect(without.absent.join()).toMatch(/no case study of q\d/);
  });
});

describe("caveats", () => {
  test("name whose texts they are, what is forced, and how few", () => {
    const all = report.caveats.join("\n");
    expect(all).toMatch(/right \(4\) and wrong \(4\)/);
    expect(all).toMatch(/Texts are forced/);
    expect(all).toMatch(/8 problems are few/);
    expect(all).not.toMatch(/another policy/);
    const others = texts.map((text, i) => ({ ...text, source: i < 2 ? undefined : "other" }));
    const foreign = makeReport(others, checkpoints).caveats.join("\n");
    expect(foreign).toMatch(/another policy than the reference ref \(6 by other of 8\)/);
    expect(foreign).toMatch(/The author of 2 of 8 texts is unknown/);
  });
});

test("the order of texts and checkpoints changes nothing", () => {
  const order = fc.shuffledSubarray([...texts.keys()], { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(order, (places) => {
      const input = makeStudy(texts, checkpoints);
      const shuffled = {
        ...input,
        checkpoints: [...input.checkpoints]
          .reverse()
          .map((one) => ({ ...one, texts: places.map((place) => one.texts[place]!) })),
      };
      expect(chooseCases(shuffled)).toEqual(chooseCases(input));
      const cases = lookedAt(texts, checkpoints, chooseCases(input));
      expect(buildKlReport({ ...shuffled, cases })).toEqual(buildKlReport({ ...input, cases }));
    }),
    { numRuns: 10 },
  );
});

test("a study without a scored text is refused", () => {
  expect(() => makeReport(texts, [])).toThrow(/no text is scored: 8 texts, 0 checkpoints/);
  expect(() => makeReport(texts.slice(0, 1), [])).toThrow(/no text is scored: 1 text, 0 checkpoints/);
});
