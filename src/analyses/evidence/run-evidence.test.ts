import { describe, expect, it } from "vitest";
import { recordBatch } from "../../../test/support/record-batch.ts";
import { ByteReader } from "../../core/base/byte-reader.ts";
import { ByteWriter } from "../../core/base/byte-writer.ts";
import { MissingSideError } from "../../core/base/errors.ts";
import type { RecordBatch } from "../../core/schema/record.ts";
import { answerRun, makeDoctorReport } from "./answer.ts";
import { RunEvidence } from "./run-evidence.ts";

/** Eight batches of two steps with 8 answers of 40 tokens; one step is far off. */
const BATCHES: readonly RecordBatch[] = Array.from({ length: 8 }, (_, at) =>
  recordBatch(
    Array.from({ length: 16 }, (_, row) => {
      const step = 2 * at + (row % 2);
      const scale = step === 9 ? 0.3 : 0.004;
      const deltas = Array.from({ length: 40 }, (_, t) => scale * Math.sin(17 * step + 5 * row + 3.3 * t));
      return {
        deltas: deltas.join(" "),
        step,
        row,
        rank: row % 4,
        correct: row % 3 === 0 ? 1 : 0,
        rollout: -0.4,
      };
    }),
    `step_${at}.npz`,
  ),
);

function evidenceOf(batches: readonly RecordBatch[]): RunEvidence {
  const evidence = new RunEvidence();
  for (const batch of batches) evidence.add(batch);
  return evidence;
}

/** What is said of evidence, as `--json` has it. */
function say(evidence: RunEvidence): string {
  const answer = answerRun({
    run: "drawn",
    paths: ["drawn"],
    evidence,
    parity: [],
    findings: [],
    sources: [],
  });
  return JSON.stringify([answer.report, makeDoctorReport(answer)]);
}

function merged(parts: readonly RunEvidence[]): RunEvidence {
  const whole = new RunEvidence();
  for (const part of parts) whole.merge(part);
  return whole;
}

/** An order of its own for each number. */
function shuffle<T>(list: readonly T[], seed: number): T[] {
  return list
    .map((one, at) => ({ one, by: (Math.sin(seed * 97 + at * 31) * 1e4) % 1 }))
    .sort((a, b) => a.by - b.by)
    .map(({ one }) => one);
}

describe("evidence", () => {
  const parts = () => BATCHES.map((batch) => evidenceOf([batch]));
  const whole = say(merged(parts()));

  it("says something of this run", () => {
    const { assessment } = JSON.parse(whole)[0];
    expect(assessment.level).not.toBe("too_few");
    expect(assessment.when.segments.length).toBeGreaterThan(1);
    expect(assessment.diagnosis).not.toBeNull();
  });

  it.each([1, 2, 3, 4, 5])("says the same in whatever order its parts are merged (%i)", (seed) => {
    expect(say(merged(shuffle(parts(), seed)))).toBe(whole);
    // As a tree: two halves of another order, then each with the other.
    const some = shuffle(parts(), seed + 10);
    expect(say(merged([merged(some.slice(0, 3)), merged(some.slice(3))]))).toBe(whole);
  });

  it("says the same as one that was added batch by batch", () => {
    expect(say(evidenceOf(BATCHES))).toBe(whole);
  });

  it("says the same after it was written and read, as JSON and as bytes", () => {
    const text = JSON.stringify(merged(parts()).toJSON());
    expect(say(RunEvidence.fromJSON(JSON.parse(text)))).toBe(whole);
    const writer = new ByteWriter();
    merged(parts().slice(2)).encode(writer);
    const rest = evidenceOf(BATCHES.slice(0, 2));
    rest.mergeFrom(new ByteReader(writer.finish(), "drawn"));
    expect(say(rest)).toBe(whole);
  });

  it("of nothing is nothing, and adds nothing", () => {
    const withNothing = merged([
      new RunEvidence(),
      ...parts(),
      RunEvidence.fromJSON(JSON.parse(JSON.stringify(new RunEvidence().toJSON()))),
    ]);
    expect(say(withNothing)).toBe(whole);
    expect(JSON.parse(say(new RunEvidence()))[0].assessment).toMatchObject({
      level: "too_few",
      diagnosis: "too_few",
      causes: [],
      correction: null,
    });
  });

  it("takes no batch with one side only, and is as before then", () => {
    const evidence = evidenceOf(BATCHES);
    const { trainerLogprobs: _, ...lacking } = BATCHES[0]!;
    expect(() => evidence.add(lacking as RecordBatch)).toThrow(MissingSideError);
    expect(say(evidence)).toBe(whole);
  });

  it("refuses sums of another version, and a text that is none", () => {
    const json = evidenceOf(BATCHES).toJSON();
    expect(() =>
      RunEvidence.fromJSON({ ...json, summary: { ...json.summary, version: 1 } as never }),
    ).toThrow();
    expect(() => RunEvidence.fromJSON({ ...json, doctor: json.doctor.slice(0, 64) })).toThrow();
  });

  it("gives the doctor's report the same assessment as the report", () => {
    const [report, doctor] = JSON.parse(whole);
    expect(doctor.assessment).toEqual(report.assessment);
    expect(doctor.verdict).toBe(report.assessment.diagnosis);
  });
});
