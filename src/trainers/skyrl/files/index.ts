/**
 * SkyRL's training batches: `trainer.dump_data_batch=true` writes `{export_path}/dumped_data/global_step_N_training_input.pkl`
 * (`dump_data` of `skyrl/train/trainer.py`, 0.4.0).
 *
 * @module
 */

import type { Adapter, AdapterContext, Match, Reading } from "../../../input/adapters/adapter.ts";
import { FIELD_LABELS, findFurther } from "../../../input/adapters/shared/fields.ts";
import {
  describeOnePolicy,
  type MissingPolicy,
  missingPolicy,
} from "../../../input/adapters/shared/missing-side.ts";
import { readPadded } from "../../../input/adapters/shared/padded-tree.ts";
import { asMatrix, describeValue, readScalar } from "../../../input/adapters/shared/tree-values.ts";
import type { TreeDocument } from "../../../input/io/index.ts";
import { type Batch, findBatch, listMasks, readResponses } from "./batch.ts";

const LABELS: Readonly<Record<string, string>> = {
  rollout_logprobs: FIELD_LABELS.rollout,
  action_log_probs: FIELD_LABELS.trainer,
  base_action_log_probs: FIELD_LABELS.reference,
  response_mask: "response mask",
  loss_mask: "loss mask",
  sequences: FIELD_LABELS.inputIds,
  attention_mask: FIELD_LABELS.attention,
  advantages: FIELD_LABELS.advantages,
};

function describeMissing(has: MissingPolicy["has"], file: string): MissingPolicy {
  const rollout = "ask the engine for log-probs: generator.sampling_params.logprobs=1";
  const trainer =
    "set trainer.algorithm.off_policy_correction.tis_ratio_type=token for one step, so that the policy's own pass is not skipped";
  return {
    what: "a SkyRL training batch",
    has,
    file,
    likely:
      has === "rollout"
        ? "the loss uses the rollout log-probs, and SkyRL then skips the policy's own pass"
        : "generator.sampling_params.logprobs is null, or the generator returns none",
    hint: has === "rollout" ? trainer : has === "trainer" ? rollout : `${rollout}; and ${trainer}`,
  };
}

function findSides({ columns }: Batch): "rollout" | "trainer" | "neither" | "both" {
  const rollout = asMatrix(columns.rollout_logprobs ?? undefined) !== undefined;
  const trainer = asMatrix(columns.action_log_probs ?? undefined) !== undefined;
  return rollout && trainer ? "both" : rollout ? "rollout" : trainer ? "trainer" : "neither";
}

async function* readBlocks(
  batch: Batch,
  document: TreeDocument,
  context: AdapterContext,
): ReturnType<typeof readPadded> {
  const { columns, padding } = await readResponses(batch, document);
  if (padding > 0) {
    context.findings.add({
      code: "note",
      severity: "info",
      subject: "rows that fill the batch up",
      count: padding,
      at: { file: document.file },
      describe: (count) =>
        `${count} padding ${count === 1 ? "row (pad_size) is not read: a copy" : "rows (pad_size) are not read: copies"} of a sequence with an empty loss mask`,
    });
  }
  yield* readPadded(columns, { file: document.file, blockTokens: context.blockTokens });
}

export const skyrl: Adapter = {
  name: "skyrl",
  async detect(document): Promise<Match | undefined> {
    if (document.kind !== "tree") return undefined;
    const batch = findBatch(document.root);
    if (batch === undefined) return undefined;
    const { columns } = batch;
    const names = Object.keys(LABELS);
    const has = (name: string): boolean => asMatrix(columns[name] ?? undefined) !== undefined;
    const sides = findSides(batch);
    const { file } = document;
    return {
      score: 0.96,
      found: [
        ...names.filter(has).map((name) => `${LABELS[name]}: ${name}, ${describeValue(columns[name])}`),
        ...findFurther(has).map(
          ([field, name]) => `${FIELD_LABELS[field]}: ${name}, ${describeValue(columns[name])}`,
        ),
      ],
      guessed: [
        "padding on the left, entry i about token i of the response",
        `response mask: ${listMasks(batch).join(" AND ")}`,
        ...("policy_prompt_boundaries" in batch.metadata
          ? ["groups: policy_prompt_boundaries, since SkyRL removes the uids before it writes"]
          : []),
      ],
      missing: names.filter((name) => !has(name)).map((name) => LABELS[name]!),
      step: await readScalar(batch.metadata.global_step),
      ...(sides === "neither" ? { problem: missingPolicy(describeMissing(sides, file)) } : {}),
      ...(sides === "rollout" || sides === "trainer"
        ? { onePolicy: describeOnePolicy({ ...describeMissing(sides, file), has: sides }) }
        : {}),
    };
  },
  async read(document, context): Promise<Reading> {
    const tree = document as TreeDocument;
    const batch = findBatch(tree.root)!;
    return {
      alignment: "token",
      masks: listMasks(batch),
      sampling: {},
      blocks: readBlocks(batch, tree, context),
    };
  },
};
