import { describe, expect, test } from "vitest";
import { attentionPlan } from "./attention-plan.ts";
import type { PreparedText } from "./texts/prepare-text.ts";

/** Three prompt tokens; the text claims that 2 * 3 is 7. */
const TOKENS = ["We", " get", " 2", " *", " 3", " =", " 7", ".", " So", " 7", "."];

function text(change: Partial<PreparedText> = {}): PreparedText {
  return {
    id: "t",
    problem: "p",
    source: undefined,
    promptText: undefined,
    promptLength: 3,
    promptIds: Int32Array.of(1, 2, 3),
    responseText: TOKENS.join(""),
    idsFrom: "file",
    at: { file: "texts.jsonl", row: 0 },
    tokenIds: Int32Array.from(TOKENS, (_, t) => t),
    tokens: TOKENS,
    mask: new Uint8Array(TOKENS.length).fill(1),
    correct: false,
    level: undefined,
    subject: undefined,
    answer: undefined,
    errorToken: undefined,
    ...change,
  } as PreparedText;
}

describe("attentionPlan", () => {
  test("the error from its = on, as many tokens before it, and who looks back", () => {
    expect(attentionPlan(text())).toEqual({
      error: { from: 5, token: 6 },
      span: { from: 8, to: 10 },
      control: { from: 6, to: 8 },
      tokens: [11, 12, 13],
    });
  });

  test("an error that the data name is one token", () => {
    expect(attentionPlan(text({ errorToken: 1 }))).toMatchObject({
      error: { from: 1, token: 1 },
      span: { from: 4, to: 5 },
      control: { from: 3, to: 4 },
      tokens: [6, 7, 8, 9, 10, 11, 12, 13],
    });
  });

  test("tokens of tools look back at nothing and are not a control", () => {
    const mask = new Uint8Array(TOKENS.length).fill(1);
    mask[3] = 0;
    mask[9] = 0;
    expect(attentionPlan(text({ mask, errorToken: 4 }))).toMatchObject({
      control: undefined,
      tokens: [9, 10, 11, 13],
    });
  });

  test("no control where it would begin in the prompt", () => {
    expect(attentionPlan(text({ errorToken: 0 }))?.control).toBeUndefined();
  });

  test.each([
    ["right", { correct: true }],
    ["not known to be wrong", { correct: undefined }],
    ["wrong in a way that nobody sees", { tokens: TOKENS.map(() => "x") }],
    ["over one token behind its error", { errorToken: TOKENS.length - 2 }],
  ] satisfies [string, Partial<PreparedText>][])("nothing is asked of a text that is %s", (_, change) => {
    expect(attentionPlan(text(change))).toBeUndefined();
  });
});
