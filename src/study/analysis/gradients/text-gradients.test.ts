import { describe, expect, test } from "vitest";
import { studyText } from "../report/report.test-data.ts";
import { summarizeText } from "../summarize-text.ts";
import { isBehindError, listDependences, textGradients } from "./text-gradients.ts";

const ERROR = { from: 1, token: 2 };
/** Two prompt tokens and eight response tokens, of which the third is wrong. */
const text = studyText("t", ["a", "=", "9", "b", "c", "d", "e", "f"], {
  promptLength: 2,
  correct: false,
  promptIds: Int32Array.of(7, 8),
});

describe("textGradients", () => {
  test("is the error's share of all gradients, over the spikes behind it", () => {
    const gradients = new Map<number, number[]>([
      // Token 3 follows the error directly: the erroneous token itself predicts it.
      [3, [9, 9, 9, 9, 9]],
      // Prompt, then a, =, 9, b: 0.2 − 0.1 on the error, of 0.8 in all.
      [4, [0.1, -0.1, 0.2, 0.2, -0.1, 0.1]],
      [5, [0, 0, 0, -0.5, 0.25, 0, 0.25]],
    ]);
    const found = textGradients({ text, gradients }, ERROR)!;
    expect(found.spikes).toBe(2);
    expect(found.toError).toBeCloseTo((0.3 / 0.8 + 0.75) / 2, 12);
    expect(found.atError).toBeCloseTo((0.1 - 0.25) / 2, 12);
    expect(found.even).toBeCloseTo((2 / 6 + 2 / 7) / 2, 12);
    // The control span, right before the error, would begin in the prompt.
    expect(found.toControl).toBeNaN();
  });

  test("has a control where the text's own tokens reach far enough back", () => {
    const later = { from: 3, token: 3 };
    const gradients = new Map([[5, [0, 0, 0, 0, 0.25, 0.75, 0]]]);
    expect(textGradients({ text, gradients }, later)).toMatchObject({ toError: 0.75, toControl: 0.25 });
    const masked = { ...text, mask: Uint8Array.of(1, 1, 0, 1, 1, 1, 1, 1) };
    expect(textGradients({ text: masked, gradients }, later)?.toControl).toBeNaN();
  });

  test("is not known without an error, of right texts, and without a spike behind the error", () => {
    const gradients = new Map([[5, [0, 0, 0, 0, 0, 1, 0]]]);
    expect(textGradients({ text, gradients }, undefined)).toBeUndefined();
    expect(textGradients({ text: { ...text, correct: true }, gradients }, ERROR)).toBeUndefined();
    expect(textGradients({ text }, ERROR)).toBeUndefined();
    expect(textGradients({ text, gradients: new Map([[3, [1, 1, 1, 1, 1]]]) }, ERROR)).toBeUndefined();
    expect([2, 3, 4].map((position) => isBehindError(position, ERROR))).toEqual([false, false, true]);
  });
});

describe("listDependences", () => {
  const gradients = new Map([[4, [0.1, -0.4, 0.2, 0.2, -0.05, 0.05]]]);

  test("names the tokens that count most, those of the prompt by its ids", () => {
    const found = listDependences({ text, gradients }, 4, (id) => `id ${id}`);
    expect(found.map(({ position, token, share }) => [position, token, share])).toEqual([
      [-1, "id 8", 0.4],
      [0, "a", 0.2],
      [1, "=", 0.2],
      [-2, "id 7", 0.1],
      [2, "9", 0.05],
    ]);
    expect(found[0]?.gradient_times_input).toBe(-0.4);
    expect(listDependences({ text, gradients }, 4, undefined)[0]?.token).toBe("#8");
  });

  test("is empty where nothing is known, or nothing counts", () => {
    expect(listDependences({ text, gradients }, 5, undefined)).toEqual([]);
    expect(listDependences({ text }, 4, undefined)).toEqual([]);
    expect(listDependences({ text, gradients: new Map([[4, [0, 0, 0, 0, 0, 0]]]) }, 4, undefined)).toEqual(
      [],
    );
  });
});

test("a summary says of its spikes what they depend on, and of the text how much that is the error", () => {
  const logprobs = new Float32Array(8).fill(-1);
  const scored = {
    text,
    p: { logprobs },
    q: { logprobs },
    pair: { forwardKl: Float32Array.of(0, 0, 0, 0, 0, 0, 2, 0) },
    gradients: new Map([[6, [0, 0, 0, 0.5, 0.25, 0.25, 0, 0]]]),
  };
  const spikes = { method: "zscore", threshold: 2, minDistance: 1, percentile: 95 } as const;
  const summary = summarizeText(0, scored, { spikes, categories: [], rlProbe: false, error: ERROR });
  expect(summary.spikes.map(({ position }) => position)).toEqual([6]);
  expect(summary.spikes[0]?.dependsOn?.map(({ token }) => token).slice(0, 3)).toEqual(["=", "9", "b"]);
  expect(summary.gradients).toMatchObject({ spikes: 1, toError: 0.75 });
});
