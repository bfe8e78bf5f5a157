import { describe, expect, it } from "vitest";
import type { WireSequence } from "../../../../results/wire/sequence.ts";
import { decodeTurns, encodeTurns, listTurns } from "../../../../results/wire/turns.ts";
import { turnFigures, turnTable } from "./turn-figures.ts";

const sequence = {
  mask: Uint8Array.of(1, 1, 0, 1, 1, 1),
  turnMarks: Uint16Array.of(1, 1, 0, 2, 2, 2),
  rollout: Float32Array.of(-1, -1, -9, -1, -2, Number.NaN),
  trainer: Float32Array.of(-1.5, -1, -1, -1, -4, -1),
} as unknown as WireSequence;

const figures = [
  { turn: 0, tokens: 2, deltaAbsMean: 0.25, deltaAbsMax: 0.5, worst: 0 },
  { turn: 1, tokens: 2, deltaAbsMean: 1, deltaAbsMax: 2, worst: 4 },
];

describe("figures of turns", () => {
  it("are over the policy's own tokens that can be compared", () => {
    expect(turnFigures(sequence)).toEqual(figures);
  });

  it("come back sequence by sequence, also of those without a turn", async () => {
    async function* sequences(): AsyncGenerator<WireSequence> {
      yield sequence;
      yield { ...sequence, mask: new Uint8Array(6) };
      yield sequence;
    }
    const table = decodeTurns(encodeTurns(await turnTable(sequences())));
    expect([0, 1, 2, 3].map((index) => listTurns(table, index))).toEqual([figures, [], figures, []]);
  });
});
