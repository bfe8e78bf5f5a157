import { describe, expect, it } from "vitest";
import { dictionary } from "./dictionary.ts";
import { orNull, resultJson } from "./json.ts";

describe("resultJson", () => {
  it("writes NaN as null, infinities by name, and everything else as JSON does", () => {
    const value = { a: Number.NaN, b: [1 / 0, -1 / 0], c: 0.5, d: "NaN", e: true, f: null, g: undefined };
    expect(resultJson(value)).toBe(
      '{"a":null,"b":["Infinity","-Infinity"],"c":0.5,"d":"NaN","e":true,"f":null}',
    );
  });

  it("indents where asked", () => {
    expect(resultJson({ a: 1 }, 2)).toBe('{\n  "a": 1\n}');
  });
});

describe("orNull", () => {
  it("is null for NaN alone", () => {
    expect([Number.NaN, 0, -1, Number.POSITIVE_INFINITY].map(orNull)).toEqual([
      null,
      0,
      -1,
      Number.POSITIVE_INFINITY,
    ]);
  });
});

describe("dictionary", () => {
  it("holds what it is given and nothing that it inherits", () => {
    const made = dictionary([
      ["a", 1],
      ["__proto__", 2],
    ]);
    expect(Object.entries(made)).toEqual([
      ["a", 1],
      ["__proto__", 2],
    ]);
    expect("constructor" in made).toBe(false);
    expect(Object.entries(dictionary())).toEqual([]);
  });
});
