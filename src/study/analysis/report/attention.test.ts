import { expect, test } from "vitest";
import type { TextAttention } from "../attention/text-attention.ts";
import { attentionFigures } from "./attention.ts";
import { makeCheckpoint, makeStudy, studyText } from "./report.test-data.ts";
import { viewStudy } from "./report-input.ts";

const texts = Array.from({ length: 8 }, (_, i) =>
  studyText(`q${i}`, ["1", "=", "3"], { correct: false, errorToken: 1 }),
);
const kl = texts.map(() => [0.1, 0.2, 0.3]);

/** Attention to the error 0.3 + i/100 under the checkpoint and 0.2 under the reference. */
function attention(i: number, more: Partial<TextAttention> = {}): TextAttention {
  return {
    toError: 0.3 + i / 100,
    referenceToError: 0.2,
    toControl: 0.1,
    referenceToControl: 0.1,
    kl: i,
    klWithoutError: Number.NaN,
    klWithoutControl: Number.NaN,
    ...more,
  } as TextAttention;
}

function figuresOf(change: (i: number, name: string) => object, names: readonly string[] = ["c"]) {
  const input = makeStudy(
    texts,
    names.map((name) => ({ name, kl })),
  );
  const study = viewStudy({
    ...input,
    checkpoints: names.map((name) => {
      const plain = makeCheckpoint(texts, { name, kl });
      return { ...plain, texts: plain.texts.map((text, i) => ({ ...text, ...change(i, name) })) };
    }),
  });
  return { rows: attentionFigures(study), lines: study.absentLines() };
}

test("attention to the error is compared by problem, and with the KL behind it", () => {
  const { rows, lines } = figuresOf((i) => ({ attention: attention(i) }));
  expect(lines).toEqual([]);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({
    checkpoint: "c",
    texts: 8,
    problems: 8,
    to_error: expect.closeTo(0.335, 12),
    reference_to_error: expect.closeTo(0.2, 12),
    to_control: expect.closeTo(0.1, 12),
    reference_to_control: expect.closeTo(0.1, 12),
    // All eight attend to it more: two-sided 2 / 2⁸; a single test, so not corrected.
    difference: {
      mean: expect.closeTo(0.135, 12),
      p_value: 2 / 256,
      adjusted_p_value: 2 / 256,
      significant: true,
    },
    control_difference: { mean: expect.closeTo(0, 12) },
    strongest_head: null,
    hidden: null,
  });
  // The more a problem's attention grew, the higher its KL, in all eight.
  expect(rows[0]?.with_kl).toMatchObject({ coefficient: 1, problems: 8 });
  expect(rows[0]?.with_kl?.adjusted_p_value).toBe(rows[0]?.with_kl?.p_value);
});

test("p-values are corrected over the checkpoints that have them", () => {
  const { rows } = figuresOf(
    (i, name) => (name === "c" && i > 3 ? {} : { attention: attention(name === "d" ? i : -i) }),
    ["c", "d", "e"],
  );
  expect(rows.map(({ checkpoint, problems }) => [checkpoint, problems])).toEqual([
    ["c", 4],
    ["d", 8],
    ["e", 8],
  ]);
  for (const row of rows.slice(1)) {
    expect(row.difference.p_value).toBe(2 / 256);
    expect(row.difference.adjusted_p_value).toBe(4 / 256);
    expect(row.with_kl?.adjusted_p_value).toBeCloseTo(2 * row.with_kl!.p_value, 12);
  }
});

test("hiding the error is compared with leaving it, and with hiding as many tokens before it", () => {
  const hidden = (i: number) => attention(i, { kl: 1, klWithoutError: 0.5 - i / 100, klWithoutControl: 0.9 });
  const [row] = figuresOf((i) => ({ attention: i < 7 ? hidden(i) : attention(i) })).rows;
  expect(row?.hidden).toMatchObject({
    problems: 7,
    kl: expect.closeTo(1, 12),
    kl_without_error: expect.closeTo(0.47, 12),
    kl_without_control: expect.closeTo(0.9, 12),
    difference: { mean: expect.closeTo(-0.53, 12), p_value: 2 / 128 },
    against_control: { mean: expect.closeTo(-0.43, 12), p_value: 2 / 128 },
  });
  const [bare] = figuresOf((i) => ({ attention: attention(i, { kl: 1, klWithoutError: 0.5 }) })).rows;
  expect(bare?.hidden).toMatchObject({ kl_without_control: null, against_control: null });
});

test("without a control the error is not compared with one", () => {
  const none = { toControl: Number.NaN, referenceToControl: Number.NaN };
  const [row] = figuresOf((i) => ({ attention: attention(i, none) })).rows;
  expect(row).toMatchObject({ to_control: null, reference_to_control: null, control_difference: null });
});

test("no attention is noted where texts have errors", () => {
  expect(figuresOf(() => ({}))).toEqual({
    rows: [],
    lines: ["no attention to first errors: the scores contain none (--attention, with local models)"],
  });
  expect(figuresOf(() => ({ error: undefined }))).toEqual({ rows: [], lines: [] });
});
