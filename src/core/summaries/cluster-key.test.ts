import { describe, expect, it } from "vitest";
import { KeyHash } from "./cluster-key.ts";

describe("keys of clusters", () => {
  it("are the same on every machine and in every version: files of shards hold them", () => {
    const keys = {
      nothing: new KeyHash().key(),
      word: new KeyHash().addWord(7).key(),
      number: new KeyHash().addNumber(-0.5).key(),
      text: new KeyHash().addText("gsm8k").key(),
      words: new KeyHash().addWords(Int32Array.of(9, 1, 2, 3, 9), 1, 4).key(),
      numbers: new KeyHash().addNumbers(Float64Array.of(9, 1, 2, 9), 1, 3).key(),
    };
    expect(keys).toEqual({
      nothing: 4532690073820858,
      word: 5050565080932682,
      number: 3138506350243941,
      text: 3599875593580832,
      words: 1046669401019582,
      numbers: 902001222970219,
    });
  });

  it("go on from a copy without changing it", () => {
    const start = new KeyHash().addText("step 3");
    const before = start.key();
    const copy = start.copy().addWord(1);
    expect(start.key()).toBe(before);
    expect(copy.key()).toBe(new KeyHash().addText("step 3").addWord(1).key());
  });

  it("tell lists of words apart where one goes on", () => {
    const words = Int32Array.of(1, 2, 0);
    expect(new KeyHash().addWords(words, 0, 2).key()).not.toBe(new KeyHash().addWords(words, 0, 3).key());
  });
});
