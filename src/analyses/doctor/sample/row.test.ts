import { describe, expect, it } from "vitest";
import { createRecordBuilder } from "../../../core/schema/builder.ts";
import type { RecordBatch } from "../../../core/schema/record.ts";
import type { SequenceDraft } from "../../../core/schema/sequence-draft.ts";
import { rowHandle, takeRow } from "./row.ts";

function makeBatch(...drafts: readonly SequenceDraft[]): RecordBatch {
  const builder = createRecordBuilder({
    provenance: { file: "a.npz", format: "npz", trainer: "verl", alignment: "token" },
    sampling: {},
  });
  for (const draft of drafts) builder.push(draft);
  return builder.flush();
}

/** A sequence of two tokens with all columns, whose values begin at this number. */
const whole = (at: number): SequenceDraft => ({
  ...{ length: 2, responseMask: Uint8Array.of(1, 0), row: at, step: at + 1, rank: at + 2, pack: at + 3 },
  ...{ environment: `e${at}`, reward: at + 4, groupId: `g${at}` },
  rolloutLogprobs: Float32Array.of(-at, -at - 1),
  trainerLogprobs: Float32Array.of(-at - 0.5, -at - 2),
  policyLogprobs: {
    reference: Float32Array.of(-at - 3, -at - 4),
    rescore: Float32Array.of(-at - 5, -at - 6),
  },
  entropies: { rollout: Float32Array.of(at, 1), trainer: Float32Array.of(at, 2) },
  topK: {
    rollout: { k: 1, ids: Int32Array.of(at, at + 1), logprobs: Float32Array.of(-at, -1) },
    trainer: {
      k: 2,
      ids: Int32Array.of(at, at + 1, at + 2, at + 3),
      logprobs: Float32Array.of(-at, -2, -3, -4),
    },
  },
  responseTokenIds: Int32Array.of(at + 10, at + 11),
  promptTokenIds: Int32Array.from({ length: at }, (_, k) => at + k),
  advantages: Float32Array.of(at / 2, 9),
  positionIds: Int32Array.of(at + 20, at + 21),
  weightVersions: Int32Array.of(at + 30, at + 31),
});

it("copies a sequence with all of its columns out of its batch", () => {
  const batch = makeBatch(whole(1), whole(2), whole(3));
  const taken = takeRow(batch, 1, 77, true);
  expect(taken).toEqual({
    ...{ file: "a.npz", step: 3, rank: 4, pack: 5, row: 2, environment: "e2" },
    ...{ group: 77, hasPrompt: true, reward: 6, advantage: 1, mask: Uint8Array.of(1, 0) },
    rollout: Float32Array.of(-2, -3),
    trainer: Float32Array.of(-2.5, -4),
    reference: Float32Array.of(-5, -6),
    rescore: Float32Array.of(-7, -8),
    rolloutEntropy: Float32Array.of(2, 1),
    trainerEntropy: Float32Array.of(2, 2),
    rolloutTop: { k: 1, ids: Int32Array.of(2, 3), logprobs: Float32Array.of(-2, -1) },
    trainerTop: { k: 2, ids: Int32Array.of(2, 3, 4, 5), logprobs: Float32Array.of(-2, -2, -3, -4) },
    ids: Int32Array.of(12, 13),
    prompt: Int32Array.of(2, 3),
    positions: Int32Array.of(22, 23),
    versions: Int32Array.of(32, 33),
  });
  // Nothing of it is the batch's.
  batch.rolloutLogprobs!.fill(0);
  batch.responseMask.fill(0);
  expect([taken.rollout[0], taken.mask[0]]).toEqual([-2, 1]);
});

it("leaves out columns that the batch lacks", () => {
  const logprobs = Float32Array.of(-1, -2);
  const batch = makeBatch({
    ...{ length: 2, responseMask: Uint8Array.of(1, 1), rolloutLogprobs: logprobs, trainerLogprobs: logprobs },
  });
  expect(takeRow(batch, 0, 5, false)).toEqual({
    ...{ file: "a.npz", step: NaN, rank: NaN, pack: 0, row: 0, environment: undefined, group: 5 },
    ...{ hasPrompt: false, reward: NaN, advantage: NaN, mask: Uint8Array.of(1, 1) },
    ...{ rollout: logprobs, trainer: logprobs, reference: undefined, rescore: undefined },
    ...{ rolloutEntropy: undefined, trainerEntropy: undefined, rolloutTop: undefined, trainerTop: undefined },
    ...{ ids: undefined, prompt: undefined, positions: undefined, versions: undefined },
  });
});

describe("the advantage of a sequence", () => {
  it.each([
    [[1, 1, 0, 1], [1, 3, 100, 5], 3],
    [[0, 0, 0, 0], [1, 3, 100, 5], Number.NaN],
    [[1, 0, 0, 0], [1, 3, 100, 5], 1],
  ])("is the mean over the tokens with mask 1: %j", (mask, advantages, expected) => {
    const logprobs = new Float32Array(4).fill(-1);
    const batch = makeBatch(whole(3), {
      ...{ length: 4, responseMask: Uint8Array.from(mask), advantages: Float32Array.from(advantages) },
      ...{ rolloutLogprobs: logprobs, trainerLogprobs: logprobs },
    });
    expect(takeRow(batch, 1, 5, false).advantage).toBe(expected);
  });
});

it("names a sequence, and a token of it", () => {
  const row = takeRow(makeBatch(whole(12)), 0, 5, true);
  expect([rowHandle(row), rowHandle(row, 0), rowHandle(row, 880)]).toEqual([
    "s13.r14.q12",
    "s13.r14.q12.t0",
    "s13.r14.q12.t880",
  ]);
});
