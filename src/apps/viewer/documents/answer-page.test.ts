import { describe, expect, it } from "vitest";
import type { AnswerPage } from "../../../results/answer-page.ts";
import type { StandingPart } from "../../../results/assessment.ts";
import type { MismatchReport } from "../../../results/report.ts";
import { useDemoRun } from "../prepare/demo-run.test-data.ts";
import { nameGreek, partMove, splitSentence } from "./answer-words.ts";
import { answerTables, buildAnswerTables } from "./index.ts";

const json = <T>(bytes: Uint8Array | undefined): T => JSON.parse(Buffer.from(bytes!).toString()) as T;

describe("the answer of a run", () => {
  const demo = useDemoRun();

  it("is the assessment of its report", async () => {
    const page = json<AnswerPage>(await answerTables(demo.run));
    const { assessment } = json<MismatchReport>(await demo.run.answer("report"));
    expect(page).toMatchObject({
      level: assessment.level,
      sign: "△",
      word: "Elevated",
      headline: "In steps 10–30; normal since step 50",
      is_sound: false,
      is_comparable: true,
      trainer: "verl",
      shifts: [],
      command: null,
    });
    expect(page.points.map(({ x }) => x)).toEqual([10, 30]);
    expect(page.points.filter(({ label }) => label !== "")).toEqual([{ x: 30, label: "step 30: k3 0.0132" }]);
    expect(page.causes.map(({ bar, is_alike }) => [bar, is_alike])).toEqual([
      [assessment.causes[0]!.probability, false],
      [assessment.causes[0]!.causes[0]!.probability, true],
      [assessment.causes[1]!.probability, false],
      [assessment.causes[2]!.probability, false],
    ]);
    expect(page.decide?.outcomes).toBe(
      "All or most tensors differ → engine runs older weights; all are equal → trainer scored after an update.",
    );
    expect(page.where.map(({ bar, token_bar }) => [bar, token_bar])).toEqual(
      assessment.where.map(({ k3_share, token_share }) => [k3_share, token_share]),
    );
    expect(page.beside).toHaveLength(assessment.beside.length);
  });

  it("is of the last steps while the run goes on, with the bad ones named", async () => {
    const { run } = demo;
    const page = json<AnswerPage>(await answerTables({ ...run, info: { ...run.info, status: "reading" } }));
    expect(page).toMatchObject({ level: "normal", sign: "✓", word: "Normal", headline: "Since step 50" });
    expect(page.detail).toMatch(
      /^mean log-prob difference \|Δ\| 0\.001\d+ nats; elevated in steps 10–30 \(0\.01\d+\)\. The whole run: /,
    );
    // Its cards are of the whole run, whose bad steps are a click away.
    expect([page.is_sound, page.stretch]).toEqual([false, [10, 30]]);
  });

  it("tells mistakes with both sides, each once, with its places by size and by the gradient", async () => {
    const { mistakes } = json<AnswerPage>(await answerTables(demo.run));
    const { assessment } = json<MismatchReport>(await demo.run.answer("report"));
    const { list, by_raw } = assessment.events;
    const handles = mistakes.map(({ handle }) => handle);
    for (const [rank, order] of [
      ["gradient", list],
      ["raw", by_raw],
    ] as const) {
      const placed = mistakes
        .filter(({ places }) => places[rank] !== null)
        .sort((a, b) => a.places[rank]! - b.places[rank]!);
      expect(
        placed.map(({ handle }) => handle),
        rank,
      ).toEqual(order.map(({ handle }) => handle));
    }
    expect(list[0]?.handle).not.toBe(by_raw[0]?.handle);
    expect(new Set(handles)).toEqual(new Set([...list, ...by_raw].map(({ handle }) => handle)));
    expect(new Set(handles).size).toBe(handles.length);
    const group = mistakes.find(({ handle }) => handle === "s30.q48.t39")!;
    expect(group).toMatchObject({ count: "7 of 8 answers", reach: "No advantage: not in the gradient." });
    expect(group.prompt).toContain("Solve x - 86 = 24");
    expect(group.context?.[1]).toBe("0");
    const [engine, trainer] = group.sides;
    expect(engine?.tokens.map(({ text, is_written }) => [text, is_written])).toEqual([
      ["0", true],
      ["1", false],
    ]);
    expect(trainer?.tokens.map(({ text }) => text)).toEqual(["1", "0"]);
    expect(engine?.tokens[0]?.probability).toBe("98.3 %");
  });

  it("is of the chosen steps where there are some", async () => {
    const page = json<AnswerPage>(await buildAnswerTables(demo.run, [10, 30]));
    const whole = json<AnswerPage>(await answerTables(demo.run));
    expect(page.figures[0]?.value).not.toBe(whole.figures[0]?.value);
    // What the trainer would have written is known of the run's mistakes, whichever steps are summed.
    const sides = ({ mistakes }: AnswerPage) =>
      mistakes.find(({ handle }) => handle === "s30.q48.t39")!.sides;
    expect(sides(page)).toEqual(sides(whole));
    expect(await buildAnswerTables(demo.run, [900, 999])).toBeUndefined();
  });
});

describe("words of the answer", () => {
  it("put what stands out first", () => {
    const split = (sentence: string, words: string | null) => splitSentence({ sentence, when: { words } });
    expect(split("since step 5: larger than usual", "since step 5")).toEqual([
      "Since step 5",
      "larger than usual",
    ]);
    expect(split("One side: math (92 %). The size looks normal", null)).toEqual([
      "One side: math (92 %)",
      "The size looks normal",
    ]);
    expect(split("kernels explain it, in every step", "in every step")).toEqual([
      "Kernels explain it, in every step",
      "",
    ]);
  });

  it("name Greek letters once", () => {
    expect(nameGreek("mean |Δ| 0.1, mean |Δ| 0.2, |Δp| > ½")).toBe(
      "mean log-prob difference |Δ| 0.1, mean |Δ| 0.2, probability difference |Δp| > ½",
    );
  });

  it("lead to each kind of part", () => {
    const part = (kind: StandingPart["kind"], name: string): StandingPart => ({
      ...{ kind, name, token_share: 0.1, k3_share: 0.9, delta_abs_mean: 1 },
    });
    const filter = (kind: StandingPart["kind"], name: string) => partMove(part(kind, name)).params?.filter;
    expect(filter("correctness", "incorrect")).toBe("correct:no");
    expect(filter("turn", "1")).toBe("turn:1");
    expect(filter("environment", "a b")).toBe('env="a b"');
    expect(filter("rank", "3")).toBe("rank:3");
    expect(filter("position_decile", "8")).toBeUndefined();
  });
});
