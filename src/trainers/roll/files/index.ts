/**
 * ROLL's rollout dumps: `rollout_mock` with `mode: dump` writes `{dump_dir}/train/step_000000.pkl`, a pickled
 * DataProto with the engine's log-probs (`roll/distributed/scheduler/rollout_mock_mixin.py`, line 134, commit
 * 8eb27cc2); the same batch after the trainer's forward pass has those of both policies.
 *
 * @module
 */
import type { SequenceDraft } from "../../../core/schema/index.ts";
import type { Adapter, AdapterContext, Match, Reading } from "../../../input/adapters/adapter.ts";
import { findDataProto } from "../../../input/adapters/shared/data-proto.ts";
import { FIELD_LABELS, findFurther } from "../../../input/adapters/shared/fields.ts";
import {
  describeOnePolicy,
  type MissingPolicy,
  missingPolicy,
} from "../../../input/adapters/shared/missing-side.ts";
import { readPadded } from "../../../input/adapters/shared/padded-tree.ts";
import { asMatrix, describeValue, readScalar } from "../../../input/adapters/shared/tree-values.ts";
import type { TreeDocument, TreeMap } from "../../../input/io/index.ts";
import { cutResponses, hasLogprobs, isBatch } from "./batch.ts";

const LABELS: Readonly<Record<string, string>> = {
  infer_logprobs: FIELD_LABELS.rollout,
  old_log_probs: FIELD_LABELS.trainer,
  ref_log_probs: FIELD_LABELS.reference,
  response_mask: FIELD_LABELS.mask,
  input_ids: FIELD_LABELS.inputIds,
  advantages: FIELD_LABELS.advantages,
};

const ENGINE = "generating_args.logprobs: 1 makes the engine return log-probs";
const TRAINER = `# config: enable_old_logprobs_recompute: true
# roll/pipeline/rlvr/rlvr_pipeline.py (agentic: agentic_pipeline.py), after batch.batch["old_log_probs"] = old_log_probs.batch["log_probs"]:
import os, torch
os.makedirs("logratio", exist_ok=True)
keys = ["input_ids", "attention_mask", "response_mask", "infer_logprobs", "old_log_probs", "ref_log_probs",
        "prompt_id", "scores", "response_level_rewards"]
torch.save({k: v.detach().cpu().clone() for k in keys if (v := batch.batch.get(k)) is not None},
           f"logratio/step_{global_step:06d}.pt")`;

function describeMissing(has: MissingPolicy["has"], file: string): MissingPolicy {
  return {
    what: "a ROLL rollout dump",
    has,
    file,
    likely:
      has === "trainer"
        ? "the engine was not asked for log-probs"
        : "the dump is written before the trainer's own forward pass",
    hint:
      has === "trainer"
        ? ENGINE
        : [`${has === "neither" ? `${ENGINE}; and ` : ""}have ROLL write both:`, ...TRAINER.split("\n")],
  };
}

async function* readBlocks(
  columns: TreeMap,
  file: string,
  context: AdapterContext,
): AsyncGenerator<readonly SequenceDraft[]> {
  const found = await cutResponses(columns, file);
  yield* readPadded(found, { file, blockTokens: context.blockTokens });
}

/** Whether entry i of the column is about token i + 1. */
function isShifted(columns: TreeMap, name: string): boolean {
  const width = asMatrix(columns[name] ?? undefined)?.width;
  const total = asMatrix(columns.input_ids ?? undefined)?.width;
  return width !== undefined && total !== undefined && width === total - 1;
}

export const roll: Adapter = {
  name: "roll",
  async detect(document): Promise<Match | undefined> {
    if (document.kind !== "tree") return undefined;
    const { columns, className } = findDataProto(document.root);
    const isRoll = className?.startsWith("roll.") === true;
    if (!isBatch(columns) && !isRoll) return undefined;
    const names = Object.keys(LABELS);
    const has = (name: string): boolean => asMatrix(columns[name] ?? undefined) !== undefined;
    const rollout = hasLogprobs(columns, "infer_logprobs");
    const trainer = hasLogprobs(columns, "old_log_probs");
    const { file } = document;
    const side = rollout ? "rollout" : "trainer";
    return {
      score: isRoll ? 0.97 : rollout ? 0.93 : 0.4,
      found: [
        ...(className === undefined ? [] : [`a pickled ${className}`]),
        ...names.filter(has).map((name) => `${LABELS[name]}: ${name}, ${describeValue(columns[name])}`),
        ...findFurther(has).map(
          ([field, name]) => `${FIELD_LABELS[field]}: ${name}, ${describeValue(columns[name])}`,
        ),
      ],
      guessed: ["infer_logprobs", "old_log_probs"]
        .filter(has)
        .map((name) =>
          isShifted(columns, name)
            ? `${name}: entry i is about token i + 1, since it is one shorter than input_ids`
            : `${name}: entry i is about token i, since it is as long as input_ids`,
        ),
      missing: names.filter((name) => !has(name)).map((name) => LABELS[name]!),
      step: await readScalar(columns.global_step),
      ...(rollout || trainer ? {} : { problem: missingPolicy(describeMissing("neither", file)) }),
      ...(rollout === trainer
        ? {}
        : { onePolicy: describeOnePolicy({ ...describeMissing(side, file), has: side }) }),
    };
  },
  async read(document, context): Promise<Reading> {
    const tree = document as TreeDocument;
    const { columns } = findDataProto(tree.root);
    const shifted = ["infer_logprobs", "old_log_probs"].some((name) => isShifted(columns, name));
    return {
      alignment: shifted ? "next-token" : "token",
      masks: ["response_mask", "final_response_mask"].filter((name) => asMatrix(columns[name]) !== undefined),
      sampling: {},
      blocks: readBlocks(columns, tree.file, context),
    };
  },
};
