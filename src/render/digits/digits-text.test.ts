import { describe, expect, it } from "vitest";
import { recordBatch } from "../../../test/support/record-batch.ts";
import { DigitRun } from "../../analyses/digits/digit-run.ts";
import { makeSpan, vocabulary } from "../../analyses/digits/text-vocabulary.test-data.ts";
import type { DigitsReport } from "../../results/digits.ts";
import { displayWidth } from "../terminal/columns.ts";
import { renderDigitsMarkdown, renderDigitsTerminal } from "./document.ts";

function makeReport(run = "dumps", truths: readonly string[] | null = ["712", "85"]): DigitsReport {
  const texts = [
    ["1", "2", "x", "####", " 7", "12"],
    ["x", "5", "####", "8", "3", "9"],
  ];
  const summary = new DigitRun(vocabulary, truths ? { truthSource: "gts" } : {});
  for (let step = 1; step <= 30; step++) {
    const batch = recordBatch(
      texts.map((own, row) => ({
        deltas: own.map((_, t) => String(t / 100)).join(" "),
        tokenIds: Array.from(makeSpan(...own).ids),
        step,
        correct: row,
        rollout: -0.3 * (row + 1),
      })),
    );
    const k = 1;
    summary.add(
      {
        ...batch,
        topK: {
          rollout: { k, ids: batch.responseTokenIds!, logprobs: Float32Array.from(batch.rolloutLogprobs!) },
        },
      },
      truths ?? undefined,
    );
  }
  return {
    schemaVersion: 1,
    kind: "digits",
    run,
    vocabulary: {
      tokenizer: "model/",
      bare: [],
      spaced: [],
      multi_digit_entries: 2,
      longest_entry: 3,
      token_texts: false,
    },
    ...summary.result(),
    findings: [],
    sources: [],
  };
}

describe("renderDigitsTerminal", () => {
  it.each([60, 80, 120, 160])("keeps to %i columns, in color or ASCII", (width) => {
    for (const unicode of [true, false]) {
      const text = renderDigitsTerminal(makeReport("数".repeat(60)), { width, color: false, unicode });
      for (const line of text.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(width);
      if (!unicode) expect(text.replaceAll("\n", "")).toMatch(/^[\x20-\x7e]*$/);
    }
  });

  it("says how sure, how far apart, how right, and what the top k leave open", () => {
    const report = makeReport();
    const text = renderDigitsTerminal(report, { width: 120, color: false, unicode: true });
    expect(text).toContain("Proxy NTL 0.471 nats");
    expect(text).toContain("Against gts: 30 of 60 answers right (50.0 %)");
    expect(text).toMatch(/wrong ones are off by 754 \(median\)/);
    expect(text).toContain("30 multi-digit tokens");
    expect(text).toContain("30 answers contradicting the correctness".replace("30", "60"));
    expect(text).toMatch(/NTL-WAS +0 \[0, \d/);
    expect(text).toMatch(/hundreds +60/);
    expect(text).toMatch(/1–2 .*\n/);
    expect(text).not.toContain("n/a");
  });

  it("says what is missing and why", () => {
    const { distributions: _, ...report } = makeReport("dumps", null);
    const text = renderDigitsTerminal(
      { ...report, distributions: [] },
      { width: 100, color: false, unicode: true },
    );
    expect(text).toContain("no ground truth (--truth COLUMN or FILE)");
    expect(text).not.toContain("Against");
  });
});

describe("renderDigitsMarkdown", () => {
  it("has the same tables and the command to repeat it", () => {
    const text = renderDigitsMarkdown(makeReport("a|b"), {
      command: "logratio digits dumps/ --tokenizer model/",
    });
    expect(text).toContain("### Digits of");
    expect(text).toContain("**By place value**");
    expect(text).toContain("**Calibration of answer digits**");
    expect(text).toContain("logratio digits dumps/ --tokenizer model/");
  });
});
