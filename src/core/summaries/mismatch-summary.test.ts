import { describe, expect, it } from "vitest";
import { isLogratioError } from "../base/index.ts";
import { DELTA_MAX, DELTA_MEAN, DELTA_MIN } from "../kernels/index.ts";
import { MismatchSummary, type MismatchSummaryJson } from "./mismatch-summary.ts";

/** What another logratio may have written: only its version is known to differ. */
function inVersion(version: number): MismatchSummaryJson {
  return { ...new MismatchSummary().toJSON(), version } as MismatchSummaryJson;
}

describe("a summary of another version", () => {
  it.each([
    [1, "an older logratio wrote it"],
    [6, "a newer logratio wrote it"],
  ])("%i is refused, and both versions are said", (version, likely) => {
    let error: unknown;
    try {
      MismatchSummary.fromJSON(inVersion(version));
    } catch (thrown) {
      error = thrown;
    }
    expect(isLogratioError(error, "VersionError")).toBe(true);
    expect(error).toMatchObject({
      message: `cannot read summary: version ${version}, this logratio reads version 5`,
      found: version,
      supported: 5,
      likely,
    });
  });
});

/** Sequences with a Δ in nats for each token; null is a token with mask 0, which ends a turn. */
function blockOf(...sequences: readonly (readonly (number | null)[])[]) {
  const deltas = sequences.flat();
  return {
    rollout: new Float32Array(deltas.length).fill(-1),
    trainer: Float32Array.from(deltas, (delta) => -1 + (delta ?? 0)),
    mask: Uint8Array.from(deltas, (delta) => (delta === null ? 0 : 1)),
    offsets: Int32Array.from([0, ...sequences.map((_, i) => sequences.slice(0, i + 1).flat().length)]),
  };
}

describe("sums of a summary", () => {
  it("are those of all that was added, whenever they are read", () => {
    const summary = MismatchSummary.of(blockOf([0.5, 0.25]));
    const { sums, turns, sequences } = summary;
    expect([sums[DELTA_MEAN], turns.length, sequences.count]).toEqual([0.375, 1, 1]);
    summary.merge(MismatchSummary.of(blockOf([0.75, 0.5, null, -0.5])));
    expect(summary.sums[DELTA_MEAN]).toBeCloseTo(0.3, 12);
    expect(summary.sequences.count).toBe(2);
    expect(summary.turns.map((turn) => turn.sequences)).toEqual([2, 1]);
    const { sums: rows, turns: turnSums } = MismatchSummary.of(blockOf([0.125]));
    summary.addSequence(rows, 0);
    summary.addTurns(turnSums[0]!.sums, Int32Array.of(1));
    expect(summary.sequences.count).toBe(3);
    expect(summary.sums[DELTA_MEAN]).toBeCloseTo(1.625 / 6, 12);
    expect(summary.turns.map((turn) => turn.sequences)).toEqual([3, 1]);
  });

  it("of a turn are its own, also of one that only some sequences have", () => {
    const { turns } = MismatchSummary.of(blockOf([0.5, null, -0.25, null, -0.75], [0.25]));
    expect(turns.map((turn) => turn.sequences)).toEqual([2, 1, 1]);
    expect(turns.map((turn) => [turn.sums[DELTA_MIN], turn.sums[DELTA_MAX]])).toEqual([
      [0.25, 0.5],
      [-0.25, -0.25],
      [-0.75, -0.75],
    ]);
  });
});
