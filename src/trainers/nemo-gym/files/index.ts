/**
 * NeMo-Gym rollouts: agent results whose `response.output` items carry `prompt_token_ids`, `generation_token_ids` and
 * `generation_log_probs` (`nemo_gym/openai_utils.py`), and token-capture records, one model call each (`TokenEntry` of
 * `nemo_gym/token_id_capture/records.py`); commit 07d6b0d0. Calls whose prompts continue each other form one sequence;
 * a compaction of the context begins a new one.
 *
 * @module
 */
import { MissingSideError, Unavailable } from "../../../core/base/index.ts";
import type { SequenceDraft } from "../../../core/schema/index.ts";
import type { Adapter } from "../../../input/adapters/adapter.ts";
import {
  findIn,
  listMaps,
  listNumbers,
  numberIn,
  readObjects,
  sampleObjects,
  textIn,
} from "../../../input/adapters/shared/objects.ts";
import { assembleSegments, type Call, chainCalls } from "../../../input/adapters/shared/segments.ts";
import type { TreeMap } from "../../../input/io/index.ts";

function toCall(item: TreeMap): Call | undefined {
  const prompt = listNumbers(item.prompt_token_ids);
  const sampled = listNumbers(item.generation_token_ids);
  if (prompt === undefined || sampled === undefined || sampled.length === 0) return undefined;
  return { prompt, sampled, logprobs: listNumbers(item.generation_log_probs) };
}

/** Output items of an agent's result; a capture record is its own item. */
function listItems(object: TreeMap): readonly TreeMap[] {
  if (object.generation_token_ids !== undefined) return [object];
  return listMaps(findIn(object, "response", "output"));
}

function listCalls(object: TreeMap): readonly Call[] {
  return listItems(object).flatMap((item) => toCall(item) ?? []);
}

function readResult(object: TreeMap): readonly SequenceDraft[] | Unavailable {
  const calls = listCalls(object);
  if (calls.length === 0) return new Unavailable("no generation_token_ids in this row");
  const id = textIn(object, "rollout_id") ?? textIn(object, "response", "id");
  const drafts: SequenceDraft[] = [];
  for (const [place, segments] of chainCalls(calls).entries()) {
    const assembled = assembleSegments(segments);
    if (assembled instanceof Unavailable) return assembled;
    drafts.push({
      ...assembled,
      reward: numberIn(object, "reward"),
      groupId: textIn(object, "_ng_task_index") ?? textIn(object, "task_index"),
      sampleId: id === undefined || place === 0 ? id : `${id}.${place}`,
      environment: textIn(object, "agent_ref", "name"),
    });
  }
  return drafts;
}

export const nemoGym: Adapter = {
  name: "nemo-gym",
  async detect(document) {
    const objects = sampleObjects(document);
    const isResult = (object: TreeMap): boolean =>
      "responses_create_params" in object || listItems(object).some((item) => "generation_token_ids" in item);
    if (!objects.some(isResult)) return undefined;
    const present = objects.some((object) => listCalls(object).length > 0);
    const error = new MissingSideError(
      present
        ? "these are NeMo-Gym rollouts: they hold the rollout policy's log-probs, not the trainer's"
        : "these are NeMo-Gym rollouts: they hold neither token ids nor log-probs",
      {
        at: { file: document.file },
        likely: present
          ? "the Gym collects rollouts; the trainer computes its log-probs later"
          : "they were collected for evaluation: the model server returns token ids only in training",
        hint: present
          ? "read NeMo-RL's train_data_step*.jsonl, which has both: it is written unless env.should_log_nemo_gym_responses is true"
          : "set return_token_id_information: true of the vllm_model server, or read NeMo-RL's train_data_step*.jsonl",
      },
    );
    return {
      score: 0.9,
      found: [
        "NeMo-Gym model calls, joined where a prompt continues the previous call",
        ...(present
          ? [
              "rollout log-probs: generation_log_probs",
              "response token ids: generation_token_ids",
              "prompt token ids: prompt_token_ids",
            ]
          : []),
      ],
      guessed: present ? ["tokens between two calls come from the environment and were not sampled"] : [],
      missing: ["trainer log-probs"],
      ...(present
        ? { onePolicy: { has: "rollout", what: "NeMo-Gym rollouts", error } as const }
        : { problem: error }),
    };
  },
  async read(document, { findings }) {
    return { alignment: "token", sampling: {}, blocks: readObjects(document, findings, readResult) };
  },
};
