import { expect, it } from "vitest";
import { recordBatch } from "../../../test/support/record-batch.ts";
import { RunEvidence } from "../evidence/run-evidence.ts";
import { moveArrays } from "./move-arrays.ts";
import { addMoved, takeEvidence } from "./moved-evidence.ts";

function summarize(...deltas: readonly string[]): RunEvidence {
  const evidence = new RunEvidence();
  for (const [row, text] of deltas.entries())
    evidence.add(recordBatch([{ deltas: text, tokenIds: [7, 8 + row], row, step: row }]));
  return evidence;
}

it("adds to other evidence what it was, with the sums per token id as arrays of their own", () => {
  const whole = summarize("0.1 0.2");
  whole.merge(summarize("0.3 -0.4", "0.5 0.1"));
  const moved = takeEvidence(summarize("0.3 -0.4", "0.5 0.1"));
  const { value, buffers } = moveArrays(moved);
  expect(moved.tokenIds.small.counts[7]).toBe(2);
  // All arrays own their memory: moving copies nothing.
  expect(value.tokenIds.small.counts).toBe(moved.tokenIds.small.counts);
  expect(value.tokenIds.small.sums.bins).toBe(moved.tokenIds.small.sums.bins);
  const onto = summarize("0.1 0.2");
  addMoved(onto, structuredClone(value, { transfer: [...buffers] }));
  expect(JSON.stringify(onto)).toBe(JSON.stringify(whole));
});
