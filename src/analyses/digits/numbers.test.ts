import { describe, expect, test } from "vitest";
import { compareNumbers, findAnswer, formatDecimal, parseTruth } from "./answer.ts";
import { findNumbers } from "./numbers.ts";
import { makeSpan, vocabulary } from "./text-vocabulary.test-data.ts";
import { takeDigitTokens } from "./vocabulary.ts";

const numbersIn = (...texts: readonly string[]): string[] =>
  findNumbers(vocabulary, makeSpan(...texts)).map(formatDecimal);

describe("findNumbers", () => {
  test.each([
    [
      ["1", "2", "x", "3"],
      ["12", "3"],
    ],
    [
      ["1", " 2", "3"],
      ["1", "23"],
    ],
    [[" 345", "0", "007"], ["3450007"]],
    [
      ["1", "|2|", "3"],
      ["1", "3"],
    ],
    [["1", ",", "2", "3", "4", ",", "5", "6", "7"], ["1234567"]],
    [
      ["1", ",", "2", "3"],
      ["1", "23"],
    ],
    [
      ["1", "2", "3", "4", ",", "5", "6", "7"],
      ["1234", "567"],
    ],
    [
      ["1", ",", " 2", "3", "4"],
      ["1", "234"],
    ],
    [["3", ".", "1", "4", "."], ["3.14"]],
    [
      ["3", ".", " 1"],
      ["3", "1"],
    ],
    [
      ["3", "|.|", "1"],
      ["3", "1"],
    ],
    [["-", "5"], ["-5"]],
    [["(", "-", "5"], ["-5"]],
    [[" -", "5"], ["-5"]],
    [
      ["7", "-", "5"],
      ["7", "5"],
    ],
    [["x", "-", "5"], ["x-5"].map(() => "5")],
    [[")", "-", "5"], ["5"]],
    [["-", " 5"], ["5"]],
    [["x", "\n"], []],
  ])("%j holds %j", (texts, numbers) => {
    expect(numbersIn(...texts)).toEqual(numbers);
  });

  test("knows the place of each token, of the last digit where it has several", () => {
    const [number] = findNumbers(vocabulary, makeSpan("x", "1", ",", "007", ".", "12"));
    expect(number).toMatchObject({ digits: "100712", fraction: 2, negative: false });
    expect(number!.parts).toEqual([
      { at: 1, digits: "1", place: 3 },
      { at: 3, digits: "007", place: 0 },
      { at: 5, digits: "12", place: -2 },
    ]);
  });

  test("without texts every run is a number", () => {
    const bare = takeDigitTokens([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const { ids, mask } = makeSpan("-", "3", ".", "1");
    expect(findNumbers(bare, { ids, mask, start: 0, end: 4 }).map(formatDecimal)).toEqual(["3", "1"]);
  });
});

describe("findAnswer", () => {
  const answer = (...texts: readonly string[]): string | undefined => {
    const span = makeSpan(...texts);
    const found = findAnswer(vocabulary, span, findNumbers(vocabulary, span));
    return found && formatDecimal(found);
  };

  test("is the number behind the last marker, else the last number", () => {
    expect(answer("1", "####", " 2", "x", "3")).toBe("2");
    expect(answer("####", "1", "####", "2", "x", "3")).toBe("2");
    expect(answer("1", " ##", "##", " 4", "x", "5")).toBe("4");
    expect(answer("9", "\\boxed", "(", "6", "}", "x", "7")).toBe("6");
    expect(answer("9", "\\box", "ed{", "6", "}", "7")).toBe("6");
    expect(answer("1", "x", "2")).toBe("2");
    expect(answer("1", "####", "x")).toBe("1");
    expect(answer("x")).toBeUndefined();
  });
});

describe("parseTruth", () => {
  test.each([
    ["581", "581"],
    ["1,234", "1234"],
    [" $1,234.50 ", "1234.50"],
    ["so 3 + 4.\n#### -72", "-72"],
    ["\\boxed{12}", "12"],
    ["50\\%", "50"],
    ["5.", "5"],
    ["+5", "5"],
  ])("%j is %s", (text, number) => {
    expect(formatDecimal(parseTruth(text)!)).toBe(number);
  });

  test.each(["3/4", "x = 2", "", "1,23", "2\\sqrt{3}", "1 or 2"])("%j is not a single number", (text) => {
    expect(parseTruth(text)).toBeUndefined();
  });
});

describe("compareNumbers", () => {
  const compare = (answer: string, truth: string): [boolean, number, string] => {
    const { right, distance, places } = compareNumbers(parseTruth(answer)!, parseTruth(truth)!);
    return [right, distance, places.map((place) => (place.right ? "=" : "x")).join("")];
  };

  test("goes digit by digit from the decimal point out", () => {
    expect(compare("632", "581")).toEqual([false, 51, "xxx"]);
    expect(compare("2", "82")).toEqual([false, 80, "x="]);
    expect(compare("182", "82")).toEqual([false, 100, "x=="]);
    expect(compare("3.50", "3.5")).toEqual([true, 0, "==="]);
    expect(compare("007", "7")).toEqual([true, 0, "==="]);
    expect(compare("-7", "7")).toEqual([false, 14, "="]);
    expect(compare("-0", "0")).toEqual([true, 0, "="]);
    expect(compare("12345678901234567891", "12345678901234567890")[0]).toBe(false);
  });
});
