import { describe, expect, it } from "vitest";
import { createRecordBuilder } from "../../core/schema/builder.ts";
import type { SequenceDraft } from "../../core/schema/sequence-draft.ts";
import { parseFilter } from "./filter.ts";
import { batchFilter } from "./filter-batches.ts";
import { takeRows } from "./take-rows.ts";

const provenance = { file: "a.npz", format: "npz", trainer: "verl", alignment: "token" } as const;
const sides = { trainer: { weights: "ab" } };

function makeDraft(i: number): SequenceDraft {
  const length = i + 1;
  const logprobs = Float32Array.from({ length }, () => -i - 1);
  return {
    length,
    responseMask: new Uint8Array(length).fill(1),
    rolloutLogprobs: logprobs,
    trainerLogprobs: logprobs,
    keptMass: Float32Array.from({ length }, (_, t) => t / 8),
    routeAgreement: Float32Array.from({ length }, (_, t) => i / 4 + t / 16),
    policyLogprobs: { reference: Float32Array.from({ length }, (_, t) => -t - i / 8) },
    entropies: { rollout: Float32Array.from({ length }, (_, t) => t + i / 8) },
    promptTokenIds: Int32Array.of(i, i),
    trainerPromptTokenIds: Int32Array.from({ length: i }, () => i),
    finishReason: ["stop", "length", "abort"][i],
    engineId: `engine-${i % 2}`,
    cachedTokens: 10 * i,
    row: i,
    step: 1,
    groupId: "g",
  };
}

function pack(rows: readonly number[]) {
  const builder = createRecordBuilder({ provenance, sides });
  for (const i of rows) builder.push(makeDraft(i));
  return builder.flush();
}

it("takes every column of the rows that are asked for", () => {
  expect(takeRows(pack([0, 1, 2]), Uint32Array.of(2, 0))).toEqual(pack([2, 0]));
});

it.each([
  ["finish:length", [1]],
  ["engine:engine-0", [0, 2]],
  ["cached>=10", [1, 2]],
])("finds the sequences of %s", (text, rows) => {
  const kept = batchFilter(parseFilter(text).alternatives).apply(pack([0, 1, 2]));
  expect([...(kept?.rows ?? [])]).toEqual(rows);
});

describe("takeRows", () => {
  it("takes what the source says of the tokens along", () => {
    const builder = createRecordBuilder({ provenance, keepDetails: true });
    for (const first of [10, 20, 30]) {
      builder.push({
        length: 2,
        responseMask: Uint8Array.of(1, 1),
        details: {
          attention: Uint8Array.of(1, 0),
          inputTokenIds: Int32Array.of(first, first + 1),
          tokenRewards: Float32Array.of(0, first),
          promptWidth: first,
          promptPadding: first / 10,
        },
      });
    }
    expect(takeRows(builder.flush(), Uint32Array.of(2, 0)).details).toEqual({
      attention: Int32Array.of(1, 0, 1, 0),
      inputTokenIds: Int32Array.of(30, 31, 10, 11),
      tokenRewards: Float32Array.of(0, 30, 0, 10),
      promptWidths: Int32Array.of(30, 10),
      promptPadding: Int32Array.of(3, 1),
    });
  });
});
