import { describe, expect, test } from "vitest";
import { DEFAULT_CATEGORIES } from "./categories/categories.ts";
import type { ScoredText, StudyText } from "./study.ts";
import { type SummarizeOptions, summarizeText } from "./summarize-text.ts";

const OPTIONS: SummarizeOptions = {
  spikes: { method: "zscore", threshold: 1.5, minDistance: 1, percentile: 95 },
  categories: DEFAULT_CATEGORIES,
  rlProbe: true,
};
const TOKENS = ["Step", " 1", ":", " 2", "*", "3", "<out>", "6", "."];
const KL = [0.1, 0.2, 0.1, 4, 0.1, 0.3, 9, 0.4, 0.1];

function scored(text: Partial<StudyText> = {}, change: Partial<ScoredText> = {}): ScoredText {
  return {
    text: {
      id: "t",
      problem: "p",
      source: undefined,
      promptText: undefined,
      promptLength: 3,
      tokenIds: Int32Array.from(TOKENS, (_, t) => 10 + t),
      tokens: TOKENS,
      mask: Uint8Array.of(1, 1, 1, 1, 1, 1, 0, 1, 1),
      correct: false,
      level: undefined,
      subject: undefined,
      answer: undefined,
      errorToken: undefined,
      ...text,
    },
    p: {
      logprobs: Float64Array.of(-1, -1, -1, -3, -1, -1, -1, -2, -1),
      entropies: Float64Array.of(1, 1, 2, 2, 3, 3, 50, 4, 4),
      topK: {
        k: 2,
        ids: Int32Array.from({ length: 18 }, (_, i) => (i === 6 ? 77 : i === 7 ? -1 : i)),
        logprobs: Float32Array.from({ length: 18 }, (_, i) => (i === 7 ? Number.NaN : -1 - (i % 2))),
      },
    },
    q: {
      logprobs: Float64Array.of(-1, -2, -1, -1, -1, -2, -1, -1, -1),
      entropies: new Float64Array(9).fill(0.5),
      topK: {
        k: 2,
        ids: Int32Array.from({ length: 18 }, (_, i) => (i === 0 ? -1 : i)),
        logprobs: Float32Array.from({ length: 18 }, (_, i) => -0.5 - (i % 2)),
      },
    },
    pair: {
      forwardKl: Float64Array.from(KL),
      reverseKl: Float64Array.from(KL, (value) => value / 2),
      forwardKlAfterEnd: 0.2,
    },
    ...change,
  };
}

test("sums over the policy's own tokens, and says at which response token a spike is", () => {
  const summary = summarizeText(4, scored(), OPTIONS);
  expect(summary).toMatchObject({ index: 4, text: "t", problem: "p", tokens: 8, exact: true, maxKl: 4 });
  expect(summary.meanKl).toBeCloseTo(5.3 / 8, 14);
  expect(summary.meanReverseKl).toBeCloseTo(2.65 / 8, 14);
  expect([summary.meanJs, summary.meanTotalVariation, summary.meanKlLower, summary.meanKlUpper]).toEqual(
    Array(4).fill(Number.NaN),
  );
  expect(summary.meanEntropy).toBe(2.5);
  expect(summary.meanReferenceEntropy).toBe(0.5);
  expect(summary.entropyByRegion).toEqual({ early: 1, mid: 2, late: 3.5 });
  expect(summary.meanDelta).toBe(-1 / 8);
  expect([summary.argmaxChanged, summary.argmaxKnown]).toEqual([1, 7]);
  expect(summary.spikes).toEqual([
    {
      position: 3,
      token: " 2",
      tokenId: 13,
      value: 4,
      zscore: expect.closeTo(3.3375 / Math.sqrt(16.33 / 8 - 0.6625 ** 2), 12),
      region: "mid",
      category: "number",
      alternatives: [{ token: "#77", token_id: 77, probability: Math.exp(-1) }],
      referenceAlternatives: [
        { token: "#6", token_id: 6, probability: Math.exp(-0.5) },
        { token: "#7", token_id: 7, probability: Math.exp(-1.5) },
      ],
      probability: Math.exp(-3),
      referenceProbability: Math.exp(-1),
    },
  ]);
  expect(summary.spikeDensity).toEqual({ early: 0, mid: 0.5, late: 0 });
  expect(summary).not.toHaveProperty("infiniteKl");
});

test("keeps sums by category and by token that add up to the text's", () => {
  const summary = summarizeText(0, scored(), OPTIONS);
  expect(Object.keys(summary.categories).sort()).toEqual([
    "math_symbol",
    "number",
    "punctuation",
    "step_marker",
  ]);
  const { number } = summary.categories;
  expect(number).toMatchObject({ count: 4, max: 4, min: 0.2, spikes: 1 });
  expect(number!.sum).toBeCloseTo(4.9, 14);
  expect(number!.sumOfSquares).toBeCloseTo(0.04 + 16 + 0.09 + 0.16, 14);
  expect(summary.byToken.get(" 2")).toEqual({
    category: "number",
    count: 1,
    spikes: 1,
    klSum: 4,
    deltaSum: -2,
  });
  expect([...summary.byToken.values()].reduce((sum, token) => sum + token.klSum, 0)).toBeCloseTo(5.3, 14);
});

test("alternatives have texts where they are known", () => {
  const [spike] = summarizeText(0, scored(), { ...OPTIONS, textOf: (id) => `<${id}>` }).spikes;
  expect(spike!.referenceAlternatives.map(({ token }) => token)).toEqual(["<6>", "<7>"]);
});

describe("good and bad KL", () => {
  // The checkpoint moves away from tokens 3 and 7, towards 1 and 5, and leaves the others.
  test.each<[string, Partial<StudyText>, number | undefined, number, number]>([
    ["wrong all along", { correct: false }, undefined, 4.4, 0.9],
    ["wrong from token 5 on", { correct: false, errorToken: 5 }, undefined, 0.1 + 0.2 + 0.1 + 0.1 + 0.4, 4.4],
    ["a found error", { correct: false }, 3, 0.4 + 4.4, 0.1 + 0.3 + 0.1],
    ["right", { correct: true, errorToken: 2 }, undefined, 0.9, 4.4],
    ["not known", { correct: undefined }, undefined, Number.NaN, Number.NaN],
  ])("%s", (_, text, errorToken, good, bad) => {
    const summary = summarizeText(0, scored(text), {
      ...OPTIONS,
      ...(errorToken !== undefined && { error: { from: errorToken, token: errorToken } }),
    });
    expect(summary).toMatchObject(
      Number.isNaN(good)
        ? { goodKl: good, badKl: bad }
        : { goodKl: expect.closeTo(good, 14), badKl: expect.closeTo(bad, 14) },
    );
    expect(summary.error?.token).toBe(errorToken ?? text.errorToken);
  });

  test("KL at the error is of the policy's own tokens near it", () => {
    const { errorKl } = summarizeText(0, scored({ errorToken: 5 }), OPTIONS);
    expect(errorKl).toEqual({ sum: expect.closeTo(4 + 0.1 + 0.3 + 0.4, 14), tokens: 4 });
    expect(summarizeText(0, scored(), OPTIONS).errorKl).toBeUndefined();
  });

  test("tokens without a log-prob are neither", () => {
    const without = { logprobs: new Float64Array(9).fill(Number.NaN) };
    const summary = summarizeText(0, scored({}, { p: without }), OPTIONS);
    expect([summary.goodKl, summary.badKl, summary.meanDelta]).toEqual(Array(3).fill(Number.NaN));
    expect([summary.argmaxChanged, summary.argmaxKnown]).toEqual([0, 0]);
    expect(summary.spikes[0]).toMatchObject({ alternatives: [], probability: Number.NaN });
  });
});

test("RL-Probe's alignment loses the first token, counts tool output, and one place past the end", () => {
  const { rlProbe } = summarizeText(0, scored(), OPTIONS);
  expect(rlProbe).toEqual({ meanKl: expect.closeTo(14.4 / 9, 14), spikePositions: [6], spikes: 1 });
  const after = scored({}, { pair: { forwardKl: Float32Array.from(KL), forwardKlAfterEnd: 50 } });
  expect(summarizeText(0, after, OPTIONS).rlProbe).toMatchObject({ spikePositions: [-1], spikes: 1 });
  const open = scored({}, { pair: { forwardKl: Float32Array.from(KL) } });
  expect(summarizeText(0, open, OPTIONS).rlProbe).toBeNull();
  expect(summarizeText(0, scored(), { ...OPTIONS, rlProbe: false }).rlProbe).toBeNull();
});

test("an infinite or missing KL is in no mean and no spike; both are counted", () => {
  const forwardKl = Float64Array.from(KL);
  forwardKl[0] = Number.POSITIVE_INFINITY;
  forwardKl[1] = Number.NaN;
  const reverseKl = new Float64Array(9).fill(Number.POSITIVE_INFINITY);
  const summary = summarizeText(0, scored({}, { pair: { forwardKl, reverseKl } }), OPTIONS);
  expect(summary).toMatchObject({
    tokens: 6,
    infiniteKl: 1,
    infiniteReverseKl: 8,
    nanKl: 1,
    meanReverseKl: Number.NaN,
  });
  expect(summary.meanKl).toBeCloseTo(5 / 6, 14);
  expect(summary.spikes.map(({ position }) => position)).toEqual([3]);
});

test("of bounds, the lower one is the series", () => {
  const forwardKlUpper = new Float64Array(9).fill(5);
  const pair = { forwardKlLower: Float64Array.from(KL), forwardKlUpper };
  const summary = summarizeText(0, scored({}, { pair }), OPTIONS);
  expect(summary).toMatchObject({ exact: false, meanKlUpper: 5, upperInfinite: 0, rlProbe: null });
  expect(summary.meanKlLower).toBe(summary.meanKl);
  forwardKlUpper[8] = Number.POSITIVE_INFINITY;
  expect(summarizeText(0, scored({}, { pair }), OPTIONS)).toMatchObject({
    meanKlUpper: Number.POSITIVE_INFINITY,
    upperInfinite: 1,
  });
});

test("a text of tool output only has no figures", () => {
  const summary = summarizeText(0, scored({ mask: new Uint8Array(9) }), OPTIONS);
  expect(summary).toMatchObject({
    tokens: 0,
    meanKl: Number.NaN,
    maxKl: Number.NaN,
    spikes: [],
    categories: {},
  });
  expect(summary.spikeDensity).toEqual({ early: Number.NaN, mid: Number.NaN, late: Number.NaN });
  expect(summary.goodKl).toBeNaN();
});

test("scores of another number of tokens are refused", () => {
  const short = { logprobs: new Float64Array(8) };
  expect(() => summarizeText(0, scored({}, { q: short }), OPTIONS)).toThrow(
    "t has 9 response tokens, but 8 log-probs under the reference",
  );
  const pair = { forwardKl: new Float64Array(10) };
  expect(() => summarizeText(0, scored({}, { pair }), OPTIONS)).toThrow("but 10 values of forwardKl");
});

test.each<[string, Partial<ScoredText>, Partial<StudyText>]>([
  ["8 token texts", {}, { tokens: TOKENS.slice(1) }],
  ["10 mask values", {}, { mask: new Uint8Array(10) }],
  ["8 log-probs under the checkpoint", { p: { ...scored().p, logprobs: new Float64Array(8) } }, {}],
  ["8 log-probs under the reference", { q: { ...scored().q, logprobs: new Float64Array(8) } }, {}],
  ["8 entropies under the checkpoint", { p: { ...scored().p, entropies: new Float64Array(8) } }, {}],
  ["8 entropies under the reference", { q: { ...scored().q, entropies: new Float64Array(8) } }, {}],
  ["8 values of reverseKl", { pair: { ...scored().pair, reverseKl: new Float64Array(8) } }, {}],
])("refuses %s", (found, change, text) => {
  expect(() => summarizeText(0, scored(text, change), OPTIONS)).toThrowError(
    expect.objectContaining({
      message: `t has 9 response tokens, but ${found}`,
      likely: "the scores come from another version of the text or another tokenizer",
    }),
  );
});
