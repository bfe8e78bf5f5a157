import { describe, expect, it } from "vitest";
import { isLogratioError } from "../core/base/errors.ts";
import { createRecordBuilder } from "../core/schema/builder.ts";
import { type Finding, FindingLog } from "../core/schema/findings.ts";
import type { RecordBatch } from "../core/schema/record.ts";
import { shiftTrainer } from "./alignment/shift-trainer.ts";
import { createBatchChecker } from "./check.ts";

interface Row {
  readonly rollout: readonly number[];
  readonly trainer?: readonly number[];
  readonly mask?: readonly number[];
}

function makeBatch(...rows: readonly Row[]): RecordBatch {
  const builder = createRecordBuilder({
    provenance: { file: "a.npz", format: "npz", trainer: "verl", alignment: "token" },
  });
  for (const { rollout, trainer = rollout.map(() => -1), mask = rollout.map(() => 1) } of rows) {
    builder.push({
      length: rollout.length,
      responseMask: Uint8Array.from(mask),
      rolloutLogprobs: Float32Array.from(rollout),
      trainerLogprobs: Float32Array.from(trainer),
    });
  }
  return builder.flush();
}

function check(batch: RecordBatch): readonly Finding[] {
  const findings = new FindingLog();
  createBatchChecker(findings).check(batch);
  return findings.list();
}

const brief = ({ code, severity, message, count, at }: Finding): unknown[] => [
  code,
  severity,
  message,
  count,
  at.row,
];

describe("sentinels become missing", () => {
  it("-9999 and below", () => {
    const batch = makeBatch({ rollout: [-1] }, { rollout: [-2, -9999, -1e6, -9998] });
    expect(check(batch).map(brief)).toEqual([
      ["sentinel", "warning", "2 rollout log-probs are -9999 or below: read as missing", 2, 1],
    ]);
    expect([...batch.rolloutLogprobs!]).toEqual([-1, -2, Number.NaN, Number.NaN, -9998]);
  });

  it("exactly 1.0", () => {
    const batch = makeBatch({ rollout: [-1, -1, -1], trainer: [-1, 1, -1] });
    expect(check(batch).map(brief)).toEqual([
      ["sentinel", "warning", "1 trainer log-prob is exactly 1.0: read as missing", 1, 0],
    ]);
    expect([...batch.trainerLogprobs!]).toEqual([-1, Number.NaN, -1]);
  });

  it("outside the mask too, where they are not counted", () => {
    const batch = makeBatch({
      rollout: [-1, -9999, 1, Number.NaN, 0],
      mask: [1, 0, 0, 0, 0],
      trainer: [-1, -5, -5, -5, -5],
    });
    expect(check(batch)).toEqual([]);
    expect([...batch.rolloutLogprobs!]).toEqual([-1, Number.NaN, Number.NaN, Number.NaN, 0]);
  });
});

describe("the batch knows where a log-prob is missing because it was read so", () => {
  const marks = (batch: RecordBatch): number[] | undefined => {
    const { readAsMissing } = createBatchChecker(new FindingLog()).check(batch);
    return readAsMissing && [...readAsMissing];
  };

  it("by side, and not where the source has NaN", () => {
    const rollout = [-1, -9999, -1, Number.NaN, -1, -1];
    expect(marks(makeBatch({ rollout, trainer: [-1, 1, 0.5, -9999, Number.NaN, -Infinity] }))).toEqual([
      0, 3, 2, 2, 0, 0,
    ]);
  });

  it("if there is such a token", () => {
    expect(marks(makeBatch({ rollout: [-1, Number.NaN], trainer: [-1, -Infinity] }))).toBeUndefined();
  });

  it("beside what a shift left without an entry", () => {
    const batch = makeBatch({ rollout: [-1, -9999, -1], trainer: [-1, Number.NaN, -3] });
    const shifted = shiftTrainer(batch, 1);
    expect([...shifted.batch.trainerLogprobs!]).toEqual([Number.NaN, -3, Number.NaN]);
    expect(shifted.lost).toBe(1);
    expect(marks(shifted.batch)).toEqual([0, 1, 2]);
  });
});

describe("values that are kept and counted", () => {
  it("a zero beside a side that is far from certain", () => {
    const batch = makeBatch(
      { rollout: [0, 0, 0], trainer: [-1.5, -0.5, 0] },
      { rollout: [-3], trainer: [0] },
    );
    expect(check(batch).map(brief)).toEqual([
      [
        "suspicious-zero",
        "warning",
        "1 rollout log-prob is exactly 0 where the other side is below -1: kept",
        1,
        0,
      ],
      [
        "suspicious-zero",
        "warning",
        "1 trainer log-prob is exactly 0 where the other side is below -1: kept",
        1,
        1,
      ],
    ]);
    expect(batch.rolloutLogprobs![0]).toBe(0);
  });

  it("NaN and infinities", () => {
    const batch = makeBatch({ rollout: [Number.NaN, -Infinity, -1], trainer: [-1, -1, Infinity] });
    expect(check(batch).map(brief)).toEqual([
      ["non-finite", "warning", "1 rollout log-prob is missing or NaN where the mask is 1", 1, 0],
      ["non-finite", "warning", "1 rollout log-prob is infinite", 1, 0],
      ["non-finite", "warning", "1 trainer log-prob is infinite", 1, 0],
    ]);
    expect(batch.rolloutLogprobs![1]).toBe(-Infinity);
  });

  it("what rounding added to 0", () => {
    const batch = makeBatch({ rollout: [1e-6, -1, -1] });
    expect(check(batch).map(brief)).toEqual([
      ["positive-logprob", "info", "1 rollout log-prob is above 0 by at most 0.001: kept as rounding", 1, 0],
    ]);
    expect(batch.rolloutLogprobs![0]).toBeGreaterThan(0);
  });

  it("sequences without a 1 in their mask", () => {
    const findings = check(makeBatch({ rollout: [-1] }, { rollout: [-1], mask: [0] }, { rollout: [] }));
    expect(findings.map(brief)).toEqual([
      ["empty-mask", "info", "2 sequences have no token with mask 1: kept, but in no figure", 2, 1],
    ]);
  });
});

describe("positive values", () => {
  it("are read as missing while they are few", () => {
    const batch = makeBatch({ rollout: [0.5, -1, -1, -1] });
    expect(check(batch).map(brief)).toEqual([
      ["positive-logprob", "warning", "1 rollout log-prob is positive: read as missing", 1, 0],
    ]);
    expect(batch.rolloutLogprobs![0]).toBeNaN();
  });

  it("are no log-probs when they are most", () => {
    const findings = new FindingLog();
    const attempt = (): RecordBatch =>
      createBatchChecker(findings).check(makeBatch({ rollout: [0.5, 1, 0.25, -1] }));
    expect(attempt).toThrow("3 of 4 rollout log-probs are positive: these are not log-probs");
    try {
      attempt();
    } catch (error) {
      expect(isLogratioError(error, "SchemaError") && [error.at, error.likely]).toEqual([
        { file: "a.npz", row: 0 },
        "they are probabilities, or negated log-probs (a loss)",
      ]);
    }
  });

  it("are counted over all batches of a source", () => {
    const checker = createBatchChecker(new FindingLog());
    checker.check(makeBatch({ rollout: [-1, -1, -1, -1] }));
    expect(() => checker.check(makeBatch({ rollout: [0.5, 0.5, 0.5] }))).not.toThrow();
    expect(checker.maskedTokens).toBe(7);
    expect(() => checker.check(makeBatch({ rollout: [0.5, 0.5, 0.5] }))).toThrow("6 of 10");
  });

  it("are named in the singular for one of a further policy", () => {
    const builder = createRecordBuilder({
      provenance: { file: "a.npz", format: "npz", trainer: "verl", alignment: "token" },
    });
    builder.push({
      length: 2,
      responseMask: Uint8Array.of(1, 1),
      rolloutLogprobs: Float32Array.of(-1, -2),
      trainerLogprobs: Float32Array.of(-1, -2),
      policyLogprobs: { bases: Float32Array.of(-1, -Infinity) },
    });
    expect(check(builder.flush()).map(({ message }) => message)).toEqual(["1 log-prob of bases is infinite"]);
  });

  it("and keeps the side as it was written beside it", () => {
    const batch = makeBatch({ rollout: [-1, -9999, 0.5], trainer: [-1, -2, Number.NaN] });
    const { asWritten, rolloutLogprobs } = createBatchChecker(new FindingLog()).check(batch);
    expect([...rolloutLogprobs!]).toEqual([-1, Number.NaN, Number.NaN]);
    expect(asWritten).toEqual({ rollout: Float32Array.of(-1, -9999, 0.5) });
  });

  it("also where most values are positive, if the caller allows that", () => {
    const findings = new FindingLog();
    const batch = makeBatch({ rollout: [0.5, 1, 0.25, -9999] });
    const { asWritten } = createBatchChecker(findings, { allowPositive: true }).check(batch);
    expect([...batch.rolloutLogprobs!]).toEqual(new Array(4).fill(Number.NaN));
    expect([...asWritten!.rollout!]).toEqual([0.5, 1, 0.25, -9999]);
    expect(findings.list().map(({ message }) => message)).toContain(
      "2 rollout log-probs are positive: read as missing",
    );
  });
});
