import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { analyzeStudy } from "../analyze-study.ts";
import { readStudy } from "../config/read-study.ts";
import { type RunStudyResult, runStudy } from "../run-study.ts";
import { paths } from "../store/manifest.ts";
import type { PreparedText } from "../texts/prepare-text.ts";
import type { Continuation } from "./continuations-file.ts";
import { checkPlace, forcedTokens } from "./places.ts";

const at = (path: string): string => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
const MODELS = at("test/fixtures/onnx");

function preparedText(length: number, more: Partial<PreparedText>): PreparedText {
  const ids = Int32Array.from({ length }, (_, i) => i + 3);
  return {
    id: "t",
    problem: "t",
    source: undefined,
    promptText: undefined,
    promptLength: 1,
    promptIds: Int32Array.of(1),
    responseText: "",
    idsFrom: "file",
    at: {},
    tokenIds: ids,
    tokens: Array.from(ids, String),
    mask: new Uint8Array(length).fill(1),
    correct: false,
    level: undefined,
    subject: undefined,
    answer: undefined,
    errorToken: undefined,
    ...more,
  };
}

describe("forcedTokens", () => {
  const text = preparedText(10, { errorToken: 4 });

  test("is before and behind the first error, the start, or a share", () => {
    expect(
      ["start", "before_error", "after_error", "0.25"].map((place) => forcedTokens(place, text)),
    ).toEqual([0, 4, 5, 2]);
  });

  test("moves behind tool output, which no policy writes", () => {
    const mask = Uint8Array.of(1, 1, 0, 0, 0, 0, 1, 1, 1, 1);
    expect(forcedTokens("0.3", { ...text, mask })).toBe(6);
    expect(
      forcedTokens("0.3", { ...text, mask: Uint8Array.of(1, 1, 1, 0, 0, 0, 0, 0, 0, 0) }),
    ).toBeUndefined();
  });

  test("is not known without an error, nor at the end of the text", () => {
    expect(forcedTokens("before_error", preparedText(10, {}))).toBeUndefined();
    expect(forcedTokens("after_error", preparedText(5, { errorToken: 4 }))).toBeUndefined();
  });

  test.each(["end", "1", "0", "-0.5", "", "nan"])("a place %s is refused", (place) => {
    expect(() => checkPlace(place)).toThrow(/start, before_error, after_error or a share/);
  });
});

describe("continueTexts", () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "continue-"));
  });
  afterEach(() => rm(dir, { recursive: true }));

  /** The first line of the response states an answer that the rest does not retract. */
  const rows = [
    { id: "right-after-all", answer: "!", correct: false },
    { id: "still-wrong", answer: "?", correct: false },
    { id: "was-right", answer: "!", correct: true },
    { id: "no-answer", correct: false },
  ];
  async function run(more: object, policies: object = {}): Promise<RunStudyResult> {
    const texts = join(dir, "texts.jsonl");
    // "#### !" and a line break, then spaces: tokens that the models of these tests have.
    const given = {
      prompt: "p",
      response: "#### !\n  ",
      prompt_ids: [1, 20],
      response_ids: [42, 42, 42, 42, 39, 40, 17, 39, 39],
    };
    writeFileSync(texts, rows.map((row) => `${JSON.stringify({ ...given, ...row })}\n`).join(""));
    const config = {
      texts,
      tokenizer: at("examples/demo/tokenizer"),
      policies: { plain: `onnx:${MODELS}/plain`, step_1: `onnx:${MODELS}/scaled`, ...policies },
      reference: "plain",
      ...more,
    };
    const { spec } = await readStudy(config, join(dir, "out"), undefined);
    return runStudy(spec, { threads: 1 });
  }
  const read = (): Continuation[] =>
    readFileSync(paths.continuations(join(dir, "out")), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Continuation);
  const CONTINUE = { continue: { at: [0.8], n: 2, max_tokens: 3, temperature: 1 } };

  test("samples wrong texts under every policy, grades them, and keeps what is sampled", async () => {
    const { findings } = await run(CONTINUE);
    const lines = read();
    expect(lines.map(({ policy, text, place, sample }) => [policy, text, place, sample])).toEqual(
      ["plain", "step_1"].flatMap((policy) =>
        ["right-after-all", "still-wrong"].flatMap((text) =>
          [0, 1].map((sample) => [policy, text, "0.8", sample]),
        ),
      ),
    );
    for (const { text, correct, ids, position } of lines) {
      expect(correct).toBe(text === "right-after-all");
      expect(ids.length).toBeGreaterThan(0);
      expect(ids.length).toBeLessThanOrEqual(3);
      expect(position).toBe(lines[0]!.position);
    }
    expect(findings.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        "1 text was not continued: only wrong texts are",
        "1 text was not continued: the answer to the problem is not known",
      ]),
    );
    const before = readFileSync(paths.continuations(join(dir, "out")), "utf8");
    await run(CONTINUE);
    expect(readFileSync(paths.continuations(join(dir, "out")), "utf8")).toBe(before);
    // Different settings give different samples.
    await run({ continue: { at: [0.8], n: 1, max_tokens: 3, temperature: 0 } });
    expect(read()).toHaveLength(4);
  }, 60_000);

  test("reports how often the right answer follows", async () => {
    await run(CONTINUE);
    const { spec } = await readStudy(
      {
        texts: "t",
        policies: { plain: "onnx:a", step_1: "onnx:b" },
        reference: "plain",
        cases: 8,
      },
      "out",
      undefined,
    );
    const report = await analyzeStudy(join(dir, "out"), { analysis: spec.analysis });
    expect(report.continuations).toMatchObject([
      {
        checkpoint: "step_1",
        place: "0.8",
        texts: 2,
        samples: 4,
        right: 0.5,
        reference_right: 0.5,
        unanswered: 0,
      },
    ]);
    const told = report.cases.find(({ text }) => text === "still-wrong")?.continuations;
    expect(told?.map(({ policy, samples, right }) => [policy, samples, right])).toEqual([
      ["plain", 2, 0],
      ["step_1", 2, 0],
    ]);
  }, 60_000);

  test("samples again what is damaged, and says so", async () => {
    await run(CONTINUE);
    const file = paths.continuations(join(dir, "out"));
    const [first, ...others] = readFileSync(file, "utf8").trimEnd().split("\n");
    writeFileSync(file, [first!.replace('"correct":true', '"correct":null'), ...others, ""].join("\n"));
    appendFileSync(file, '{"policy":"pl');
    const { findings } = await run(CONTINUE);
    expect(findings.map(({ message }) => message)).toContain(
      "2 continuations are damaged and will be sampled again",
    );
    // One of the two samples of that text was intact.
    expect(
      read().filter(({ policy, text }) => policy === "plain" && text === "right-after-all"),
    ).toHaveLength(2);
  }, 60_000);
});
