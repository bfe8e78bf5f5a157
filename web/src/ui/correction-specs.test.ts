import { expect, it } from "vitest";
import type { CorrectSteps } from "../../../src/results/view.ts";
import { parseCorrection } from "../../../src/trainers/neutral/text.ts";
import { correctionCharts } from "./correction-specs.ts";

const ALL = "weight:token truncate:..2 zero:weight:0.5.. veto:ratio:0.1..";

const data: CorrectSteps = {
  steps: [10, 20, null],
  tokens: [100, 0, 5],
  sequences: [10, 0, 1],
  counts: {
    kept_tokens: [90, 0, 5],
    kept_sequences: [9, 0, 1],
    clipped: [4, 0, 1],
    masked: [6, 0, 0],
    vetoed: [1, 0, 0],
  },
  figures: {
    ess: [0.8, null, 1],
    mean_weight: [1, null, 1],
    dropped_right: [null, null, null],
    dropped_wrong: [0.1, null, 0],
  },
};

it("divides by the step's own tokens and sequences, and has gaps in steps without any", () => {
  const charts = correctionCharts(data, parseCorrection(ALL));
  expect(charts.map(({ title }) => title)).toEqual([
    "Kept",
    "Clipped, rejected, vetoed",
    "ESS after correction",
    "Dropped, by outcome",
  ]);
  const [kept, effects, , dropped] = charts;
  expect(kept?.xs).toEqual([10, 20]);
  expect(kept?.lines.map(({ values }) => values)).toEqual([
    [0.9, null],
    [0.9, null],
  ]);
  expect(effects?.lines.map(({ values }) => values[0])).toEqual([0.04, 0.06, 0.1]);
  expect(dropped?.lines.map(({ label }) => label)).toEqual(["of wrong"]);
});

it("only has lines for what the correction can do", () => {
  const effects = (correction: string): string[] =>
    correctionCharts(data, parseCorrection(correction))
      .filter(({ id }) => id === "correction-effects")
      .map(({ title }) => title);
  expect(effects("weight:token truncate:..2")).toEqual(["Clipped"]);
  expect(effects("mask:turn.mean.k2:..1")).toEqual(["Rejected"]);
  expect(effects("none")).toEqual([]);
});
