/**
 * rLLM trajectories and episodes as `to_dict()` gives them (`rllm/types.py`, commit 9beb6e0f): steps with `prompt_ids`,
 * `response_ids` and the engine's `logprobs`. What `EpisodeLogger` writes (`rllm/utils/episode_logger.py`) is text.
 *
 * @module
 */
import { MissingSideError, Unavailable } from "../../../core/base/index.ts";
import type { SequenceDraft } from "../../../core/schema/index.ts";
import type { Adapter } from "../../../input/adapters/adapter.ts";
import {
  listMaps,
  listNumbers,
  numberIn,
  readObjects,
  sampleObjects,
  textIn,
} from "../../../input/adapters/shared/objects.ts";
import { assembleSegments, type Call, chainCalls } from "../../../input/adapters/shared/segments.ts";
import type { TreeMap } from "../../../input/io/index.ts";

function listTrajectories(object: TreeMap): readonly TreeMap[] {
  return object.steps === undefined ? listMaps(object.trajectories) : [object];
}

function toCall(step: TreeMap): Call | undefined {
  const prompt = listNumbers(step.prompt_ids);
  const sampled = listNumbers(step.response_ids);
  if (prompt === undefined || sampled === undefined || sampled.length === 0) return undefined;
  return {
    prompt,
    sampled,
    logprobs: listNumbers(step.logprobs),
    version: numberIn(step, "weight_version"),
  };
}

function listCalls(trajectory: TreeMap): readonly Call[] {
  return listMaps(trajectory.steps).flatMap((step) => toCall(step) ?? []);
}

function readEpisode(object: TreeMap): readonly SequenceDraft[] | Unavailable {
  const drafts: SequenceDraft[] = [];
  const episode = textIn(object, "id") ?? textIn(object, "episode_id");
  for (const trajectory of listTrajectories(object)) {
    const id = textIn(trajectory, "uid");
    for (const [place, segments] of chainCalls(listCalls(trajectory)).entries()) {
      const assembled = assembleSegments(segments);
      if (assembled instanceof Unavailable) return assembled;
      drafts.push({
        ...assembled,
        reward: numberIn(trajectory, "reward"),
        correctness: numberIn(object, "is_correct"),
        step: numberIn(object, "training_step"),
        // An episode's id is TASK:ROLLOUT.
        groupId: episode?.split(":")[0],
        sampleId: id === undefined || place === 0 ? id : `${id}.${place}`,
        environment: textIn(trajectory, "name"),
      });
    }
  }
  return drafts.length > 0 ? drafts : new Unavailable("no step with response_ids in this row");
}

const STEP_KEYS = ["chat_completions", "model_response", "response_ids"];

export const rllm: Adapter = {
  name: "rllm",
  async detect(document) {
    const objects = sampleObjects(document);
    const steps = objects.flatMap((object) =>
      listTrajectories(object).flatMap((trajectory) => listMaps(trajectory.steps)),
    );
    if (!steps.some((step) => STEP_KEYS.filter((name) => name in step).length >= 2)) return undefined;
    const present = steps.some((step) => (listNumbers(step.logprobs)?.length ?? 0) > 0);
    const error = new MissingSideError(
      present
        ? "these are rLLM trajectories: they hold the rollout policy's log-probs, not the trainer's"
        : "this is rLLM's episode log: it holds only text, neither policy's log-probs",
      {
        at: { file: document.file },
        likely: present
          ? "rLLM collects steps before the trainer computes its log-probs"
          : "EpisodeLogger omits token ids and log-probs",
        hint: present
          ? "with rLLM's verl backend read the batch that verl trains on: logratio prints the lines for a verl rollout file"
          : "write the episodes themselves: json.dumps(episode.to_dict(), default=str), one per line; they hold prompt_ids, response_ids and logprobs",
      },
    );
    return {
      score: 0.9,
      found: [
        "rLLM steps, joined where a prompt continues the previous step",
        ...(present
          ? [
              "rollout log-probs: steps.logprobs",
              "response token ids: steps.response_ids",
              "prompt token ids: steps.prompt_ids",
            ]
          : []),
      ],
      guessed: present ? ["tokens between two steps come from the environment and were not sampled"] : [],
      missing: ["trainer log-probs"],
      step: objects.length === 1 ? numberIn(objects[0], "training_step") : undefined,
      ...(present
        ? { onePolicy: { has: "rollout", what: "rLLM trajectories", error } as const }
        : { problem: error }),
    };
  },
  async read(document, { findings }) {
    return { alignment: "token", sampling: {}, blocks: readObjects(document, findings, readEpisode) };
  },
};
