import { expect, it } from "vitest";
import { createRecordBuilder, type RecordBatch, type SequenceDraft } from "../../../core/schema/index.ts";
import { ColumnsSeen } from "./index.ts";

function makeBatch(draft: Partial<SequenceDraft>): RecordBatch {
  const builder = createRecordBuilder({
    provenance: { file: "a", format: "npz", trainer: "verl", alignment: "token" },
    sampling: {},
  });
  const logprobs = Float32Array.of(-1, -2);
  builder.push({
    length: 2,
    responseMask: Uint8Array.of(1, 1),
    rolloutLogprobs: logprobs,
    trainerLogprobs: logprobs,
    ...draft,
  });
  return builder.flush();
}

const names = (...batches: readonly RecordBatch[]): string[] => {
  const seen = new ColumnsSeen();
  for (const batch of batches) {
    const part = new ColumnsSeen();
    part.add(batch);
    seen.merge(part);
  }
  return seen.untested().map(({ column }) => column);
};

const top = { k: 1, ids: Int32Array.of(1, 2), logprobs: Float32Array.of(-1, -2) };
const COLUMNS: readonly (readonly [string, Partial<SequenceDraft>])[] = [
  ["policy_logprobs.rescore", { policyLogprobs: { rescore: Float32Array.of(-1, -2) } }],
  ["entropy.rollout", { entropies: { rollout: Float32Array.of(1, 2) } }],
  ["topk_logprobs", { topK: { rollout: top, trainer: top } }],
  ["response_token_ids", { responseTokenIds: Int32Array.of(5, 6) }],
  ["prompt_token_ids", { promptTokenIds: Int32Array.of(1) }],
  ["weight_versions", { weightVersions: Int32Array.of(3, 3) }],
  ["step", { step: 4 }],
  ["rank", { rank: 0 }],
  ["environment", { environment: "math" }],
];

it("names every column that no batch has, most telling first", () => {
  expect(names(makeBatch({}))).toEqual(COLUMNS.map(([name]) => name));
  expect(names()).toEqual(COLUMNS.map(([name]) => name));
});

it.each(COLUMNS)("does not miss %s where a batch has it", (name, draft) => {
  const left = names(makeBatch({}), makeBatch(draft));
  expect(left).not.toContain(name);
  // A top-k list says the entropy as well.
  expect(left.length).toBe(COLUMNS.length - (name === "topk_logprobs" ? 2 : 1));
});

it("says what each would tell, and how to get it", () => {
  const seen = new ColumnsSeen();
  for (const { test, how } of seen.untested()) {
    expect(test).toMatch(/^(whether|which|how|when) /);
    expect(how).toMatch(/^(record|score) /);
  }
});
