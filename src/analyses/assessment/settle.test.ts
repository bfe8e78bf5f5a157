import { describe, expect, it } from "vitest";
import type { CauseGroup } from "../../results/assessment.ts";
import type { Diagnosis } from "../../results/diagnosis.ts";
import type { Verdict, VerdictLevel } from "../../results/report.ts";
import { groupCauses } from "./causes.ts";
import { fact, makeCause, makeDiagnosis } from "./diagnosis.test-data.ts";
import { assessFinite } from "./finite.ts";
import { type Parts, settleVerdict } from "./settle.ts";

const LEVELS = ["none", "normal", "elevated", "high", "broken", "too_few"] as const;

const verdictOf = (level: VerdictLevel): Verdict => ({
  level,
  level_range: [level, level],
  headline: `by its size ${level}`,
  readings: [],
});

interface Given extends Partial<Omit<Parts, "verdict" | "causes">> {
  readonly level: VerdictLevel;
  readonly causes?: readonly CauseGroup[];
}

function settle({ level, ...more }: Given): Verdict {
  return settleVerdict({
    verdict: verdictOf(level),
    comparable: { is_comparable: true, reason: null, by_shift: [], shift: null },
    finite: assessFinite([]),
    diagnosis: undefined,
    causes: more.diagnosis === undefined ? [] : groupCauses(more.diagnosis),
    meanAbs: 0.0123,
    jumps: false,
    ...more,
  });
}

const faultOf = (probability: number): Diagnosis =>
  makeDiagnosis("fault", { causes: [makeCause("dropout_on", probability)] });

describe("the level of a run", () => {
  /** By what baselines say, in the order of LEVELS. */
  const TABLE: readonly (readonly [string, Omit<Given, "level">, string])[] = [
    ["nothing diagnosed", {}, "none normal elevated high broken too_few"],
    ["too few", { diagnosis: makeDiagnosis("too_few") }, "none normal elevated high broken too_few"],
    ["healthy", { diagnosis: makeDiagnosis("healthy") }, "none normal normal normal broken too_few"],
    [
      "healthy, in a run that jumps",
      { diagnosis: makeDiagnosis("healthy"), jumps: true },
      "none normal elevated high broken too_few",
    ],
    [
      "cannot tell",
      { diagnosis: makeDiagnosis("cannot_tell") },
      "elevated elevated elevated high broken too_few",
    ],
    ["a fault of 31 %", { diagnosis: faultOf(0.31) }, "fault fault elevated high broken fault"],
    ["a fault of 79.9 %", { diagnosis: faultOf(0.799) }, "fault fault elevated high broken fault"],
    ["a fault of 80 %", { diagnosis: faultOf(0.8) }, "fault fault fault fault fault fault"],
    ["a fault of 99.9 %", { diagnosis: faultOf(0.999) }, "fault fault fault fault fault fault"],
    [
      "a fault without a cause",
      { diagnosis: makeDiagnosis("fault") },
      "fault fault elevated high broken fault",
    ],
  ];

  it.each(TABLE)("with the doctor's word %s", (_, given, expected) => {
    const settled = LEVELS.map((level) => settle({ level, ...given }));
    expect(settled.map(({ level }) => level).join(" ")).toBe(expected);
    // A level that was settled leaves nothing open.
    for (const { level, level_range: range } of settled) expect(range).toEqual([level, level]);
  });

  it.each(TABLE)("comes after what cannot be compared, and that after what is not finite: %s", (_, given) => {
    const comparable = { is_comparable: false, reason: "the rows are shuffled", by_shift: [], shift: null };
    const steps = [{ step: 1, nan: 3, infinite: 0, all: 9 }];
    const finite = assessFinite([{ of: "trainer", name: null, steps, breaks: () => true, mayBeNull: false }]);
    for (const level of LEVELS) {
      expect(settle({ level, ...given, comparable })).toMatchObject({
        level: "not_comparable",
        headline: "the rows are shuffled",
      });
      // The verdict has been told after what is not finite by now.
      expect(settle({ level, ...given, comparable, finite })).toEqual(verdictOf(level));
    }
  });
});

describe("the sentence", () => {
  const certain = makeDiagnosis("fault", {
    causes: [makeCause("one_bad_rank", 0.97, { title: "One rank is wrong" })],
  });

  it("of a fault names the cause and how sure, then that the size looks normal", () => {
    expect(settle({ level: "normal", diagnosis: certain }).headline).toBe(
      "One rank is wrong (97 %). The size alone looks normal (mean |Δ| 0.0123)",
    );
  });

  it("of a fault that baselines see too says how large it is", () => {
    expect(settle({ level: "high", diagnosis: certain }).headline).toBe(
      "One rank is wrong (97 %). By its size the mismatch is high (mean |Δ| 0.0123)",
    );
    expect(settle({ level: "too_few", diagnosis: certain }).headline).toContain(
      "There are too few tokens to judge its size",
    );
  });

  it("names the part of the run that a fault is in", () => {
    const [cause] = certain.causes;
    const evidence = [{ sentence: "Rank 3 differs.", weight: 9, figures: { parts: "3" } }];
    const named = makeDiagnosis("fault", { causes: [{ ...cause!, family: "where", evidence }] });
    expect(settle({ level: "normal", diagnosis: named }).headline).toMatch(
      /^One rank is wrong: 3 \(97 %\)\. /,
    );
  });

  it.each([
    ["sudden_onset", "Differs since step 306"],
    ["one_bad_step", "Only step 306 differs"],
  ])("names the step of %s", (id, words) => {
    const evidence = [fact(9, "From step 306 on.", { figures: { parts: "306,307" } })];
    const causes = [makeCause(id, 0.92, { family: "when", evidence })];
    const { headline } = settle({ level: "normal", diagnosis: makeDiagnosis("fault", { causes }) });
    expect(headline).toContain(`${words} (92 %). `);
  });

  it("of a fault that is not sure names what else it may be", () => {
    const diagnosis = makeDiagnosis("fault", {
      causes: [
        makeCause("stale_weights", 0.55, { title: "Engine runs older weights" }),
        makeCause("weight_quantization", 0.3, { title: "Quantized weights" }),
      ],
    });
    expect(settle({ level: "normal", diagnosis }).headline).toMatch(
      /^Engine runs older weights \(55 %\), else quantized weights \(30 %\)\. /,
    );
  });

  it("of causes that look alike names the group and the likeliest of it", () => {
    const causes = [
      makeCause("stale_weights", 0.6, { title: "Engine runs older weights" }),
      makeCause("lora", 0.3, { title: "LoRA is not merged" }),
    ];
    const alike = { title: "Different weights", causes: ["stale_weights", "lora"], probability: 0.9 };
    const { headline } = settle({
      level: "normal",
      diagnosis: makeDiagnosis("fault", { causes, alike }),
    });
    expect(headline).toMatch(/^Different weights \(90 %\), likeliest: engine runs older weights \(60 %\)\. /);
  });

  it("of a sound engine on an unsure policy says that published figures call it more", () => {
    const diagnosis = makeDiagnosis("healthy", { metrics: { logit_noise: 0.137 } });
    const { headline } = settle({ level: "high", diagnosis });
    expect(headline).toContain("no test finds a fault");
    expect(headline).toContain("logit noise σ 0.137, as a sound bf16 engine has");
    expect(headline).toContain("Mean |Δ| 0.0123 is above what others publish");
    const unknown = settle({ level: "high", diagnosis: makeDiagnosis("healthy") });
    expect(unknown.headline).not.toMatch(/σ|undefined|null|NaN/);
  });

  it("of what nobody can name says that something differs", () => {
    const diagnosis = makeDiagnosis("cannot_tell", { metrics: { logit_noise: 0.221 } });
    expect(settle({ level: "normal", diagnosis }).headline).toBe(
      "something differs beyond the precision of an engine (mean |Δ| 0.0123, logit noise σ 0.221), and the data do not show what",
    );
    expect(settle({ level: "none", diagnosis: makeDiagnosis("cannot_tell") }).headline).not.toMatch(/σ|null/);
  });
});
