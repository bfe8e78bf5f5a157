/**
 * miles' `policy_loss_debug/rank_{r}_call_{n}.pt`: the inputs of one call of the policy loss, per sample and without
 * token ids (`miles/backends/training_utils/debug_dump.py`, commit 31f1ca96). Log-probs and masks are the rank's own:
 * with context parallelism a slice of the response, with each token once.
 *
 * @module
 */
import type { NumericArray } from "../../../core/base/index.ts";
import type { SequenceDraft } from "../../../core/schema/index.ts";
import { isList, isMap, readScalar, readVector } from "../../../input/adapters/shared/tree-values.ts";
import type { TreeMap } from "../../../input/io/index.ts";

export function findPolicyLoss(root: TreeMap): readonly TreeMap[] | undefined {
  const { samples } = root;
  if (!isList(samples) || samples.length === 0 || !samples.every(isMap)) return undefined;
  const isCall = samples.every((sample) => "train_log_probs" in sample && "old_log_probs" in sample);
  return isCall ? samples : undefined;
}

const read = (sample: TreeMap, name: string): Promise<NumericArray | undefined> => readVector(sample[name]);

function isSame(a: NumericArray | undefined, b: NumericArray | undefined): boolean {
  return a !== undefined && b !== undefined && a.length === b.length && a.every((value, i) => value === b[i]);
}

/** Facts about a call that are needed before its samples are read. */
export interface PolicyLossFacts {
  /** Old and rollout log-probs are the same everywhere: `--use-rollout-logprobs`. */
  readonly oldIsRollout: boolean;
  readonly hasRollout: boolean;
  /** Whether some samples are shorter than their responses. */
  readonly sliced: boolean;
  /** Digest of the lengths and numbers of this call: equal on tensor-parallel ranks. */
  readonly digest: string;
}

export async function examinePolicyLoss(
  root: TreeMap,
  samples: readonly TreeMap[],
): Promise<PolicyLossFacts> {
  let oldIsRollout = true;
  let sliced = false;
  const parts: unknown[] = [await readScalar(root.call)];
  for (const sample of samples) {
    const [old, rollout] = [await read(sample, "old_log_probs"), await read(sample, "rollout_log_probs")];
    oldIsRollout &&= isSame(old, rollout);
    sliced ||= old !== undefined && old.length < ((await readScalar(sample.response_length)) ?? 0);
    parts.push(await readScalar(sample.total_length), old?.length, old?.[0], old?.at(-1));
  }
  const hasRollout = samples.every((sample) => sample.rollout_log_probs !== undefined);
  return { oldIsRollout: hasRollout && oldIsRollout, hasRollout, sliced, digest: parts.join(" ") };
}

export async function toPolicyLossDraft(
  sample: TreeMap,
  row: number,
  { oldIsRollout }: PolicyLossFacts,
): Promise<SequenceDraft> {
  const [train, old] = [await read(sample, "train_log_probs"), await read(sample, "old_log_probs")];
  const trainer = oldIsRollout ? train : old;
  const length = trainer?.length ?? 0;
  return {
    length,
    responseMask: (await read(sample, "local_loss_mask")) ?? new Uint8Array(length).fill(1),
    rolloutLogprobs: await read(sample, "rollout_log_probs"),
    trainerLogprobs: trainer,
    policyLogprobs: oldIsRollout || train === undefined ? {} : { updated: train },
    advantages: await read(sample, "advantages"),
    row,
  };
}
