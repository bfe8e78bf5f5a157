/** What a gate says about its own certainty, on random runs whose truth is known. */

import { expect, it } from "vitest";
import { parseCondition } from "../src/analyses/conditions/condition.ts";
import type { Baseline } from "../src/analyses/gate/baseline.ts";
import { evaluateGate } from "../src/analyses/gate/evaluate-gate.ts";
import { learnBaseline } from "../src/analyses/gate/learn.ts";
import { computeIntervals } from "../src/analyses/report/intervals.ts";
import { pooledMetrics } from "../src/analyses/report/metrics.ts";
import { RunSummary } from "../src/analyses/report/run-summary.ts";
import type { GateReport } from "../src/results/gate.ts";
import type { MismatchReport } from "../src/results/report.ts";
import { makeAssessment } from "./support/assessment.ts";
import { normal, seededRandom } from "./support/calibration/claim.ts";
import {
  batchOfSequences,
  type DrawnSequence,
  PROMPT_EFFECTS,
  type Process,
  UNEQUAL_LENGTHS,
} from "./support/calibration/processes.ts";
import { sized } from "./support/run-size.ts";

const ALPHA = 0.2;
/** The size of Δ varies between runs by this much, as a standard deviation of its logarithm. */
const BETWEEN = 0.1;
const HISTORY = 5;

/** Two short responses to each prompt, since this tests the judgment, not the sums. */
function draw(process: Process, random: () => number, prompts: number): DrawnSequence[] {
  const seen = new Map<number, number>();
  return process.draw(random, prompts).flatMap((sequence) => {
    const before = seen.get(sequence.prompt) ?? 0;
    seen.set(sequence.prompt, before + 1);
    return before >= 2
      ? []
      : [{ ...sequence, deltas: sequence.deltas.slice(0, process === UNEQUAL_LENGTHS ? 60 : 20) }];
  });
}

/** The parts of a report that a gate reads. */
function drawReport(process: Process, random: () => number, prompts: number, factor = 1): MismatchReport {
  const summary = new RunSummary();
  const sequences = draw(process, random, prompts).map((sequence) => ({
    ...sequence,
    deltas: sequence.deltas.map((delta) => factor * delta),
  }));
  summary.add(batchOfSequences(sequences));
  return {
    kind: "report",
    assessment: makeAssessment(),
    run: "drawn",
    metrics: pooledMetrics(summary.total),
    intervals: computeIntervals(summary.total),
    excluded: { delta_negative_infinite: 0, delta_positive_infinite: 0, missing: 0 },
    findings: [],
  } as unknown as MismatchReport;
}

const vary = (random: () => number): number => Math.exp(BETWEEN * normal(random));

function drawBaseline(process: Process, random: () => number, prompts: number): Baseline {
  const runs = Array.from({ length: HISTORY }, (_, at) => ({
    run: { name: `run ${at}`, date: null, files: 1, sha256: `${at}` },
    results: drawReport(process, random, prompts, vary(random)),
  }));
  return learnBaseline(runs, undefined, { alpha: ALPHA });
}

function measure(
  runs: number,
  once: (random: () => number) => GateReport,
): Record<"failed" | "wrong", number> {
  const counts = { failed: 0, wrong: 0 };
  for (let at = 0; at < runs; at++) {
    const report = once(seededRandom(`gate ${at}`));
    if (!report.passed) counts.failed++;
    if (report.checks.some(({ outcome }) => outcome === "fail")) counts.wrong++;
  }
  return { failed: counts.failed / runs, wrong: counts.wrong / runs };
}

it.each([PROMPT_EFFECTS, UNEQUAL_LENGTHS])(
  "fails a run like those of its history at its rate: $name",
  (process) => {
    const { failed } = measure(sized(10, 40), (random) => {
      const baseline = drawBaseline(process, random, 60);
      return evaluateGate(drawReport(process, random, 60, vary(random)), { baseline });
    });
    // At most alpha, and in fact less, since the figures are correlated.
    expect(failed).toBeLessThanOrEqual(ALPHA);
  },
);

it("fails a run that is three times as far off, whatever its history", () => {
  const { wrong } = measure(15, (random) => {
    const baseline = drawBaseline(PROMPT_EFFECTS, random, 40);
    return evaluateGate(drawReport(PROMPT_EFFECTS, random, 40, 3 * vary(random)), { baseline });
  });
  expect(wrong).toBeGreaterThanOrEqual(0.8);
});

it("does not fail a run of a quarter of the prompts, but may not decide", () => {
  const { wrong } = measure(25, (random) => {
    const baseline = drawBaseline(UNEQUAL_LENGTHS, random, 160);
    return evaluateGate(drawReport(UNEQUAL_LENGTHS, random, 40, vary(random)), { baseline });
  });
  expect(wrong).toBeLessThanOrEqual(ALPHA);
});

it("claims a limit that lies at the truth, either way, at its rate", () => {
  // Mean |Δ| of a normal Δ with spread 0.01 e^N(0, 0.8²).
  const truth = 0.01 * Math.sqrt(2 / Math.PI) * Math.exp(0.8 ** 2 / 2);
  const limits = [{ condition: parseCondition(`delta_abs_mean <= ${truth}`) }];
  const counts: Record<string, number> = {};
  const runs = 150;
  for (let at = 0; at < runs; at++) {
    const report = drawReport(PROMPT_EFFECTS, seededRandom(`limit ${at}`), 60);
    const [, check] = evaluateGate(report, { limits, alpha: ALPHA }).checks;
    counts[check!.outcome] = (counts[check!.outcome] ?? 0) + 1;
  }
  // Each side at alpha/2; intervals of skewed sums are slightly too low.
  expect((counts.pass ?? 0) / runs).toBeLessThanOrEqual(0.18);
  expect((counts.fail ?? 0) / runs).toBeLessThanOrEqual(0.18);
  expect(counts.undecidable).toBeGreaterThan(0.7 * runs);
});
