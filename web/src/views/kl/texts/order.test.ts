import { expect, it } from "vitest";
import type { StudyTextRow } from "../../../../../src/results/view.ts";
import { chooseTexts, neighbour, type TextChoice } from "./order.ts";

function row(index: number, more: Partial<StudyTextRow>): StudyTextRow {
  return {
    index,
    handle: `q${index}`,
    text: `dpo:p${index}`,
    problem: `p${index}`,
    source: "dpo",
    correct: null,
    subject: null,
    level: null,
    tokens: 10,
    own_tokens: 10,
    opening: null,
    has_error: false,
    mean_kl: [0, 0],
    max_kl: [0, 0],
    spikes: [0, 0],
    ...more,
  };
}

const ROWS = [
  row(0, { mean_kl: [3, 1], correct: true, opening: "What is 8 + 2?" }),
  row(1, { mean_kl: [1, null], correct: false, subject: "Algebra", level: 2 }),
  row(2, { mean_kl: [2, 2], correct: false, spikes: [0, 5] }),
  row(3, { mean_kl: [2, 2] }),
];

function chosen(choice: Partial<TextChoice>): number[] {
  const order = { key: "index", descending: false } as const;
  return chooseTexts(ROWS, { find: "", answer: "all", order, checkpoint: 1, ...choice }).map(
    ({ index }) => index,
  );
}

it("sorts by a checkpoint's figures, missing ones last, equal ones in the study's order", () => {
  expect(chosen({ order: { key: "kl", descending: true }, checkpoint: 0 })).toEqual([0, 2, 3, 1]);
  expect(chosen({ order: { key: "kl", descending: true } })).toEqual([2, 3, 0, 1]);
  expect(chosen({ order: { key: "kl", descending: false } })).toEqual([0, 2, 3, 1]);
  expect(chosen({ order: { key: "spikes", descending: true } })).toEqual([2, 0, 1, 3]);
  expect(chosen({ order: { key: "answer", descending: false } })).toEqual([1, 2, 0, 3]);
});

it("keeps right, wrong and unknown answers", () => {
  expect(chosen({ answer: "right" })).toEqual([0]);
  expect(chosen({ answer: "wrong" })).toEqual([1, 2]);
  expect(chosen({ answer: "unknown" })).toEqual([3]);
});

it("finds texts that contain all words somewhere", () => {
  expect(chosen({ find: "algebra LEVEL" })).toEqual([1]);
  expect(chosen({ find: "8 +" })).toEqual([0]);
  expect(chosen({ find: " q2 " })).toEqual([2]);
  expect(chosen({ find: "nothing" })).toEqual([]);
});

it("finds the next and the previous text", () => {
  const rows = [ROWS[2]!, ROWS[0]!];
  expect([neighbour(rows, 2, 1), neighbour(rows, 0, 1), neighbour(rows, 0, -1)]).toEqual([0, undefined, 2]);
  expect(neighbour(rows, 3, 1)).toBe(2);
});
