import { expect, test } from "vitest";
import { TOKEN_FLAGS } from "../../core/base/token-class.ts";
import { textBetween } from "./sequence-text.ts";

/** Tokens as bytes; those named go on with a character that the one before began. */
function spelled(tokens: readonly (readonly number[])[], continuations: readonly number[] = []) {
  const ends = tokens.map((_, i) => tokens.slice(0, i + 1).flat().length);
  return {
    texts: Uint8Array.from(tokens.flat()),
    textOffsets: Uint32Array.from([0, ...ends]),
    flags: Uint8Array.from(tokens, (_, i) => (continuations.includes(i) ? TOKEN_FLAGS.continuation : 0)),
  };
}
const bytes = (text: string): number[] => [...new TextEncoder().encode(text)];

test("keeps a byte order mark: it is the token's text, as any other", () => {
  const sequence = spelled([bytes("\uFEFFa"), bytes("\uFEFF")]);
  expect(textBetween(sequence, 0, 1)).toBe("\uFEFFa");
  expect(textBetween(sequence, 1, 2)).toBe("\uFEFF");
  expect(textBetween(sequence, 0, 2)).toBe("\uFEFFa\uFEFF");
});

test("gives a character that two tokens share to the first of them", () => {
  const [first, ...rest] = bytes("ä");
  const sequence = spelled([bytes("x"), [first!], [...rest, ...bytes("y")]], [2]);
  expect(textBetween(sequence, 0, 2)).toBe("xä");
  expect(textBetween(sequence, 1, 2)).toBe("ä");
  expect(textBetween(sequence, 2, 3)).toBe("y");
  expect(textBetween(sequence, 0, 3)).toBe("xäy");
  expect(textBetween(sequence, 1, 1)).toBe("");
});
