/** How the doctor's answers are scored against the truth, which is the basis of the table in docs/doctor.md. */
import { describe, expect, it } from "vitest";
import {
  binProbabilities,
  calibrationError,
  judgeCase,
  printScore,
  readAnswer,
  scoreCases,
} from "../../scripts/score-doctor.mjs";

const families = { temperature_mismatch: "meaning", softcap_mismatch: "meaning", stale_weights: "weights" };
const truth = (changes: object = {}) => ({
  healthy: false,
  cause: "temperature_mismatch",
  causes: ["temperature_mismatch"],
  acceptable: ["softcap_mismatch"],
  identifiable: true,
  severity: "high",
  guilty_leg: null,
  ...changes,
});
const answer = (
  causes: readonly (readonly [string, number])[],
  verdict = "fault",
  leg: string | null = null,
) =>
  readAnswer({
    verdict,
    causes: causes.map(([id, probability]) => ({ id, probability })),
    guilty_leg: leg,
  });

describe("readAnswer", () => {
  it("keeps the order of the causes and takes healthy out of it", () => {
    const read = answer([
      ["stale_weights", 0.6],
      ["healthy", 0.3],
      ["log_base", 0.1],
    ]);
    expect(read.ranked).toEqual(["stale_weights", "log_base"]);
    expect(read.healthy).toBe(false);
    expect(read.probabilities).toEqual({ stale_weights: 0.6, healthy: 0.3, log_base: 0.1 });
  });

  it("puts cannot_tell first where the doctor cannot tell", () => {
    expect(answer([["stale_weights", 0.4]], "cannot_tell").ranked).toEqual(["cannot_tell", "stale_weights"]);
  });

  it("does not count a run that is too short as called faulty", () => {
    expect(answer([["stale_weights", 0.4]], "too_few").healthy).toBe(true);
  });
});

describe("judgeCase", () => {
  it("accepts what an expert would accept, and tells it from the injected cause", () => {
    const judged = judgeCase(truth(), answer([["softcap_mismatch", 0.7]]));
    expect(judged).toMatchObject({ top1: true, top3: true, strict: false });
  });

  it("counts no guess where the doctor calls a faulty run healthy", () => {
    const judged = judgeCase(truth(), answer([["temperature_mismatch", 0.2]], "healthy"));
    expect(judged).toMatchObject({ top1: false, top3: false, strict: false });
  });

  it("finds the right cause in third place, not in fourth", () => {
    const guesses = (at: number) => {
      const list: [string, number][] = ["a", "b", "c", "d"].map((id) => [id, 0.2]);
      list[at] = ["temperature_mismatch", 0.2];
      return judgeCase(truth(), answer(list)).top3;
    };
    expect([guesses(2), guesses(3)]).toEqual([true, false]);
  });

  it("calls any cause on a healthy run a false alarm, unless the engine is grey and the cause acceptable", () => {
    const sound = { healthy: true, cause: "healthy", causes: ["healthy"] };
    const said = answer([["softcap_mismatch", 0.9]]);
    expect(judgeCase(truth(sound), said).falseAlarm).toBe(true);
    expect(judgeCase(truth({ ...sound, grey: true }), said).falseAlarm).toBe(false);
    expect(judgeCase(truth({ ...sound, grey: true, acceptable: [] }), said).falseAlarm).toBe(true);
    expect(judgeCase(truth(sound), answer([["healthy", 0.9]], "healthy")).falseAlarm).toBe(false);
  });

  it("calls healthy, cannot_tell and the right cause honest about a hidden fault, and nothing else", () => {
    const hidden = truth({ identifiable: false });
    expect(judgeCase(hidden, answer([["healthy", 0.9]], "healthy")).honest).toBe(true);
    expect(judgeCase(hidden, answer([["stale_weights", 0.3]], "cannot_tell")).honest).toBe(true);
    expect(judgeCase(hidden, answer([["temperature_mismatch", 0.9]])).honest).toBe(true);
    expect(judgeCase(hidden, answer([["stale_weights", 0.9]])).honest).toBe(false);
  });

  it("judges the leg only where the truth has one", () => {
    expect(judgeCase(truth(), answer([["log_base", 1]], "fault", "decode")).leg).toBeNull();
    const three = truth({ guilty_leg: "decode" });
    expect(judgeCase(three, answer([["log_base", 1]], "fault", "decode")).leg).toBe(true);
    expect(judgeCase(three, answer([["log_base", 1]], "fault", "trainer")).leg).toBe(false);
  });
});

describe("binProbabilities", () => {
  it("puts 1 into the last bin and measures how far stated is from come true", () => {
    const table = binProbabilities([
      { probability: 1, isTrue: true },
      { probability: 0.9, isTrue: false },
      { probability: 0.05, isTrue: false },
    ]);
    expect(table[9]).toMatchObject({ count: 2, stated: 0.95, frequency: 0.5 });
    expect(table[0]).toMatchObject({ count: 1, frequency: 0 });
    expect(table[5]).toMatchObject({ count: 0, stated: null, frequency: null });
    expect(calibrationError(table)).toBeCloseTo((2 * 0.45 + 0.05) / 3, 12);
  });
});

describe("scoreCases", () => {
  const cases = [
    { name: "case-001", truth: truth(), answer: answer([["temperature_mismatch", 0.9]]) },
    { name: "case-002", truth: truth(), answer: answer([["stale_weights", 0.6]]) },
    { name: "case-003", truth: truth({ identifiable: false }), answer: answer([["healthy", 1]], "healthy") },
  ];
  const score = scoreCases(cases, families);

  it("keeps hidden faults out of the guesses", () => {
    expect(score).toMatchObject({ faulty: 2, top1: 1, family: 1, hidden: 1, honest: 1, missed: 0 });
  });

  it("names each miss with what was said", () => {
    expect(score.wrong).toEqual([
      { name: "case-002", truth: "temperature_mismatch (high)", said: "stale_weights" },
    ]);
    expect(printScore(score)).toContain("| case-002 | temperature_mismatch (high) | stale_weights |");
  });

  it("takes every stated probability of cases that can be identified", () => {
    expect(score.every.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(2);
    expect(score.first.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(3);
  });
});
