import { describe, expect, it } from "vitest";
import { isDigitToken, isPlaceholder, stripPython, unquotePython } from "./unquote.ts";

describe("unquotePython", () => {
  // As ast.literal_eval has it.
  it.each([
    ["' world'", " world"],
    ['"it\'s"', "it's"],
    ["'\\'\"'", "'\""],
    ["'a\\n\\t\\\\n'", "a\n\t\\n"],
    ["'\\x1b\\u2028\\U0001f642'", "\x1b\u2028🙂"],
    ["'\\a\\b\\f\\v\\r\\0'", "\x07\b\f\v\r\0"],
    ["'\\q\\U00110000\\U0010ffff'", "\\q\\U00110000\u{10ffff}"],
    ["'数'", "数"],
    ["''", ""],
    ["'", "'"],
    ["<no_tokenizer:5>", "<no_tokenizer:5>"],
    ["3", "3"],
    ["\"3'", "\"3'"],
  ])("%s", (text, wanted) => {
    expect(unquotePython(text)).toBe(wanted);
  });
});

it("stripPython takes off what str.strip takes off, and no more", () => {
  expect(stripPython("\x1c\x85\u3000 3 \n")).toBe("3");
  expect(stripPython("\ufeff3\u200b")).toBe("\ufeff3\u200b");
  expect(stripPython(" \t")).toBe("");
});

describe("isDigitToken", () => {
  it.each(["'3'", "' 12'", "'3.5\\n'", "42", "'٣'", "'３'", "'.'", "'...'"])("%s is one", (text) => {
    expect(isDigitToken(text)).toBe(true);
  });
  it.each(["'x3'", "'1,000'", "'-3'", "''", "'²'", "'½'", "' '", "'3 4'"])("%s is none", (text) => {
    expect(isDigitToken(text)).toBe(false);
  });
});

it("isPlaceholder knows what stands for a token that was not decoded", () => {
  expect(["<no_tokenizer:62>", "<decode_error:5>"].every(isPlaceholder)).toBe(true);
  expect(["'<no_tokenizer:62>'", "<no_tokenizer:>", "62"].some(isPlaceholder)).toBe(false);
});
