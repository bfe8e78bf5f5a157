import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Scenario } from "../../results/analyze.ts";
import { type AnalyzeOptions, analyzeLog } from "./analyze-log.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "logratio-scenarios-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Kind {
  readonly count: number;
  readonly correct: boolean;
  readonly text: string;
  readonly divergence: number;
}
type Line = Readonly<Record<string, unknown>>;

async function runScenarios(
  lines: readonly Line[],
  options: AnalyzeOptions = {},
): Promise<Record<string, Scenario>> {
  const file = join(directory, "log.jsonl");
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join("\n"));
  const { scenarios } = await analyzeLog([file], options);
  expect(scenarios.every(({ measured, next_step }) => measured !== "" && next_step !== "")).toBe(true);
  return Object.fromEntries(scenarios.map((scenario) => [scenario.id, scenario]));
}

/** Each record is a response of its own, divergences spread a little around their centre. */
function makeRecords(kinds: readonly Kind[], responses = true): Line[] {
  return kinds.flatMap(({ count, correct, text, divergence }, kind) =>
    Array.from({ length: count }, (_, i) => ({
      ...(responses ? { iteration: i, batch_idx: kind } : {}),
      is_correct: correct,
      token_text: `'${text}'`,
      prob_divergence: divergence + 0.01 * Math.sin(i),
    })),
  );
}

async function statuses(kinds: readonly Kind[], options?: AnalyzeOptions, responses = true) {
  const found = await runScenarios(makeRecords(kinds, responses), options);
  return Object.fromEntries(Object.entries(found).map(([id, { status }]) => [id, status]));
}

const digit = (count: number, correct: boolean, divergence = 0.9): Kind => ({
  count,
  correct,
  text: "7",
  divergence,
});
const word = (count: number, correct: boolean, divergence = 0.9): Kind => ({
  count,
  correct,
  text: " the",
  divergence,
});

describe("the guide's scenarios, against what chance gives", () => {
  const ninety = [digit(90, true), word(10, true), digit(4, false), word(6, false)];

  it("more from correct answers than the run has of them", async () => {
    expect(await statuses(ninety, { accuracy: 0.6 })).toMatchObject({
      mostly_correct: "yes",
      mostly_incorrect: "no",
      digits_correct: "yes",
    });
  });

  it("no more than the run has of them: 91 % of the tokens, 91 % of the answers", async () => {
    const found = await runScenarios(makeRecords(ninety), { accuracy: 0.91 });
    expect(found.mostly_correct).toMatchObject({ status: "no" });
    expect(found.mostly_incorrect).toMatchObject({ status: "no" });
    expect(found.mostly_correct!.measured).toBe(
      "90.9 % of 110 records are from correct answers, 95 % interval 83.6 % to 95.1 % over 110 responses; by chance 91.0 % (the share of all responses that are correct, as given)",
    );
    expect(found.mostly_incorrect!.measured).toBe(
      "9.1 % of 110 records are from incorrect answers, 95 % interval 4.9 % to 16.4 % over 110 responses; by chance 9.0 % (the share of all responses that are incorrect, as given)",
    );
  });

  it("more from incorrect answers, although most are from correct ones", async () => {
    const read = await statuses([word(70, true), word(40, false)], { accuracy: 0.9 });
    expect(read).toMatchObject({ mostly_correct: "no", mostly_incorrect: "yes" });
  });

  it("what the log says of its iterations is the share to expect; tokens before responses", async () => {
    const lines = makeRecords([word(60, true), word(40, false)]);
    const responses = lines.map((line) => ({ ...line, iteration_accuracy: 0.9 }));
    const tokens = responses.map((line) => ({ ...line, iteration_correct_tokens: 0.58 }));
    const byResponses = await runScenarios(responses);
    expect(byResponses.mostly_incorrect!.status).toBe("yes");
    expect(byResponses.mostly_incorrect!.measured).toContain("by chance 10.0 % (the share of all responses");
    const byTokens = await runScenarios(tokens);
    expect(byTokens.mostly_incorrect!.measured).toContain(
      "by chance 42.0 % (the share of all response tokens",
    );
    expect(byTokens.mostly_incorrect!.status).toBe("no");
    const given = await runScenarios(tokens, { accuracy: 0.2 });
    expect(given.mostly_correct!.status).toBe("yes");
  });

  it("says what is missing where the run's accuracy is not known", async () => {
    const found = await runScenarios(makeRecords(ninety));
    for (const id of ["mostly_correct", "mostly_incorrect", "digits_correct"]) {
      expect(found[id]!.status).toBe("not enough data");
      expect(found[id]!.measured).toContain(
        "the log does not say how many of all responses were correct: --accuracy 0.62 does",
      );
    }
  });

  it("does not compare shares that the filter made", async () => {
    const found = await runScenarios(makeRecords(ninety), { accuracy: 0.6, where: "is_correct" });
    expect(found.mostly_correct!.status).toBe("not enough data");
  });

  it("digits only: in correct answers, and not in incorrect ones as well", async () => {
    const correct = [digit(90, true), word(10, true)];
    expect(await statuses([...correct, digit(20, false), word(40, false)])).toMatchObject({
      digits_only: "yes",
    });
    expect(await statuses([...correct, digit(135, false), word(15, false)])).toMatchObject({
      digits_only: "no",
    });
    expect(await statuses(correct)).toMatchObject({ digits_only: "not enough data" });
    expect(await statuses([digit(20, true), word(90, true), word(50, false)])).toMatchObject({
      digits_only: "no",
    });
  });

  it("equal on both only where means and shares are, and that is certain", async () => {
    const even = [word(1500, true), word(1500, false)];
    expect(await statuses(even, { accuracy: 0.5 })).toMatchObject({ equal: "yes" });
    expect(await statuses(even, { accuracy: 0.8 })).toMatchObject({ equal: "no" });
    expect(await statuses(even)).toMatchObject({ equal: "not enough data" });
    const few = [word(40, true), word(40, false)];
    expect(await statuses(few, { accuracy: 0.5 })).toMatchObject({ equal: "not enough data" });
    expect(await statuses([word(100, true, 0.95), word(100, false)])).toMatchObject({ equal: "no" });
  });

  it("other tokens more than digits", async () => {
    expect(await statuses([digit(50, true), word(50, true, 0.95)])).toMatchObject({
      not_digits_more: "yes",
      digits_only: "no",
    });
    expect(await statuses([digit(50, true, 0.95), word(50, true)])).toMatchObject({ not_digits_more: "no" });
  });

  it("says where there is not enough to say", async () => {
    const few = await statuses([digit(8, true), word(1, false)], { accuracy: 0.5 });
    expect(new Set(Object.values(few))).toEqual(new Set(["not enough data"]));
    const unnamed = await statuses([digit(90, true), word(3, false)], { accuracy: 0.5 }, false);
    expect(unnamed).toMatchObject({ mostly_correct: "not enough data", not_digits_more: "not enough data" });
  });

  it("counts prompts, not tokens: many tokens of few prompts prove nothing", async () => {
    const lines = (prompts: number) =>
      Array.from({ length: 400 }, (_, i) => ({
        iteration: 1,
        batch_idx: i % 80,
        prompt_text: `'prompt ${i % prompts}'`,
        prompt_num_tokens: 4,
        is_correct: true,
        token_text: "'1'",
        prob_divergence: 0.9,
      }));
    const few = await runScenarios(lines(8), { accuracy: 0.5 });
    expect(few.mostly_correct).toMatchObject({ status: "not enough data" });
    expect(few.mostly_correct!.measured).toContain("over 8 prompts");
    const many = await runScenarios(lines(40), { accuracy: 0.5 });
    expect(many.mostly_correct).toMatchObject({ status: "yes" });
    expect(many.mostly_correct!.measured).toContain("95 % interval 90.7 % to 100 % over 40 prompts");
  });

  it("an accuracy is a share", async () => {
    await expect(runScenarios(makeRecords(ninety), { accuracy: 62 })).rejects.toThrow("from 0 to 1, not 62");
  });
});

describe("tests by response", () => {
  /** 12 prompts of 4 responses each; a prompt's responses are alike, and right in the first half. */
  const lines = Array.from({ length: 48 }, (_, i) => ({
    iteration: 1,
    batch_idx: i,
    prompt_text: `'p${Math.floor(i / 4)}'`,
    prompt_num_tokens: 3,
    is_correct: i < 24,
    token_text: i % 2 === 0 ? "'3'" : "' a'",
    prob_divergence: 0.8 + 0.02 * Math.sin(5 * Math.floor(i / 4)) + 0.001 * (i % 4) + (i < 24 ? 0.008 : 0),
  }));

  it("are clustered by prompt, with two degrees of freedom less than there are equal prompts", async () => {
    const file = join(directory, "prompts.jsonl");
    writeFileSync(file, lines.map((line) => JSON.stringify(line)).join("\n"));
    const { comparisons } = await analyzeLog([file]);
    const of = (id: string) => comparisons.find((comparison) => comparison.id === id)!;
    const { clustered, welch, mean_difference } = of("correctness_sequences");
    expect(clustered).toMatchObject({
      by: "prompt",
      clusters: 12,
      clusters_least: 6,
      degrees_of_freedom: expect.closeTo(10, 9),
    });
    // The same figures in every response of a prompt: Welch takes 48 for independent.
    expect(welch.p_value!).toBeLessThan(clustered!.p_value!);
    expect(clustered!.interval.low! + clustered!.interval.high!).toBeCloseTo(2 * mean_difference!, 12);
    expect(of("correctness").clustered).toBeNull();
    expect(of("digits").clustered).toBeNull();
    expect(of("not_digits").clustered).toMatchObject({ by: "prompt", clusters: 12 });
  });

  it("are not there below six prompts on a side", async () => {
    const file = join(directory, "five.jsonl");
    writeFileSync(
      file,
      lines
        .slice(0, 44)
        .map((line) => JSON.stringify(line))
        .join("\n"),
    );
    const { comparisons } = await analyzeLog([file]);
    expect(comparisons.find(({ id }) => id === "correctness_sequences")!.clustered).toBeNull();
  });

  it("take responses where the log has no prompts", async () => {
    const file = join(directory, "responses.jsonl");
    writeFileSync(file, lines.map(({ prompt_text, ...line }) => JSON.stringify(line)).join("\n"));
    const { comparisons, absent } = await analyzeLog([file]);
    expect(comparisons.find(({ id }) => id === "correctness_sequences")!.clustered).toMatchObject({
      by: "response",
      clusters: 48,
    });
    expect(absent.join("\n")).toContain("no prompt_text in the log");
  });
});
