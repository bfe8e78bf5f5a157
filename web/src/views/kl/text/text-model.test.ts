import { expect, it } from "vitest";
import { decodeStudyText, encodeStudyText } from "../../../../../src/results/wire/study-text.ts";
import { heatLines } from "../../../../../src/study/render/heat-map-lines.ts";
import { madeText } from "./made-text.test-data.ts";
import {
  classesAt,
  errorClasses,
  heatText,
  nextSpike,
  probabilityAt,
  shadeAt,
  sinceWhen,
  textModel,
  tokenRows,
  valueAt,
} from "./text-model.ts";

const MODEL = textModel(decodeStudyText(encodeStudyText(madeText())), 1);
const LAST = 3;

it("reads a value of a token at a checkpoint", () => {
  expect(valueAt(MODEL, "kl", 2, 1)).toBeCloseTo(0.6);
  expect(valueAt(MODEL, "kl", LAST, 3)).toBeNaN();
  expect(probabilityAt(MODEL, 0, 0)).toBeCloseTo(0.25);
});

it("shades tokens on the study's scale, and tells tool output and missing scores from 0", () => {
  expect(shadeAt(MODEL, LAST, 0)).toEqual({ kind: "level", level: 0 });
  expect(shadeAt(MODEL, LAST, 1)).toEqual({ kind: "level", level: 8 });
  expect(shadeAt(MODEL, LAST, 2)).toEqual({ kind: "tool" });
  expect(shadeAt(MODEL, LAST, 3)).toEqual({ kind: "unknown" });
  expect(shadeAt(MODEL, LAST, 4)).toEqual({ kind: "level", level: 8 });
  expect(shadeAt(textModel(madeText(), 100), LAST, 1)).toEqual({ kind: "level", level: 1 });
});

it("marks each checkpoint's own spikes, and the first error", () => {
  expect(classesAt(MODEL, 1, 1)).toBe("k4");
  expect(classesAt(MODEL, 2, 1)).toBe("k7 spike");
  expect([0, 1, 2].map((token) => errorClasses(MODEL, token))).toEqual([" error", " error wrong", ""]);
});

it("goes from spike to spike of a checkpoint", () => {
  expect(nextSpike(MODEL, LAST, undefined, 1)).toBe(1);
  expect(nextSpike(MODEL, LAST, 1, 1)).toBe(4);
  expect(nextSpike(MODEL, LAST, 4, 1)).toBeUndefined();
  expect(nextSpike(MODEL, LAST, 3, -1)).toBe(1);
  expect(nextSpike(MODEL, LAST, undefined, -1)).toBe(4);
  expect(nextSpike(MODEL, 0, undefined, 1)).toBeUndefined();
});

it("finds the checkpoint since when a token has half of its last KL", () => {
  expect(sinceWhen(MODEL, 1, [1, 2, 3])).toBe(2);
  expect(sinceWhen(MODEL, 0, [1, 2, 3])).toBeNull();
  expect(sinceWhen(MODEL, 3, [1, 2, 3])).toBeNull();
});

it("breaks into the report's lines", () => {
  const text = heatText(MODEL, LAST);
  expect(text.kl[3]).toEqual([0, 1, 0, null, null]);
  const narrow = heatLines(text, { characters: 8 });
  expect(narrow.length).toBeGreaterThan(1);
  expect(heatLines(text, { characters: 8, lines: 1 }).map(({ kind }) => kind)).toContain("quiet");
  expect(heatLines(text)).toEqual([
    { kind: "line", columns: [0, 1, 2, 3, 4].map((from) => ({ from, to: from + 1 })) },
  ]);
});

it("exports every token with every value", () => {
  const rows = tokenRows(MODEL);
  expect(rows).toHaveLength(5);
  expect(rows[1]).toMatchObject({ text: " 5", category: "other", first_error: true, "spike step_2": true });
  expect(rows[3]).toMatchObject({ "kl step_3": null });
  expect(rows[4]).toMatchObject({ "kl step_3": Number.POSITIVE_INFINITY });
});
