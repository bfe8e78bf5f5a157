import { expect, it } from "vitest";
import { recordBatch } from "../../../test/support/record-batch.ts";
import { CorrectRun } from "../../analyses/correct/correct-run.ts";
import { readCorrectionFlag } from "../../analyses/sweep/correction-flag.ts";
import { correctionFigures, sweepMetrics } from "../../analyses/sweep/figures.ts";
import type { CorrectReport } from "../../results/correct.ts";
import { renderCorrectTerminal } from "./document.ts";

/** The text about the weights of a correction over sequences of 400 tokens, each with this Δ. */
function drawWeights(flag: string, delta: number): string {
  const deltas = Array.from({ length: 400 }, () => delta.toFixed(6)).join(" ");
  const run = new CorrectRun(readCorrectionFlag(flag));
  run.add(recordBatch(Array.from({ length: 8 }, () => ({ deltas, step: 1 }))));
  const report = {
    run: "run",
    settings: {},
    correction_text: flag,
    does: [],
    traps: [],
    preset: null,
    trainer: null,
    source: null,
    metrics: sweepMetrics(run.sweep!, 0),
    effect: { ...correctionFigures(run.sweep!, 1), on_front: false },
    gradient: null,
  } as unknown as CorrectReport;
  const text = renderCorrectTerminal(report, { width: 200, color: false, unicode: true });
  return text.split("\n").find((line) => line.startsWith("weights"))!;
}

it("says by how much the gradient is scaled, where truncation alone takes nothing", () => {
  expect(drawWeights("weight:sequence truncate:..2", -0.0332)).toMatch(
    /mean 1\.71e-6, by which the gradient is scaled; largest 1\.71e-6, 0 % truncated; bounds and rejection take 0 % of the weight$/,
  );
  expect(drawWeights("weight:token truncate:..2", -0.02)).toContain(
    "mean 0.980, by which the gradient is scaled;",
  );
  expect(drawWeights("mask:token.ratio:0.5..2", -0.02)).toMatch(/mean 1; largest 1\.00,/);
});
