import { describe, expect, it } from "vitest";
import type { Assessment } from "../../../results/assessment.ts";
import type { EvidencePicture } from "../../../results/diagnosis.ts";
import type { MismatchReport } from "../../../results/report.ts";
import { eventsOf, makeEvent, makeGroup, makePart, makeReport, makeSegment } from "./answer.test-data.ts";
import { answerRows, namePart, sayCauses, sayWhere } from "./rows.ts";

function rows(answer: Partial<Assessment>, more: Partial<MismatchReport> = {}): string[] {
  return answerRows(makeReport(answer, { worst_tokens: [], ...more })).map(
    ({ label, text }) => `${label}: ${text}`,
  );
}
const find = (label: string, ...of: Parameters<typeof rows>): string | undefined =>
  rows(...of)
    .find((row) => row.startsWith(`${label}: `))
    ?.slice(label.length + 2);

const reach = (k3_share_at_zero: number, impact_share_in_bad_steps: number | null = null) => ({
  ...{ k3_share_at_zero, impact_relative: 0.01, impact_share_in_bad_steps },
});
const when = (...segments: ReturnType<typeof makeSegment>[]): Pick<Assessment, "when"> => ({
  when: { words: null, segments, steps_skipped: 0, false_alarm_rate: 0.05 },
});

describe("where", () => {
  it("names three parts with their share of the KL", () => {
    const parts = [
      makePart("correctness", "incorrect", 0.963),
      makePart("turn", "1", 0.8),
      makePart("position_decile", "8", 0.05),
      makePart("rank", "3", 0.4),
    ];
    expect(sayWhere(parts)).toBe("wrong answers 96 % of the KL, turn 1 80 %, the 9th tenth 5.0 %");
  });

  it.each([
    ["correctness", "correct", "right answers"],
    ["staleness", "0", "fresh weights"],
    ["staleness", "1", "weights 1 step old"],
    ["staleness", "4", "weights 4 steps old"],
    ["position_decile", "0", "the first tenth"],
    ["position_decile", "9", "the last tenth"],
    ["environment", "arithmetic", "arithmetic"],
    ["rank", "3", "rank 3"],
    ["engine", "replica-1", "engine replica-1"],
  ] as const)("says a part in a user's words: %s %s", (kind, name, words) => {
    expect(namePart(makePart(kind, name, 0.5))).toBe(words);
  });

  it("says neither all nor nothing of what is nearly that", () => {
    expect(sayWhere([makePart("turn", "0", 0.9996)])).not.toContain("100");
    expect(sayWhere([makePart("turn", "0", 0.99)])).toBe("turn 0 99 % of the KL");
  });

  it("is not said where nothing is wrong, nor where there is nothing to say", () => {
    const where = [makePart("turn", "1", 0.8)];
    expect(find("where", { level: "high", where })).toBe("turn 1 80 % of the KL");
    for (const level of ["none", "normal", "too_few"] as const)
      expect(find("where", { level, where })).toBeUndefined();
    expect(find("where", { level: "high" })).toBeUndefined();
  });
});

describe("whether it matters", () => {
  const level = "high";

  it("is what lies at advantage 0, from a fifth on", () => {
    expect(find("matters?", { level, reach: reach(0.78) })).toBe(
      "78 % of the KL has advantage 0: no gradient",
    );
    expect(find("matters?", { level, reach: reach(0.2) })).toBeDefined();
    expect(find("matters?", { level, reach: reach(0.19) })).toBeUndefined();
    expect(find("matters?", { level, reach: null })).toBeUndefined();
    expect(find("matters?", { level: "normal", reach: reach(0.78) })).toBeUndefined();
  });

  it("is in which steps, by the worst level of them", () => {
    const say = (...segments: ReturnType<typeof makeSegment>[]) =>
      find("matters?", { level, reach: reach(0.78, 0.77), ...when(...segments) });
    expect(say(makeSegment([1, 9], "normal"), makeSegment([10, 30], "high"))).toMatch(
      /\. Of what reaches the gradient, 77 % is in steps 10–30$/,
    );
    expect(say(makeSegment([7, 7], "high"), makeSegment([8, 9], "elevated"))).toMatch(/is in step 7$/);
    expect(
      say(makeSegment([1, 2], "broken"), makeSegment([3, 4], "none"), makeSegment([5, 5], "broken")),
    ).toMatch(/is in steps 1–2, 5$/);
  });
});

describe("the cause", () => {
  const older = { id: "stale_weights", title: "Engine runs older weights", probability: 0.4 };
  const causes = [
    makeGroup("Different weights on the two sides", 0.51, {
      causes: [older, { ...older, id: "lora", title: "LoRA" }],
      evidence: ["Bad where the policy learned fastest.", "Second."],
    }),
    makeGroup("Quantized weights", 0.19),
    makeGroup("Dropout", 0.1),
  ];

  it("is the first group with the likeliest of it, and what else it may be", () => {
    expect(sayCauses(causes)).toBe(
      "different weights on the two sides (51 %), likeliest: engine runs older weights; else quantized weights (19 %)",
    );
    expect(sayCauses(causes.slice(1, 2))).toBe("quantized weights (19 %)");
    expect(sayCauses([])).toBe("");
  });

  it("stands with the strongest evidence for it, where there is any", () => {
    expect(rows({ level: "high", causes })).toEqual([
      `cause: ${sayCauses(causes)}`,
      "evidence: Bad where the policy learned fastest.",
    ]);
    expect(rows({ level: "high", causes: causes.slice(1) })).toHaveLength(1);
  });
});

describe("a fault", () => {
  const picture: EvidencePicture = {
    kind: "bars",
    ...{ title: "Gap in logits by environment", x_label: "environment", y_label: "gap" },
    ...{ x: ["algebra", "arithmetic"], series: [{ name: "gap", y: [0.022, 2.41] }] },
  };
  const fix = {
    trainer: "verl",
    line: "temperature=1.0\ntop_p=1.0",
    is_code: true,
    note: "one temperature on both sides",
  };
  const first = makeGroup("One environment is wrong", 0.92, {
    ...{ part: "arithmetic", picture, fix, evidence: ["One.", "Two.", "Three."] },
  });
  const second = makeGroup("Different temperatures", 0.05, { evidence: ["The slope is 1.30."] });
  const level = "fault";

  it("draws the part that differs beside the others, the worst first, to one scale", () => {
    const [gap] = answerRows(makeReport({ level, causes: [first, second] }));
    expect(gap).toMatchObject({ label: "gap", text: "gap in logits by environment, nats" });
    expect(gap!.quoted).toEqual([
      `arithmetic  ${"█".repeat(20)}  2.41`,
      `algebra     █${" ".repeat(19)}  0.0220`,
    ]);
    const [ascii] = answerRows(makeReport({ level, causes: [first] }), false);
    expect(ascii!.quoted![0]).toBe(`arithmetic  ${"#".repeat(20)}  2.41`);
  });

  it("says what that part looks like, and what to change for this trainer", () => {
    const found = answerRows(makeReport({ level, causes: [first, second] }, { worst_tokens: [] }));
    expect(found.map(({ label }) => label)).toEqual(["gap", "as if", "fix"]);
    expect(found[1]!.text).toBe("different temperatures. The slope is 1.30.");
    expect(found[2]).toMatchObject({
      text: "verl: one temperature on both sides",
      quoted: ["temperature=1.0", "top_p=1.0"],
    });
  });

  it("has its evidence where there is no picture, or one of too many bars, and no fix where there is none", () => {
    const many = {
      ...picture,
      x: [1, 2, 3, 4, 5, 6, 7],
      series: [{ name: "gap", y: [1, 2, 3, 4, 5, 6, 7] }],
    };
    for (const other of [{ picture: null }, { part: null }, { picture: many }])
      expect(rows({ level, causes: [{ ...first, fix: null, ...other }] })).toEqual([
        "evidence: One.",
        "evidence: Two.",
      ]);
  });

  it("of the whole run looks like nothing else, nor does a part like another part", () => {
    const looksLike = (...causes: ReturnType<typeof makeGroup>[]) => find("as if", { level, causes });
    expect(looksLike({ ...first, part: null }, second)).toBeUndefined();
    expect(looksLike(first, { ...second, part: "rank 2" })).toBeUndefined();
    expect(looksLike(first)).toBeUndefined();
  });

  it("comes before the worst mistake, which goes first where there is no room", () => {
    const events = eventsOf(makeEvent());
    const labels = (of: Partial<Assessment>) =>
      answerRows(makeReport({ events, causes: [first], ...of })).map(({ label }) => label);
    expect(labels({ level })).toEqual(["gap", "fix", "worst"]);
    expect(labels({ level: "high" })).toEqual(["worst", "cause", "evidence"]);
    const ranks = (of: Partial<Assessment>) => {
      const found = answerRows(makeReport({ events, causes: [first], ...of }));
      return [...found].sort((a, b) => a.rank - b.rank).map((row) => row.label);
    };
    expect(ranks({ level })[0]).toBe("worst");
    expect(ranks({ level: "high" })).toEqual(["evidence", "worst", "cause"]);
  });
});

describe("what else there is", () => {
  it("is what stands out by a test, once", () => {
    const evidence = { subject: 30, p: 0.01, factor: 3, interval: null, leave_one_out: { low: 2, high: 4 } };
    const facts = [
      { kind: "tail", text: "without a test", weight: 3 },
      { kind: "turn", text: "Turn 2 stands out", weight: 2, evidence },
      { kind: "rank", text: "Rank 2 stands out", weight: 1, evidence },
    ];
    expect(rows({}, { facts })).toEqual(["also: Turn 2 stands out"]);
  });

  it("is what could not be tested, of a sound run only", () => {
    const question = (column: string) => ({ test: `whether ${column}`, column, how: "record it" });
    const untested = ["rank", "environment", "weight_versions", "some.column"].map(question);
    const sound = { level: "normal", diagnosis: "healthy", untested } as const;
    expect(find("not tested", sound)).toBe(
      "one rank, one environment, older weights: the data lack rank, environment, weight_versions, and 1 more",
    );
    expect(find("not tested", { ...sound, untested: [question("some.column")] })).toBe(
      "some.column: the data lack some.column",
    );
    expect(find("not tested", { ...sound, untested: [] })).toBeUndefined();
    expect(find("not tested", { ...sound, diagnosis: "too_few" })).toBeUndefined();
    expect(find("not tested", { ...sound, level: "elevated" })).toBeUndefined();
  });
});
