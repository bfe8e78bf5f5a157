/**
 * ART (OpenPipe) trajectories with the engine's choices: `messages_and_choices`, whose choices have `logprobs.content`
 * with tokens spelled `token_id:ID` (`src/art/local/tokenize.py`, commit 779559f). Each choice is one sequence: the
 * messages between them are text. ART's own trajectory log drops the log-probs
 * (`src/art/utils/trajectory_logging.py`).
 *
 * @module
 */
import { MissingSideError, Unavailable } from "../../../core/base/index.ts";
import type { SequenceDraft } from "../../../core/schema/index.ts";
import type { Adapter } from "../../../input/adapters/adapter.ts";
import {
  findIn,
  listMaps,
  numberIn,
  readObjects,
  sampleObjects,
  textIn,
} from "../../../input/adapters/shared/objects.ts";
import { assembleSegments, type Segment } from "../../../input/adapters/shared/segments.ts";
import type { TreeMap } from "../../../input/io/index.ts";

/** A row is a group of trajectories, or one trajectory. */
function listTrajectories(object: TreeMap): readonly TreeMap[] {
  return object.messages_and_choices === undefined ? listMaps(object.trajectories) : [object];
}

function listTokens(choice: TreeMap): readonly TreeMap[] {
  const content = listMaps(findIn(choice, "logprobs", "content"));
  return content.length > 0 ? content : listMaps(findIn(choice, "logprobs", "refusal"));
}

/** -1 if the engine gave the token's text instead of its id. */
function readTokenId(token: TreeMap): number {
  const id = /^token_id:(\d+)$/.exec(textIn(token, "token") ?? "")?.[1];
  return id === undefined ? -1 : Number(id);
}

function toSegment(choice: TreeMap): Segment | undefined {
  const tokens = listTokens(choice);
  if (tokens.length === 0) return undefined;
  return {
    ids: Float64Array.from(tokens, readTokenId),
    logprobs: Float64Array.from(tokens, (token) => numberIn(token, "logprob") ?? Number.NaN),
  };
}

function readGroup(object: TreeMap): readonly SequenceDraft[] | Unavailable {
  const drafts: SequenceDraft[] = [];
  for (const trajectory of listTrajectories(object)) {
    for (const choice of listMaps(trajectory.messages_and_choices)) {
      const segment = toSegment(choice);
      if (segment === undefined) continue;
      const assembled = assembleSegments([segment]);
      if (assembled instanceof Unavailable) return assembled;
      drafts.push({
        ...assembled,
        responseTokenIds: segment.ids.every((id) => id >= 0) ? assembled.responseTokenIds : undefined,
        promptTokenIds: undefined,
        reward: numberIn(trajectory, "reward"),
        responseText: textIn(choice, "message", "content"),
      });
    }
  }
  return drafts.length > 0 ? drafts : new Unavailable("no choice with log-probs in this trajectory");
}

export const art: Adapter = {
  name: "art",
  async detect(document) {
    const objects = sampleObjects(document);
    const trajectories = objects.flatMap(listTrajectories);
    if (!trajectories.some(({ messages_and_choices }) => messages_and_choices !== undefined))
      return undefined;
    const present = trajectories.some((trajectory) =>
      listMaps(trajectory.messages_and_choices).some((choice) => listTokens(choice).length > 0),
    );
    const error = new MissingSideError(
      present
        ? "these are ART trajectories: they hold the rollout policy's log-probs, not the trainer's"
        : "these are ART trajectories: they hold neither policy's log-probs",
      {
        at: { file: document.file },
        likely: present
          ? "ART packs trajectories before its trainer computes log-probs"
          : "ART's trajectory log omits the log-probs of each choice",
        hint: present
          ? "in ART's training step write the packed batch with the trainer's log-probs next to logprobs, and name both: --rollout COLUMN --trainer COLUMN"
          : "write trajectory.model_dump_json() of each trajectory, one per line, before ART logs it: its choices hold logprobs",
      },
    );
    return {
      score: 0.9,
      found: [
        "ART trajectories: one sequence per choice",
        ...(present
          ? ["rollout log-probs: logprobs.content.logprob", "response token ids: logprobs.content.token"]
          : []),
      ],
      guessed: [],
      missing: ["trainer log-probs", "prompt token ids"],
      ...(present
        ? { onePolicy: { has: "rollout", what: "ART trajectories", error } as const }
        : { problem: error }),
    };
  },
  async read(document, { findings }) {
    return { alignment: "token", sampling: {}, blocks: readObjects(document, findings, readGroup) };
  },
};
