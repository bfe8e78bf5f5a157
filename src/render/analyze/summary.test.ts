import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { analyzeLog } from "../../analyses/analyze/analyze-log.ts";
import type { AnalyzeReport } from "../../results/analyze.ts";
import { keyLines } from "./summary.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "logratio-summary-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Digit tokens, each with its own response and prompt; the first `correct` of `count` come from correct answers. */
function analyzeDigits(count: number, correct: number, accuracy?: number, apart = 0): Promise<AnalyzeReport> {
  const file = join(directory, "log.jsonl");
  const lines = Array.from({ length: count }, (_, i) => ({
    iteration: 1,
    batch_idx: i,
    prompt_text: `prompt ${i}`,
    prompt_num_tokens: 2,
    token_text: "'7'",
    is_correct: i < correct,
    prob_divergence: 0.85 + 0.01 * Math.sin(i) + (i < correct ? apart : 0),
  }));
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join("\n"));
  return analyzeLog([file], accuracy === undefined ? {} : { accuracy });
}

const findLine = (report: AnalyzeReport, label: string): string | undefined =>
  keyLines(report).find(([name]) => name === label)?.[1];

describe("the guide's Hypothesis 1", () => {
  it.each([
    [
      90,
      0.6,
      "90.0 % from correct answers is above the guide's 70 % for strong evidence, and significantly more than chance: supported",
    ],
    [
      90,
      0.9,
      "90.0 % from correct answers is above the guide's 70 % for strong evidence, but not significantly more than chance: not supported",
    ],
    [
      60,
      0.3,
      "60.0 % from correct answers is not above the guide's 70 % for strong evidence, but significantly more than chance: weakly supported",
    ],
    [
      60,
      0.6,
      "60.0 % from correct answers is not above the guide's 70 % for strong evidence, and not significantly more than chance: not supported",
    ],
    [
      70,
      undefined,
      "70.0 % from correct answers is not above the guide's 70 % for strong evidence; the data do not show whether that is more than chance",
    ],
  ])("%d of 100 correct, %s of all", async (correct, accuracy, sentence) => {
    expect(findLine(await analyzeDigits(100, correct, accuracy), "hypothesis 1")).toBe(sentence);
  });

  it("has the guide's rules as figures, and no sentence where no correctness is known", async () => {
    const { hypothesis } = await analyzeDigits(100, 80, 0.5, 0.1);
    expect(hypothesis).toMatchObject({
      correct_share: 0.8,
      share_limit: 0.7,
      share_above_limit: true,
      share_above_chance: true,
      digits_share_above_chance: true,
      ratio_limit: 1.5,
      ratio_above_limit: false,
      digits_significant: true,
    });
    const file = join(directory, "unknown.jsonl");
    writeFileSync(file, '{"prob_divergence": 0.9}');
    expect(findLine(await analyzeLog([file]), "hypothesis 1")).toBeUndefined();
  });
});

describe("the test of digits", () => {
  it("says whether the difference is significant", async () => {
    expect(findLine(await analyzeDigits(40, 20, 0.5, 0.1), "digits")).toMatch(
      /; a significant difference, p = \S+ over 40 prompts \(over tokens t = /,
    );
    expect(findLine(await analyzeDigits(40, 20, 0.5), "digits")).toMatch(
      /; no difference can be shown, nor one of -0\.\S+ to \+0\.\S+ ruled out, p = 0\.\d+ over 40 prompts /,
    );
  });
});
