/**
 * xtuner's `debug_rollout_{step}.pt` (`debug_rollout=True` with `debug_rollout_dir`): `torch.save` of groups of
 * `RolloutState` objects, `_save_debug_rollout_batch` of `xtuner/v1/train/rl_trainer.py` and
 * `xtuner/v1/data_proto/rl_data.py`, commit b934f462. That mode does not train, so there is only the rollout side.
 *
 * @module
 */
import { MissingSideError } from "../../../core/base/index.ts";
import type { SequenceDraft } from "../../../core/schema/index.ts";
import type { Adapter, AdapterContext } from "../../../input/adapters/adapter.ts";
import { hookLines } from "../../../input/adapters/shared/hook-lines.ts";
import { findIn, listNumbers, numberIn, textIn } from "../../../input/adapters/shared/objects.ts";
import { describeValue, isList, isMap, isPickled } from "../../../input/adapters/shared/tree-values.ts";
import type { SourceDocument, TreeDocument, TreeMap, TreeValue } from "../../../input/io/index.ts";

const STATE = /^xtuner\..*\.RolloutState$/;

/** The fields of a pickled pydantic object. */
function findFields(value: TreeValue): TreeMap | undefined {
  if (!isPickled(value) || !STATE.test(value.className)) return undefined;
  const fields = findIn(value.state, "__dict__");
  return isMap(fields) ? fields : undefined;
}

/** How many groups to search for the first sample; a group whose rollouts all failed is empty. */
const PROBED = 100;

/** Samples with the number of their group, which replaces a null `group_id`. */
function listStates(document: SourceDocument): { fields: TreeMap; group: number }[] {
  if (document.kind !== "tree" || !isList(document.root.value)) return [];
  const groups = document.root.value;
  // Lists of anything else are not searched: a list that contains itself many times would never end.
  const probe = groups.slice(0, PROBED).find((members) => !isList(members) || members.length > 0);
  const first = isList(probe) ? probe[0] : probe;
  if (first === undefined || findFields(first) === undefined) return [];
  return groups.flatMap((members, group) =>
    (isList(members) ? members : [members]).flatMap((member) => {
      const fields = findFields(member);
      return fields === undefined ? [] : [{ fields, group }];
    }),
  );
}

function toDraft(fields: TreeMap, group: number, row: number): SequenceDraft | undefined {
  const ids = listNumbers(fields.response_ids);
  const logprobs = listNumbers(fields.logprobs);
  if (ids === undefined || logprobs === undefined) return undefined;
  return {
    length: ids.length,
    responseMask: listNumbers(fields.response_mask) ?? new Uint8Array(ids.length).fill(1),
    rolloutLogprobs: logprobs,
    responseTokenIds: ids,
    promptTokenIds: listNumbers(fields.prompt_ids),
    weightVersions: listNumbers(fields.response_model_steps),
    reward: numberIn(fields, "reward", "score"),
    row,
    groupId: textIn(fields, "group_id") ?? String(group),
    sampleId: textIn(fields, "rollout_id"),
    environment: textIn(fields, "task_name") ?? textIn(fields, "data_source"),
    finishReason: textIn(fields, "finish_reason"),
    responseText: textIn(fields, "response"),
  };
}

async function* readStates(
  document: TreeDocument,
  { findings }: AdapterContext,
): AsyncGenerator<readonly SequenceDraft[]> {
  const drafts: SequenceDraft[] = [];
  for (const [row, { fields, group }] of listStates(document).entries()) {
    const draft = toDraft(fields, group, row);
    if (draft !== undefined) drafts.push(draft);
    else
      findings.add({
        code: "bad-row",
        severity: "skipped",
        subject: document.file,
        count: 1,
        omits: { unit: "sequence", why: "unreadable" },
        at: { file: document.file, row },
        describe: (count) =>
          `${count} ${count === 1 ? "sample" : "samples"} without response_ids and logprobs: the rollout failed or was aborted`,
      });
  }
  yield drafts;
}

export const xtunerDebug: Adapter = {
  name: "xtuner-debug",
  async detect(document) {
    const states = listStates(document);
    const first = states.find(({ fields }) => fields.logprobs !== null)?.fields ?? states[0]?.fields;
    if (first === undefined) return undefined;
    const present = listNumbers(first.logprobs) !== undefined;
    const error = new MissingSideError(
      present
        ? "this is xtuner's debug rollout: it holds the rollout policy's log-probs, not the trainer's"
        : "this is xtuner's debug rollout: it holds neither policy's log-probs",
      {
        at: { file: document.file },
        likely: "debug_rollout=True stops before training",
        hint: [
          "train on it with debug_train=True and the same debug_rollout_dir, and make xtuner write both:",
          ...hookLines("xtuner"),
        ],
      },
    );
    return {
      score: 0.95,
      found: [
        `xtuner debug rollout: ${states.length} samples`,
        ...["logprobs", "response_ids", "prompt_ids", "response_mask", "response_model_steps"]
          .filter((name) => first[name] !== undefined && first[name] !== null)
          .map((name) => `${name}, per sample ${describeValue(first[name])}`),
      ],
      guessed: first.response_mask === null ? ["response mask: null, so every token counts as sampled"] : [],
      missing: ["trainer log-probs"],
      ...(present
        ? { onePolicy: { has: "rollout", what: "xtuner debug rollout", error } as const }
        : { problem: error }),
    };
  },
  async read(document, context) {
    return {
      trainer: "xtuner",
      alignment: "token",
      sampling: {},
      blocks: readStates(document as TreeDocument, context),
    };
  },
};
