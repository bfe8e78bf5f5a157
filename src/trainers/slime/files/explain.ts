/**
 * What a dump holds and lacks, for `--explain` and for the errors about a missing policy.
 *
 * @module
 */
import { MissingSideError } from "../../../core/base/index.ts";
import type { Match } from "../../../input/adapters/adapter.ts";
import { FIELD_LABELS, findFurther } from "../../../input/adapters/shared/fields.ts";
import type { TreeValue } from "../../../input/io/index.ts";
import type { Dump } from "./dump.ts";

const LABELS: ReadonlyMap<string, string> = new Map([
  ["rollout_log_probs", "rollout log-probs"],
  ["log_probs", "trainer log-probs"],
  ["ref_log_probs", "reference log-probs"],
  ["teacher_log_probs", "teacher log-probs"],
  ["tokens", "prompt and response token ids"],
  ["loss_masks", "response mask"],
  ["advantages", "advantages"],
  ["entropy", "trainer entropy"],
  ["rewards", "reward of the loss"],
  ["weight_versions", "weight version of each generation call"],
]);
/** Rollout dumps use singular names. */
const ROLLOUT_LABELS: ReadonlyMap<string, string> = new Map([
  ["rollout_log_probs", "rollout log-probs"],
  ["tokens", "prompt and response token ids"],
  ["loss_mask", "response mask"],
  ["reward", "reward"],
  ["group_index", "group"],
  ["weight_versions", "weight version of each generation call"],
]);

/** The labels, including those of further log-probs if there are any. */
function withFurther(labels: ReadonlyMap<string, string>, dump: Dump): ReadonlyMap<string, string> {
  return new Map([
    ...labels,
    ...findFurther(dump.has).map(([field, name]) => [name, FIELD_LABELS[field]] as const),
  ]);
}

const KINDS = {
  "train-v2": "version 2",
  "train-v1": "version 1 (one rank)",
  rollout: "rollout dump",
} as const;

/** miles writes slime's keys too; these two are only in miles. */
export function nameTrainer({ root }: Dump): string {
  return root.qkv_format !== undefined || root.cp_size !== undefined ? "miles" : "slime";
}

export function describeDump(
  dump: Dump,
  describe: (value: TreeValue | undefined) => string,
): Pick<Match, "found" | "guessed" | "missing"> {
  const labels = withFurther(dump.kind === "rollout" ? ROLLOUT_LABELS : LABELS, dump);
  const mask = dump.kind === "rollout" ? "loss_mask" : "loss_masks";
  const raw = dump.whole("raw_reward");
  return {
    found: [
      `${nameTrainer(dump)} ${KINDS[dump.kind]}: ${dump.samples} samples`,
      ...[...labels]
        .filter(([name]) => dump.has(name))
        .map(([name, label]) => `${label}: ${name}, per sample ${describe(dump.get(0, name))}`),
      ...(raw === undefined ? [] : [`reward: raw_reward of the whole rollout batch, ${describe(raw)}`]),
    ],
    guessed: dump.has(mask) ? [] : [`response mask: no ${mask}, so every token counts as sampled`],
    missing: [...labels].filter(([name]) => !dump.has(name)).map(([, label]) => label),
  };
}

const TRAIN_SWITCH =
  "read the training dump instead: --save-debug-train-data PATH, or train_data/ next to rollout_data/ with --dump-details DIR";

/** The policies present, and what to switch on for the missing one. */
export function findSides(
  dump: Dump,
  file: string,
  isEvaluation: boolean,
): Pick<Match, "problem" | "onePolicy"> {
  const at = { file };
  if (dump.kind === "rollout") {
    const what = isEvaluation ? "an evaluation dump" : "a slime rollout dump";
    const error = new MissingSideError(
      `this is ${what}: it does not hold ${isEvaluation ? "trainer" : "the trainer's"} log-probs`,
      {
        at,
        likely: isEvaluation
          ? "the trainer never computes log-probs of evaluation samples"
          : "it was written by --save-debug-rollout-data, or is rollout_data/ of --dump-details",
        hint: TRAIN_SWITCH,
      },
    );
    return dump.has("rollout_log_probs")
      ? { onePolicy: { has: "rollout", what: what.replace(/^an? /, ""), error } }
      : { problem: error };
  }
  const missing = ["rollout_log_probs", "log_probs"].filter((name) => !dump.has(name));
  if (missing.length === 0) return {};
  const side = missing[0] === "log_probs" ? "trainer" : "rollout";
  const trainer = nameTrainer(dump);
  const error = new MissingSideError(
    `this ${trainer} dump has no ${missing.join(" and no ")}: the ${side} side is missing`,
    {
      at,
      likely:
        side === "trainer"
          ? "--use-rollout-logprobs makes older versions skip the trainer's own forward pass"
          : "a custom generate function did not keep the engine's log-probs",
      hint:
        side === "trainer"
          ? "drop --use-rollout-logprobs for one step with --save-debug-train-data PATH"
          : 'in the generate function send "return_logprob": True to SGLang and set sample.rollout_log_probs',
    },
  );
  if (missing.length === 2) return { problem: error };
  return {
    onePolicy: { has: side === "trainer" ? "rollout" : "trainer", what: `${trainer} training dump`, error },
  };
}
