import { expect, it } from "vitest";
import { ByteReader } from "../../../core/base/byte-reader.ts";
import { ByteWriter } from "../../../core/base/byte-writer.ts";
import { createRecordBuilder } from "../../../core/schema/builder.ts";
import type { RecordBatch, Sides } from "../../../core/schema/record.ts";
import type { SequenceDraft } from "../../../core/schema/sequence-draft.ts";
import { ColumnsSeen } from "./columns-seen.ts";

function makeBatch({ sides, ...draft }: Partial<SequenceDraft> & { readonly sides?: Sides }): RecordBatch {
  const builder = createRecordBuilder({
    provenance: { file: "a", format: "npz", trainer: "verl", alignment: "token" },
    sampling: {},
    ...(sides && { sides }),
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
const COLUMNS: readonly (readonly [string, Parameters<typeof makeBatch>[0]])[] = [
  ["policy_logprobs.rescore", { policyLogprobs: { rescore: Float32Array.of(-1, -2) } }],
  ["entropy.rollout", { entropies: { rollout: Float32Array.of(1, 2) } }],
  ["topk_logprobs", { topK: { rollout: top, trainer: top } }],
  ["response_token_ids", { responseTokenIds: Int32Array.of(5, 6) }],
  ["prompt_token_ids", { promptTokenIds: Int32Array.of(1) }],
  ["weight_versions", { weightVersions: Int32Array.of(3, 3) }],
  ["rollout_weights", { sides: { rollout: { weights: "a" }, trainer: { weights: "b" } } }],
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
  expect(new ColumnsSeen().untested()).toEqual([
    {
      test: "whether decoding, the engine's prefill or the trainer is wrong",
      column: "policy_logprobs.rescore",
      how: "score the finished texts with the rollout engine at the same weights: docs/doctor.md#three-columns",
    },
    {
      test: "whether the rollout log-probs describe the distribution that was sampled from (mean surprisal against mean entropy)",
      column: "entropy.rollout",
      how: "record the rollout engine's entropy of each token, or its top-k log-probs",
    },
    {
      test: "how both policies rank the alternatives, and how much mass top-k or top-p keeps",
      column: "topk_logprobs",
      how: "record the 5 most probable tokens of both sides",
    },
    {
      test: "which tokens differ, and whether later turns were tokenized again",
      column: "response_token_ids",
      how: "record the response's token ids",
    },
    {
      test: "whether both sides saw the same prompt",
      column: "prompt_token_ids",
      how: "record the prompt's token ids",
    },
    {
      test: "whether tokens from older weights differ more",
      column: "weight_versions",
      how: "record the weight version that sampled each token",
    },
    {
      test: "whether both sides had the same weights",
      column: "rollout_weights",
      how: "record a digest of each side's weights: docs/doctor.md#digests-of-weights",
    },
    {
      test: "when the mismatch began and whether it grows",
      column: "step",
      how: "record the training step of each sequence, or pass a directory with several steps",
    },
    {
      test: "whether one rank or engine differs from the others",
      column: "rank",
      how: "record the rank that computed each sequence",
    },
    {
      test: "whether one environment or data source differs from the others",
      column: "environment",
      how: "record the data source of each sequence",
    },
  ]);
});

it("takes one side for what it tells alone", () => {
  expect(names(makeBatch({ policyLogprobs: { reference: Float32Array.of(-1, -2) } }))).toContain(
    "policy_logprobs.rescore",
  );
  expect(names(makeBatch({ entropies: { trainer: Float32Array.of(1, 2) } }))).toContain("entropy.rollout");
  const rollout = names(makeBatch({ topK: { rollout: top } }));
  expect(rollout).toContain("topk_logprobs");
  expect(rollout).not.toContain("entropy.rollout");
  expect(names(makeBatch({ sides: { rollout: { weights: "a" }, trainer: {} } }))).toContain(
    "rollout_weights",
  );
  const trainer = names(makeBatch({ topK: { trainer: top } }));
  expect(trainer).toContain("topk_logprobs");
  expect(trainer).toContain("entropy.rollout");
});

it.each(COLUMNS)("remembers %s in a file, and what was seen before", (name, draft) => {
  const seen = new ColumnsSeen();
  seen.add(makeBatch(draft));
  const to = new ByteWriter();
  seen.encode(to);
  const from = new ByteReader(to.finish(), "columns");
  const back = new ColumnsSeen();
  back.add(makeBatch({ rank: 3 }));
  back.mergeFrom(from);
  from.end();
  const left = seen.untested().filter(({ column }) => column !== "rank");
  expect(back.untested()).toEqual(left);
  expect(left.map(({ column }) => column)).not.toContain(name);
});
