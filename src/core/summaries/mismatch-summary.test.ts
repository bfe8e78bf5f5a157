import { describe, expect, it } from "vitest";
import { isLogratioError } from "../base/errors.ts";
import { effectiveSampleSize } from "../kernels/derive.ts";
import { DELTA_MAX, DELTA_MEAN, DELTA_MIN, FIELDS } from "../kernels/layout.ts";
import { mismatchSums } from "../kernels/mismatch.ts";
import { MismatchSummary, type MismatchSummaryJson } from "./mismatch-summary.ts";

/** What another logratio may have written: only its version is known to differ. */
function inVersion(version: number): MismatchSummaryJson {
  return { ...new MismatchSummary().toJSON(), version } as MismatchSummaryJson;
}

describe("a summary of another version", () => {
  it.each([
    [1, "an older logratio wrote it"],
    [7, "a newer logratio wrote it"],
  ])("%i is refused, and both versions are said", (version, likely) => {
    let error: unknown;
    try {
      MismatchSummary.fromJSON(inVersion(version));
    } catch (thrown) {
      error = thrown;
    }
    expect(isLogratioError(error, "VersionError")).toBe(true);
    expect(error).toMatchObject({
      message: `cannot read summary: version ${version}, this logratio reads version 6`,
      found: version,
      supported: 6,
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

describe("ratios far from 1", () => {
  const blocks = [
    [[400, 0.25, null, -1], [0.125]],
    [[0.5, null, 400, 399]],
    [[-800, -0.5], [-400]],
    [
      [1000, 0.25],
      [1000, null, 999.5],
    ],
  ].map((sequences) => blockOf(...sequences));

  /** The summary of these blocks as units, merged from `order`, the first two apart. */
  function mergeUnits(order: readonly number[]): MismatchSummary {
    const parts = order.map((i) => {
      const part = new MismatchSummary();
      part.beginUnit(`unit ${i}`);
      const table = mismatchSums(blocks[i]!, { sink: (tokens) => part.addTokens(tokens) });
      for (let row = 0; row < table.rowTurns.length; row++) part.addSequence(table.rows, row * FIELDS);
      part.addTurns(table.turns, table.turnRows);
      return MismatchSummary.fromJSON(JSON.parse(JSON.stringify(part)) as MismatchSummaryJson);
    });
    const [first, second, ...rest] = parts;
    first!.merge(second!);
    const others = new MismatchSummary();
    for (const part of rest) others.merge(part);
    others.merge(first!);
    return others;
  }

  it("merge in any order, bit for bit", () => {
    const orders = [
      [0, 1, 2, 3],
      [3, 2, 1, 0],
      [2, 0, 3, 1],
      [1, 3, 0, 2],
    ];
    const [whole, ...others] = orders.map(mergeUnits);
    for (const other of others) {
      expect(other.sums).toEqual(whole!.sums);
      expect(other.turns).toEqual(whole!.turns);
      expect(other.toJSON()).toEqual(whole!.toJSON());
    }
    // Of 14 tokens, two have Δ = 1000 and one 999.5; those at 400 are nothing beside them.
    const ratio = Math.exp(-0.5);
    const wanted = (2 + ratio) ** 2 / (2 + ratio ** 2) / 14;
    expect(effectiveSampleSize(whole!.sums)).toBeCloseTo(wanted, 12);
    // Of the second turns, one token each: -1, 400, 399 and 999.5.
    expect(effectiveSampleSize(whole!.turns[1]!.sums)).toBeCloseTo(1 / 4, 12);
  });
});
