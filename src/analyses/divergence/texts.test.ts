import { describe, expect, it } from "vitest";
import { tableDecoder } from "./table-decoder.test-data.ts";
import { decoded, truncated } from "./texts.ts";

describe("decoded", () => {
  it("cuts a long text at characters, emoji as one, and decodes no more than it needs", () => {
    const decoder = tableDecoder(["🙂", "ab"]);
    const ids = Array.from({ length: 100_000 }, (_, i) => i % 2);
    expect(decoded(decoder, ids, 4)).toEqual({ text: "🙂ab🙂..." });
    expect(decoder.ids).toBeLessThanOrEqual(64);
  });

  it("goes on until there are enough characters, tokens without text among them", () => {
    const decoder = tableDecoder(["", "x"]);
    const ids = [...Array(5000).fill(0), ...Array(5000).fill(1)] as number[];
    expect(decoded(decoder, ids, 3)).toEqual({ text: "xxx..." });
    expect(decoded(decoder, ids.slice(0, 5003), 3)).toEqual({ text: "xxx" });
  });

  it("says which token the tokenizer does not have", () => {
    expect(decoded(tableDecoder(["a"]), [0, 7], null)).toEqual({
      error: "token 7 is not among the 1 of the tokenizer table: is it another model's?",
    });
  });

  it("keeps a text of exactly as many characters, and cuts nothing to 0", () => {
    expect([truncated("🙂🙂", 2), truncated("abc", 2), truncated("abc", 0), truncated("abc", null)]).toEqual([
      "🙂🙂",
      "ab...",
      "...",
      "abc",
    ]);
  });
});
