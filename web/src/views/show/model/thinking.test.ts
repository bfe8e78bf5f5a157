import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { madeSequence } from "./made-sequence.test-data.ts";
import { splitRuns } from "./runs.ts";
import { findThinking } from "./thinking.ts";

type More = Parameters<typeof madeSequence>[1];

/** The response tokens in thinking, as a text with `·` for all others. */
function thinking(tokens: readonly string[], more: More = {}): string | undefined {
  const wire = madeSequence(tokens, more);
  const found = findThinking(wire, splitRuns(wire));
  return found && [...found].map((is, at) => (is ? tokens[at + wire.meta.promptLength] : "·")).join("");
}

describe("thinking", () => {
  it("goes from tag to tag, in tokens of one piece or of several", () => {
    expect(thinking(["<think>", "so", "</think>", "4"])).toBe("<think>so</think>·");
    expect(thinking(["a", "<", "think", ">", "so", "</", "think", ">", "4"])).toBe("·<think>so</think>·");
    expect(thinking(["[THINK]", "so", "[/THINK]", "4"])).toBe("[THINK]so[/THINK]·");
    expect(thinking(["<seed:think>", "so", "</seed:think>", "4"])).toBe("<seed:think>so</seed:think>·");
    expect(thinking(["<thinking>", "so", "</think>", "</thinking>", "4"])).toBe(
      "<thinking>so</think></thinking>·",
    );
    const harmony = ["<|channel|>", "analysis", "<|message|>", "so", "<|end|>", "4"];
    expect(thinking(harmony)).toBe("<|channel|>analysis<|message|>so<|end|>·");
  });

  it("may come twice, may be opened by the prompt, and ends with its turn", () => {
    expect(thinking(["<think>", "a", "</think>", "1", "<think>", "b"])).toBe("<think>a</think>·<think>b");
    expect(thinking(["2+2", "<think>", "\n", "so", "</think>", "4"], { promptLength: 3 })).toBe(
      "so</think>·",
    );
    const mask = Uint8Array.from([1, 1, 0, 1]);
    const turnMarks = Uint16Array.from([1, 1, 0, 2]);
    expect(thinking(["<think>", "a", "tool", "b"], { mask, turnMarks })).toBe("<think>a··");
  });

  it("is found neither without tags nor in tool output", () => {
    expect(thinking(["a", "</think>", "b"])).toBeUndefined();
    expect(thinking([])).toBeUndefined();
    const mask = Uint8Array.from([0, 0, 1]);
    const turnMarks = Uint16Array.from([0, 0, 1]);
    expect(thinking(["<think>", "a</think>", "b"], { mask, turnMarks })).toBeUndefined();
  });

  it("includes a token that it shares", () => {
    expect(thinking(["é<think>", "so", "</think> 4", "!"])).toBe("é<think>so</think> 4·");
  });

  it("is exactly the text between the tags", () => {
    const words = fc
      .array(fc.constantFrom("é", "7", " so", "<", ">", "👍", "\n", "think"))
      .map((some) => some.join(""));
    fc.assert(
      fc.property(words, words, words, (before, inside, after) => {
        fc.pre(!before.includes("<think>") && !after.includes("<think>"));
        const parts = [before, `<think>${inside}</think>`, after];
        const letters = parts.flatMap((part, at) => [...part].map((letter) => [letter, at === 1] as const));
        const found = thinking(letters.map(([letter]) => letter));
        expect(found).toBe(letters.map(([letter, is]) => (is ? letter : "·")).join(""));
      }),
    );
  });
});
