/**
 * Detection of a `policy_loss_debug` file.
 *
 * @module
 */
import { MissingSideError } from "../../../core/base/index.ts";
import type { Match } from "../../../input/adapters/adapter.ts";
import { describeValue, readScalar } from "../../../input/adapters/shared/tree-values.ts";
import type { TreeDocument, TreeMap } from "../../../input/io/index.ts";
import type { DumpPart } from "./parts.ts";
import { examinePolicyLoss } from "./policy-loss.ts";

export async function matchPolicyLoss(
  { root, file }: TreeDocument,
  samples: readonly TreeMap[],
): Promise<Match> {
  const facts = await examinePolicyLoss(root, samples);
  const { oldIsRollout, hasRollout, sliced, digest } = facts;
  const rank = await readScalar(root.rank);
  const part: DumpPart = {
    kind: "policy-loss",
    step: undefined,
    rank: rank ?? 0,
    cpRank: 0,
    cpSize: 1,
    indices: [],
    bothSides: hasRollout,
    digest,
  };
  const describe = (name: string): string => `${name}, per sample ${describeValue(samples[0]?.[name])}`;
  const error = new MissingSideError(
    "this miles policy_loss_debug file has no rollout_log_probs: the rollout side is missing",
    {
      at: { file },
      likely: "a custom generate function did not keep the engine's log-probs",
      hint: 'in the generate function send "return_logprob": True to SGLang and set sample.rollout_log_probs',
    },
  );
  return {
    score: 0.95,
    found: [
      `miles policy_loss_debug, call ${(await readScalar(root.call)) ?? "unknown"}: ${samples.length} samples`,
      ...(hasRollout ? [`rollout log-probs: ${describe("rollout_log_probs")}`] : []),
      `trainer log-probs: ${describe(oldIsRollout ? "train_log_probs" : "old_log_probs")}`,
      `response mask: ${describe("local_loss_mask")}`,
      ...(sliced ? ["each sample is this rank's context-parallel slice of the response"] : []),
    ],
    guessed: [
      "step: the file counts calls of the loss, not steps",
      ...(oldIsRollout
        ? [
            "old_log_probs repeats rollout_log_probs (--use-rollout-logprobs), so train_log_probs is used: after the first update of a step it comes from later weights",
          ]
        : []),
    ],
    missing: ["prompt and response token ids", "sample index", "reward"],
    rank,
    ...(hasRollout ? {} : { onePolicy: { has: "trainer", error } as const }),
    part,
  };
}
