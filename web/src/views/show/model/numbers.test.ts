import { expect, test } from "vitest";
import { TOKEN_FLAGS } from "../../../../../src/core/base/token-class.ts";
import { madeSequence } from "./made-sequence.test-data.ts";
import { describeNumber, numberClasses, openNumbers, powerText } from "./numbers.ts";
import { sequenceModel } from "./sequence-model.ts";

function numbered(tokens: readonly string[], more: Parameters<typeof madeSequence>[1] = {}) {
  const flags = Uint8Array.from(tokens, (text) => (/^ ?[0-9]+$/.test(text) ? TOKEN_FLAGS.digit : 0));
  const numbers = openNumbers(sequenceModel(madeSequence(tokens, { ...more, flags })));
  const count = tokens.filter((_, place) => numbers.at(place)?.isFirst).length;
  return { ...numbers, count };
}

test("digits are grouped into numbers with their places, separators and signs", () => {
  const { at, any, count } = numbered(["=", "-", "1", ",", "7", "4", "2", ".", "5", " 9"]);
  expect([any, count]).toEqual([true, 2]);
  expect(at(0)).toBeUndefined();
  const powers = Array.from({ length: 9 }, (_, i) => at(i + 1)?.power ?? null);
  expect(powers).toEqual([null, 3, null, 2, 1, 0, null, -1, 0]);
  expect(at(1)).toMatchObject({ number: "-1742.5", isFirst: true, isLast: false });
  expect(at(8)).toMatchObject({ number: "-1742.5", isFirst: false, isLast: true });
  expect(at(9)).toMatchObject({ number: "9", isFirst: true, isLast: true });
});

test("without digits, nothing is a number", () => {
  expect(numbered(["a", "b"])).toMatchObject({ any: false, count: 0 });
});

test("a number ends where the author changes", () => {
  const mask = Uint8Array.of(1, 0, 1);
  const { count } = numbered(["1", "2", "3"], { mask, turnMarks: Uint16Array.of(1, 0, 2) });
  expect(count).toBe(3);
  expect(numbered(["1", "2", "3"], { promptLength: 1 }).count).toBe(2);
});

test("places in words, and as classes", () => {
  expect([powerText(12), powerText(0), powerText(-3)]).toEqual(["10¹²", "10⁰", "10⁻³"]);
  const { at } = numbered(["4", "2", ".", "5", " 123456"]);
  expect(describeNumber(at(0)!)).toBe("10¹ (tens) of 42.5");
  expect(describeNumber(at(2)!)).toBe("part of the number 42.5");
  expect(describeNumber(at(4)!)).toBe("digits 10⁵ to 10⁰ of 123456");
  expect(numberClasses(at(0))).toBe(" in-number power-1 first");
  expect(numberClasses(at(3))).toBe(" in-number power-m1 last");
  expect(numberClasses(undefined)).toBe(" no-number");
});
