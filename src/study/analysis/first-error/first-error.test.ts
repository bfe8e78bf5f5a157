import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { studyText } from "../report/report.test-data.ts";
import { firstWrongEquation } from "./equations.ts";
import { readExpression } from "./expressions.ts";
import { findFirstError } from "./first-error.ts";

const everywhere = (): boolean => true;

/** The text with ⟦ at the place where it goes wrong. */
function marked(text: string): string {
  const found = firstWrongEquation(text, everywhere);
  return found === undefined ? text : `${text.slice(0, found.place)}⟦${text.slice(found.place)}`;
}

describe("statements that do not hold, at the first digit that is not as it must be", () => {
  test.each([
    "Step 1: first compute 7 * 35 = 2⟦85.\nStep 2: so then 67 + 285 = 352.",
    "Step 1: first x = 85 / 5 = 1⟦3.",
    "so 40 + 65 = 1⟦15.",
    "2 + 3 = 5, and then 5 + 4 = ⟦8",
    "12 + 5 = 17 + 1 = 1⟦9",
    "The total is 1,200 + 34 = 1,2⟦43 apples",
    "Now 4 × 3 = 1⟦3",
    "We have 4 ÷ 2 = ⟦3",
    "and 3 x 4 = 1⟦4",
    "\\[ 287 \\cdot 7 = 20⟦19 \\]",
    "So \\(2^{10} = 102⟦5\\).",
    "$3 \\times 5 = 1⟦6$",
    "5² = 2⟦6",
    "- 5 + 3 = ⟦9",
    "- 287 * 7 = 20⟦19",
    "6 - 4 = ⟦-2",
    "2. 5 + 3 = ⟦9",
    "61 * 10 = 61⟦.",
    "6 - 9 = ⟦3",
    "6 - 9 = -⟦4",
    "0.5 * 7 = ⟦4.5",
    "2(3 + 4) = 1⟦5",
    "\\frac{3}{4} + \\frac{1}{4} = ⟦2",
    "\\sqrt{16} = ⟦5",
    "**9 + 1 = 1⟦1**",
    "7 * 35 = 245 (since 7 * 30 = 2⟦20)",
    "2 \\cdot 3 + 4 \\cdot 5 = ⟦6 + 21 = 27",
  ])("%s", (text) => {
    expect(marked(text.replace("⟦", ""))).toBe(text);
  });
});

describe("nothing is said where it is right, or not sure", () => {
  test.each([
    "2/3 = 0.67, 2/3 = 0.66, 2 / 3 = 0.6667",
    "0.33 * 300 = 100",
    "17 / 5 = 3",
    "85 / 5 = 17.",
    "x^3 + ax^2 + ax + 1 = 0",
    "3x + 2 = 5",
    "f(2) + 3 = 9",
    "Step 1 - 40 + 65 = 105",
    "- 5 + 3 = -2",
    "-2^2 = 4 and -2^2 = -4",
    "2 + 2 ≠ 5",
    "Is 2 + 2 = 5?",
    "2 + 2 = 5 is wrong",
    "2 + 2 = 5\nThis is not true.",
    "if 2 + 2 = 5 then",
    "sin 30 + 1 = 2",
    "2 times 3 + 4 = 10",
    "30 + 30 = 1 hour",
    "50% * 4 = 3",
    "3 * 5 = 1 (mod 7)",
    "1 + 1 = 10_2",
    "5! + 1 = 2",
    "|3 - 5| = 2",
    "4 + 12 + (-3) = 13 - x",
    "6/2(1+2) = 7",
    "2 + 3 < 4 = 2 + 2",
    "(1, 2) + (3, 4) = (4, 6)",
    "5 x = 10",
    "10 = 3 * 4",
    "at 10:30 + 2:15 = 12:45",
  ])("%s", (text) => {
    expect(marked(text)).toBe(text);
  });
});

describe("a calculator", () => {
  const call = "first compute 7 * 35 <calc>7*35</calc><out>245</out>";

  test("its results are never the text's error", () => {
    expect(marked(`${call} so 245.`)).toBe(`${call} so 245.`);
    const text = "then 2 + 2 <calc>2+2</calc><out>5</out> so 5.";
    const out = text.indexOf("5</out>");
    expect(firstWrongEquation(text, (place) => place !== out)).toBeUndefined();
  });

  test("what is said to be its result, and is another, is", () => {
    expect(marked(`${call} so 254.`)).toBe(`${call} so 2⟦54.`);
    expect(marked(`${call} = 240.`)).toBe(`${call} = 24⟦0.`);
  });

  test("a digit right after it is none of its own", () => {
    const text = "then 58 * 2 <calc>58*2</calc><out>116</out>5.";
    expect(marked(text)).toBe(text);
  });

  test("so is another question than the text's", () => {
    const text = "then 8 * 39 <calc>8*93</calc><out>744</out> = 744.";
    const own = (place: number): boolean => place < text.indexOf("744<") || place > text.indexOf("</out>");
    expect(firstWrongEquation(text, own)?.place).toBe(text.indexOf("93<"));
  });
});

describe("findFirstError", () => {
  test("tells the token, and why", () => {
    const text = studyText("a", ["so", " 2", " *", " 3", " =", " ", "6", "1", "."]);
    expect(findFirstError(text)).toEqual({ token: 7, from: 4, how: "2 * 3 = 6, not 61" });
  });

  test("takes the data's word", () => {
    expect(findFirstError(studyText("a", ["x"], { errorToken: 0 }))?.how).toBe("the data say so");
  });

  test("leaves a line with a part of a character alone", () => {
    expect(findFirstError(studyText("a", ["2", "\ufffd", "\ufffd", "3 + 1", " = ", "5"]))).toBeUndefined();
  });

  test("never names a token that the policy did not write", () => {
    const tokens = ["2 + 2", " = ", "5"];
    const mask = Uint8Array.of(1, 1, 0);
    expect(findFirstError(studyText("a", tokens, { mask }))).toBeUndefined();
  });
});

test("integer sums and products that hold are never errors, and those that do not are found", () => {
  const operand = fc.integer({ min: 0, max: 999 });
  fc.assert(
    fc.property(
      operand,
      operand,
      fc.constantFrom("+", "-", "*"),
      fc.integer({ min: 1, max: 50 }),
      (a, b, op, off) => {
        const value = op === "+" ? a + b : op === "-" ? a - b : a * b;
        expect(firstWrongEquation(`Then ${a} ${op} ${b} = ${value}.`, everywhere)).toBeUndefined();
        // What follows the minus alone is another reading of it.
        fc.pre(op !== "-" || value + off !== b);
        const text = `Then ${a} ${op} ${b} = ${value + off}.`;
        const place = firstWrongEquation(text, everywhere)?.place ?? -1;
        expect(place).toBeGreaterThanOrEqual(text.indexOf("=") + 2);
      },
    ),
  );
});

test("expressions have JavaScript's values", () => {
  const tree = fc.letrec<{ expression: string }>((tie) => ({
    expression: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.integer({ min: 0, max: 20 }).map(String),
      fc
        .tuple(tie("expression"), fc.constantFrom("+", "-", "*"), tie("expression"))
        .map(([a, op, b]) => `(${a} ${op} ${b})`),
    ),
  })).expression;
  fc.assert(
    fc.property(tree, (text) => {
      const value = Number(new Function(`return ${text}`)());
      fc.pre(Math.abs(value) < 1e12);
      expect(readExpression(text)?.value).toBeCloseTo(value, 9);
    }),
  );
});

test("whatever the text, the place lies in it or at its end", () => {
  const pieces = fc.constantFrom(
    ...[
      "1",
      "23",
      "4.5",
      "1,000",
      " ",
      " + ",
      "-",
      "*",
      "/",
      "^",
      "(",
      ")",
      "{",
      "}",
      "=",
      " = ",
      "\n",
      "x",
      "so ",
    ],
    ...[
      "\\frac",
      "\\sqrt",
      "\\times",
      "\\(",
      "<calc>",
      "</calc>",
      "<out>",
      "</out>",
      "$",
      "²",
      "\ufffd",
      ", ",
      ". ",
    ],
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), fc.boolean(), (parts, own) => {
      const text = parts.join("");
      const found = firstWrongEquation(text, () => own);
      if (found === undefined) return;
      expect(found.place).toBeGreaterThanOrEqual(0);
      expect(found.place).toBeLessThanOrEqual(text.length);
    }),
    { numRuns: 3000 },
  );
});

test("long sums and deep brackets end", () => {
  expect(marked(`${"1 + ".repeat(20_000)}1 = 5`)).not.toContain("⟦");
  expect(marked(`${"(".repeat(20_000)}1${")".repeat(20_000)} + 1 = 5`)).not.toContain("⟦");
  expect(marked("= 1 ".repeat(20_000))).not.toContain("⟦");
});
