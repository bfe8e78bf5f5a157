import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { recordBatch, type SequencePicture } from "../../../test/support/record-batch.ts";
import { READ_AS_MISSING, type RecordBatch } from "../../core/schema/record.ts";
import type { MismatchReport, SourceSummary } from "../../results/report.ts";
import { buildReport } from "./build-report.ts";
import { RunSummary } from "./run-summary.ts";

const SOURCE: Omit<SourceSummary, "sequences"> = {
  ...{ file: "drawn.npz", format: "npz", trainer: "verl", step: null, rank: null, bytes: 1 },
  ...{ found: ["trainer log-probs: old_log_probs, float32 [2, 4]"], guessed: [], missing: [] },
};

function reportOn(summary: RunSummary, source = SOURCE): MismatchReport {
  return buildReport({ run: "drawn", paths: [], summary, parity: [], findings: [], sources: [source] });
}

function summarize(...batches: RecordBatch[]): RunSummary {
  const summary = new RunSummary();
  for (const batch of batches) summary.add(batch);
  return summary;
}

const rows = (step: number, deltas: string, count = 10): SequencePicture[] =>
  Array.from({ length: count }, (_, row) => ({ deltas, step, row }));
/** A hundred tokens of a sequence, a little off. */
const SOUND = Array.from({ length: 100 }, (_, t) => (t % 2 === 0 ? "0.002" : "-0.002")).join(" ");

describe("a run whose trainer turns to NaN", () => {
  const batch = recordBatch([
    ...rows(1, SOUND),
    ...rows(2, `${SOUND} NaN`),
    ...rows(3, SOUND.replaceAll(/\S+/g, "NaN")),
  ]);
  const report = reportOn(summarize(batch));

  it("is broken, and tells since when, and what it was like before", () => {
    const headline =
      "since step 2: NaN in the trainer log-probs old_log_probs (0.99 % of the tokens, then all). Until step 1 the mismatch is normal (mean |Δ| 0.00200)";
    expect(report.verdict).toMatchObject({ level: "broken", level_range: ["broken", "broken"], headline });
    expect(report.assessment).toMatchObject({ level: "broken", sentence: headline });
    expect(report.assessment.finite.found).toMatchObject([
      { of: "trainer", name: "old_log_probs", nan: 1010, infinite: 0, since_step: 2, steps: 2, steps_all: 3 },
    ]);
    expect(report.next.command).toMatch(/^logratio doctor/);
  });

  it("may have null where the format has", () => {
    const text = reportOn(summarize(batch), { ...SOURCE, format: "jsonl" });
    expect(text.verdict.headline).toMatch(/^since step 2: NaN or null in the trainer/);
  });

  it("is judged on the rest where it came and went", () => {
    const { verdict } = reportOn(
      summarize(recordBatch([...rows(1, SOUND), ...rows(2, "-Infinity 0.002"), ...rows(3, SOUND)])),
    );
    expect(verdict.level).toBe("broken");
    expect(verdict.headline).toBe(
      "at step 2: infinite values in the trainer log-probs old_log_probs (50.0 % of the tokens). Of the rest the mismatch is normal (mean |Δ| 0.00200)",
    );
  });

  it("is broken whatever the number of its tokens", () => {
    expect(reportOn(summarize(recordBatch(rows(1, "NaN 0.1", 1)))).verdict).toMatchObject({
      level: "broken",
      headline: expect.stringMatching(/Of the rest there are too few tokens for a word$/),
    });
    expect(reportOn(summarize(recordBatch(rows(1, "NaN", 1)))).verdict.headline).toBe(
      "at step 1: NaN in all of the trainer log-probs old_log_probs",
    );
  });
});

it("tokens that reading made missing do not break a run, and are told apart", () => {
  const batch = recordBatch([...rows(1, SOUND), ...rows(1, "NaN", 3)]);
  const tokens = batch.responseMask.length;
  const marks = new Uint8Array(tokens).fill(READ_AS_MISSING.trainer, tokens - 3);
  const { verdict, assessment, excluded } = reportOn(summarize({ ...batch, readAsMissing: marks }));
  expect([verdict.level, excluded.missing]).toEqual(["normal", 3]);
  expect(assessment.finite).toEqual({ found: [], sentence: null, read_as_missing: 3 });
});

it("is the same for any order, parts and engine", () => {
  const value = fc.constantFrom("0.1", "-0.1", "NaN", "Infinity", "-Infinity");
  const picture = fc.record({
    deltas: fc.array(value, { minLength: 1, maxLength: 5 }).map((values) => values.join(" ")),
    step: fc.constantFrom(1, 2, 3),
  });
  const files = fc.array(fc.array(picture, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 4 });
  fc.assert(
    fc.property(files, (drawn) => {
      const batches = drawn.map((pictures, at) => recordBatch(pictures, `${at}.npz`));
      const whole = reportOn(summarize(...batches)).assessment;
      const parts = batches.map((batch) => summarize(batch)).reverse();
      const merged = new RunSummary();
      for (const part of parts) merged.merge(RunSummary.fromJSON(JSON.parse(JSON.stringify(part))));
      expect(reportOn(merged).assessment).toEqual(whole);
      const scalar = new RunSummary({ engine: "scalar" });
      for (const batch of batches.toReversed()) scalar.add(batch);
      expect(reportOn(scalar).assessment).toEqual(whole);
    }),
    { numRuns: 20 },
  );
});
