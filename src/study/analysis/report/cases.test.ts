import { describe, expect, test } from "vitest";
import type { StudyText } from "../study.ts";
import { caseStudies, chooseCases, rankCases } from "./cases.ts";
import { lookedAt, makeStudy, makeSummary, studyText } from "./report.test-data.ts";
import { viewStudy } from "./report-input.ts";

const wrong = { correct: false, errorToken: 1 } as const;
/** A text for each reason: `kl` per token, spikes above 1. */
const CASES: readonly (readonly [string, readonly number[], Partial<StudyText>])[] = [
  ["plain", [0.2, 0.2, 0.2, 0.2, 0.2, 0.2], {}],
  ["many", [1.1, 1.2, 1.3, 1.1, 1.1, 0.1], {}],
  ["high", [9, 0.5, 0.5, 0.5, 0.5, 0.5], {}],
  ["spiked", [0.1, 0.1, 0.1, 8, 0.1, 0.1], {}],
  ["at error", [0.1, 3, 0.1, 0.1, 0.1, 0.1], wrong],
  ["error alone", [0.3, 0.3, 0.3, 0.3, 0.3, 4], wrong],
  ["right", [0.6, 0.6, 0.6, 0.6, 0.6, 0.6], { correct: true }],
  ["lowest", [0.01, 0.01, 0.01, 0.01, 0.01, 0.01], {}],
];
const texts = CASES.map(([id, kl, more]) => studyText(id, kl.map(String), more));
const kl = CASES.map(([, values]) => [...values]);
const input = makeStudy(texts, [{ name: "c", kl }]);

describe("the texts of case studies", () => {
  test("are the first of each reason's order", () => {
    const ranked = rankCases(texts.map((text, i) => ({ text, summary: makeSummary(text, i, kl[i]!) })));
    expect(ranked.map(([first]) => first?.text)).toEqual([
      "many",
      "high",
      "high",
      "at error",
      "error alone",
      "right",
      "right",
      "lowest",
    ]);
    // Texts that do not fit a reason are not in its ranking.
    expect(ranked.map((all) => all.length)).toEqual([5, 8, 5, 1, 1, 1, 1, 8]);
  });

  test("are each for one reason, none twice", () => {
    const cases = caseStudies(viewStudy(input), byIndex(chooseCases(input)));
    expect(cases.map(({ text, reason }) => [text, reason])).toEqual([
      ["many", "the most spikes"],
      ["high", "the highest mean KL"],
      ["spiked", "the largest spike"],
      ["at error", "a spike at the first error"],
      ["error alone", "a first error without a spike near it"],
      ["right", "a right text with a high KL"],
      ["lowest", "the lowest mean KL"],
    ]);
  });

  test("are asked for in the order of the study", () => {
    expect(chooseCases(input)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(chooseCases(makeStudy(texts, []))).toEqual([]);
  });

  test("that nobody looked at are left out, and noted", () => {
    const study = viewStudy(input);
    const cases = caseStudies(study, byIndex(chooseCases(input).filter((index) => index !== 2)));
    expect(cases.map(({ text }) => text)).not.toContain("high");
    expect(study.absentLines()).toEqual(["no case study of q2 (the highest mean KL): it was not read again"]);
  });

  test("have null where KL is infinite or missing, which is counted", () => {
    const told = (values: readonly number[]) => {
      const study = viewStudy(input);
      const [one] = caseStudies(
        study,
        new Map([[1, { ...byIndex([1]).get(1)!, kl: new Map([["c", values]]) }]]),
      );
      return { row: one?.kl[0], lines: study.absentLines().filter((line) => line.startsWith("q1:")) };
    };
    const inf = Number.POSITIVE_INFINITY;
    expect(told([1, inf, 2, 3, 4])).toEqual({
      row: [1, null, 2, 3, 4, null],
      lines: ["q1: 1 infinite KL is null in its case study"],
    });
    expect(told([inf, inf, 2, 3, 4, 5]).lines).toEqual(["q1: 2 infinite KLs are null in its case study"]);
    expect(told([1, 1, 2, 3, 4, 5]).lines).toEqual([]);
  });

  test("say what is known of them", () => {
    const [many] = caseStudies(viewStudy(input), byIndex([1]));
    expect(many).toMatchObject({
      handle: "q1",
      problem: "many",
      source: "ref",
      correct: null,
      subject: null,
      level: null,
      prompt_text: null,
      tokens: ["1.1", "1.2", "1.3", "1.1", "1.1", "0.1"],
      mask: [1, 1, 1, 1, 1, 1],
      checkpoints: ["c"],
      kl: [[1.1, 1.2, 1.3, 1.1, 1.1, 0.1]],
      delta: [[-1.1, -1.2, -1.3, -1.1, -1.1, -0.1]],
      error_token: null,
      continuations: [],
    });
    expect(many?.spikes.map(({ position }) => position)).toEqual([0, 1, 2, 3, 4]);
    const [failed] = caseStudies(viewStudy(input), byIndex([4]));
    expect(failed).toMatchObject({ correct: false, error_token: 1 });
  });
});

function byIndex(indices: readonly number[]) {
  return new Map(lookedAt(texts, [{ name: "c", kl }], indices).map((one) => [one.index, one]));
}
