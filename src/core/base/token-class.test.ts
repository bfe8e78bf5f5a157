import { describe, expect, it } from "vitest";
import { TOKEN_CLASSES, TOKEN_FLAGS, type TokenClass, tokenClass } from "./token-class.ts";

describe("tokenClass", () => {
  it("tells what a token is by its text", () => {
    const examples: Record<Exclude<TokenClass, "number" | "special">, string[]> = {
      space: [" ", "\n\n", " \t ", "\u00a0"],
      word: ["a", "Ġword".slice(1), " word", "word  ", "  läufe ", "e\u0301", "\u0301", "语言"],
      punctuation: [".", " …", "?! ", "  ((  ", "+", "$=", "→"],
      other: ["", "a.", ".a", "a b", "+ +", "a1", "1", " 1a", "\u0000", "#7"],
    };
    for (const [name, texts] of Object.entries(examples)) {
      for (const text of texts) expect([text, tokenClass(text, 0)]).toEqual([text, name]);
    }
  });

  it("believes the flags before the text: special, then digits, then what no tokenizer knows", () => {
    const { special, continuation, digit, unknown } = TOKEN_FLAGS;
    expect(tokenClass("word", special | digit | unknown)).toBe("special");
    expect(tokenClass("word", digit | unknown)).toBe("number");
    expect(tokenClass("word", unknown)).toBe("other");
    expect(tokenClass("word", continuation)).toBe("word");
  });

  it("gives no class that is not in the list", () => {
    const given = new Set([
      tokenClass("", TOKEN_FLAGS.special),
      tokenClass("", TOKEN_FLAGS.digit),
      ...["", " ", "a", "."].map((text) => tokenClass(text, 0)),
    ]);
    expect(given).toEqual(new Set(TOKEN_CLASSES));
  });
});
