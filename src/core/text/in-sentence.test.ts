import { describe, expect, it } from "vitest";
import { asSentence } from "./in-sentence.ts";

describe("asSentence", () => {
  it.each([
    ["in steps 10–30; normal since step 50", "In steps 10–30; normal since step 50."],
    ["since step 2: NaN", "Since step 2: NaN."],
    ["It fits.", "It fits."],
    // A name is not a word.
    ["train/loss reaches 3 at step 4", "train/loss reaches 3 at step 4."],
    ["k3 is high", "k3 is high."],
    ["", "."],
  ])("%s", (text, sentence) => {
    expect(asSentence(text)).toBe(sentence);
  });
});
