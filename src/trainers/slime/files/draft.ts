/**
 * Samples of a training dump as drafts of the record.
 *
 * @module
 */

import type { NumericArray } from "../../../core/base/index.ts";
import { dictionary, LengthMismatchError } from "../../../core/base/index.ts";
import type { SequenceDraft } from "../../../core/schema/index.ts";
import { plural } from "../../../core/text/index.ts";
import { FURTHER_COLUMNS, findFurther } from "../../../input/adapters/shared/fields.ts";
import { readScalar, readVector } from "../../../input/adapters/shared/tree-values.ts";
import { assembleSlices, type SliceLayout } from "./context-parallel.ts";
import type { Dump } from "./dump.ts";
import type { RawRewards } from "./rewards.ts";
import type { RolloutSample } from "./rollout-dump.ts";
import { spreadVersions } from "./weight-versions.ts";

/** What reading a sample needs besides its own file. */
export interface Surroundings {
  readonly file: string;
  readonly rewards: RawRewards | undefined;
  readonly samples: ReadonlyMap<number, RolloutSample> | undefined;
  /** Dumps of all context-parallel ranks in order, including this one; only this one when responses are not sliced. */
  readonly slices: readonly Dump[];
}

/**
 * Fields of which a context-parallel rank keeps only its slice (`_CP_SHARDED_FIELDS`,
 * `miles/dashboard/dump_reader.py`).
 */
const SLICED: ReadonlySet<string> = new Set([
  "log_probs",
  "rollout_log_probs",
  "ref_log_probs",
  "teacher_log_probs",
  "entropy",
  "advantages",
  ...FURTHER_COLUMNS.map(([, name]) => name),
]);

async function readArray(dump: Dump, i: number, name: string): Promise<NumericArray | undefined> {
  const value = dump.get(i, name);
  return value === undefined || value === null ? undefined : readVector(value);
}

async function readWhole(
  slices: readonly Dump[],
  i: number,
  name: string,
  layout: SliceLayout,
): Promise<NumericArray | undefined> {
  const arrays = await Promise.all(slices.map((dump) => readArray(dump, i, name)));
  const present = arrays.filter((array) => array !== undefined);
  const [first] = present;
  if (first === undefined || slices.length === 1 || !SLICED.has(name)) return first;
  if (present.length === slices.length) {
    const whole = assembleSlices(present, layout);
    if (whole !== undefined) return whole;
  }
  // Some fields are complete on each rank; any other length is later reported as different from the response's.
  return first;
}

async function readLayout(dump: Dump, i: number, response: number, cpSize: number): Promise<SliceLayout> {
  const total = (await readScalar(dump.get(i, "total_lengths"))) ?? response;
  const paddedTo =
    dump.root.qkv_format === "bshd" ? await readScalar(dump.get(i, "max_seq_lens")) : undefined;
  return { total, response, cpSize, paddedTo };
}

function isSameSample(a: NumericArray | undefined, b: NumericArray | undefined): boolean {
  return a?.length === b?.length && (a === undefined || a.every((id, i) => id === b?.[i]));
}

/** Only 1 says how the response ended: several endings have 0. */
async function readTruncated(dump: Dump, i: number): Promise<string | undefined> {
  return (await readScalar(dump.get(i, "truncated"))) === 1 ? "length" : undefined;
}

/** @throws LengthMismatchError when there are fewer tokens than the response needs */
export async function toDraft(dump: Dump, i: number, around: Surroundings): Promise<SequenceDraft> {
  const { file, slices, rewards, samples } = around;
  const length = await readScalar(dump.get(i, "response_lengths"));
  const responseLength = length ?? (await readArray(dump, i, "rollout_log_probs"))?.length ?? 0;
  const layout = await readLayout(dump, i, responseLength, slices.length);
  const read = (name: string): Promise<NumericArray | undefined> => readWhole(slices, i, name, layout);
  const tokens = await readArray(dump, i, "tokens");
  if (tokens !== undefined && tokens.length < responseLength) {
    throw new LengthMismatchError(
      `tokens has ${plural(tokens.length, "value")}, response_lengths says ${responseLength}`,
      { found: tokens.length, expected: responseLength, at: { file, row: i } },
    );
  }
  const promptLength = tokens === undefined ? 0 : tokens.length - responseLength;
  const policies = dictionary<NumericArray>();
  const reference = await read("ref_log_probs");
  const teacher = await read("teacher_log_probs");
  if (reference !== undefined) policies.reference = reference;
  if (teacher !== undefined) policies.teacher = teacher;
  for (const [field, name] of findFurther(dump.has)) {
    const values = await read(name);
    if (values !== undefined) policies[field] = values;
  }
  const entropy = await read("entropy");
  const sample =
    (await readScalar(dump.get(i, "sample_index"))) ?? (await readScalar(dump.get(i, "sample_indices")));
  const known = sample === undefined ? undefined : samples?.get(sample);
  // A sample with the same index but other tokens belongs to another rollout.
  const rollout = isSameSample(known?.tokens, tokens) ? known : undefined;
  const mask = (await readArray(dump, i, "loss_masks")) ?? new Uint8Array(responseLength).fill(1);
  const reward =
    rewards === undefined ? (rollout?.reward ?? (await readScalar(dump.get(i, "rewards")))) : rewards.get(i);
  return {
    length: responseLength,
    responseMask: mask,
    rolloutLogprobs: await read("rollout_log_probs"),
    trainerLogprobs: await read("log_probs"),
    responseTokenIds: tokens?.subarray(promptLength),
    promptTokenIds: tokens?.subarray(0, promptLength),
    policyLogprobs: policies,
    entropies: entropy && { trainer: entropy },
    advantages: await read("advantages"),
    weightVersions: spreadVersions(dump.get(i, "weight_versions") ?? rollout?.versions, mask),
    reward,
    correctness: reward === undefined || !rewards?.isBinary ? undefined : Number(reward === 1),
    rank: await readScalar(dump.get(i, "data_parallel_rank")),
    row: i,
    sampleId: sample === undefined ? undefined : String(sample),
    groupId: rollout?.group,
    environment: rollout?.environment,
    finishReason: rollout?.finishReason ?? (await readTruncated(dump, i)),
    cachedTokens: rollout?.cachedTokens,
    promptText: rollout?.prompt,
    responseText: rollout?.response,
  };
}

/** The draft of a sample of a rollout dump, which has only the engine's side. */
export async function toRolloutDraft(dump: Dump, i: number, sample: RolloutSample): Promise<SequenceDraft> {
  const length = (await readScalar(dump.get(i, "response_length"))) ?? 0;
  const tokens = await readArray(dump, i, "tokens");
  const mask = (await readArray(dump, i, "loss_mask")) ?? new Uint8Array(length).fill(1);
  const index = await readScalar(dump.get(i, "index"));
  const split = tokens === undefined ? 0 : Math.max(0, tokens.length - length);
  const policies = dictionary<NumericArray>();
  for (const [field, name] of findFurther(dump.has)) {
    const values = await readArray(dump, i, name);
    if (values !== undefined) policies[field] = values;
  }
  return {
    length,
    responseMask: mask,
    rolloutLogprobs: await readArray(dump, i, "rollout_log_probs"),
    policyLogprobs: policies,
    responseTokenIds: tokens?.subarray(split),
    promptTokenIds: tokens?.subarray(0, split),
    weightVersions: spreadVersions(sample.versions, mask),
    reward: sample.reward,
    row: i,
    sampleId: index === undefined ? undefined : String(index),
    groupId: sample.group,
    environment: sample.environment,
    finishReason: sample.finishReason,
    cachedTokens: sample.cachedTokens,
    promptText: sample.prompt,
    responseText: sample.response,
  };
}
