import { expect, test } from "vitest";
import { gradeAnswer } from "./grade-answer.ts";

test.each([
  ["So the answer is 17. #### 17", "17", true],
  ["#### 1,234\n", "1234", true],
  ["#### 18", "17", false],
  ["Thus $\\boxed{\\dfrac{3}{4}}$.", "\\frac{3}{4}", true],
  ["\\boxed{\\frac{3}{4}}", "0.75", true],
  ["first \\boxed{1}, no: \\boxed{2}", "2", true],
  ["\\boxed{x^{2}+1}", "x^{2} + 1", true],
  ["\\boxed{\\text{even}}", "even", true],
  ["\\boxed{-\\frac{1}{2}}", "-0.5", true],
  ["\\boxed{50\\%}", "50", true],
  ["\\boxed{(1, 2)}", "(1,2)", true],
  ["\\boxed{12", "12", undefined],
  ["The answer is 17", "17", undefined],
  ["#### 0.3333333333", "1/3", true],
  ["#### 0.3333", "1/3", false],
  ["#### 1000000.0009", "1000000", true],
  ["#### 1000000.002", "1000000", false],
  ["#### 1000", "1001", false],
])("%s against %s", (response, answer, right) => {
  expect(gradeAnswer(response, answer)).toBe(right);
});
