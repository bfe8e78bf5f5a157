/**
 * verifiers traces (`traces.jsonl`), which prime-rl writes by default as `rollouts/step_N/KIND/SUBSET/traces.jsonl`:
 * one episode per line, with traces that are graphs of messages. Each node holds the tokens that it adds; each path
 * from a root to a leaf is a sequence. Where paths share nodes (after a compaction of the context, with sub-agents),
 * the sampled tokens of the shared part count in the first path.
 *
 * Layout: `MessageNode` of `verifiers/v1/graph.py`, `Trace` and `Episode` (verifiers commit a60a606e), written by
 * `src/prime_rl/monitors/file.py` and counted as `iter_trainable_branches` of
 * `src/prime_rl/orchestrator/trajectories.py` counts them (prime-rl commit 559b4477).
 *
 * @module
 */
import { MissingSideError, type NumericArray, Unavailable } from "../../../core/base/index.ts";
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
import { assembleSegments, type Segment } from "../../../input/adapters/shared/segments.ts";
import type { TreeMap } from "../../../input/io/index.ts";

const NO_NUMBERS = new Float64Array(0);

/** An episode has traces; `Trace.to_record` writes a single trace. */
function listTraces(object: TreeMap): readonly TreeMap[] {
  return object.nodes === undefined ? listMaps(object.traces) : [object];
}

/** Limit on the total length of all paths: more than a conversation needs, less than would stall the process. */
const MOST_PLACES = 10_000_000;

/**
 * Paths from a root to each leaf, as indices into `nodes`, in the order of the leaves; undefined when their total
 * length exceeds {@link MOST_PLACES}.
 */
function listPaths(nodes: readonly TreeMap[]): readonly (readonly number[])[] | undefined {
  const parents = nodes.map((node) => numberIn(node, "parent"));
  const inner = new Set(parents);
  const paths: number[][] = [];
  let places = 0;
  for (const leaf of nodes.keys()) {
    if (inner.has(leaf)) continue;
    const path: number[] = [];
    // A parent precedes its children; anything else could be a cycle.
    for (let at: number | undefined = leaf; at !== undefined && at >= 0; ) {
      path.push(at);
      const parent: number | undefined = parents[at];
      at = parent !== undefined && parent < at ? parent : undefined;
      if (++places > MOST_PLACES) return undefined;
    }
    paths.push(path.reverse());
  }
  return paths;
}

function toSegment(node: TreeMap, version: number | undefined, counted: boolean): Segment {
  const ids = listNumbers(node.token_ids) ?? NO_NUMBERS;
  return {
    ids,
    mask: listNumbers(node.mask) ?? new Uint8Array(ids.length),
    logprobs: listNumbers(node.logprobs),
    advantages: listNumbers(node.advantages),
    version,
    counted,
  };
}

/** A reward's `value` is score × weight; the trace's reward is the sum of these. */
function sumRewards(trace: TreeMap): number | undefined {
  const { rewards } = trace;
  if (typeof rewards !== "object" || rewards === null) return undefined;
  const values = Object.values(rewards).flatMap((reward) => {
    const score = numberIn(reward, "score");
    return score === undefined ? [] : [score * (numberIn(reward, "weight") ?? 1)];
  });
  return values.length === 0 ? undefined : values.reduce((a, b) => a + b, 0);
}

/** The version that sampled the episode, if there was only one. */
function findVersion(episode: TreeMap): number | undefined {
  const policy = findIn(episode, "run", "work", "policy");
  const start = numberIn(policy, "start");
  return start === numberIn(policy, "end") ? start : undefined;
}

function hasSampled(mask: NumericArray): boolean {
  return mask.some((bit) => bit !== 0);
}

function readEpisode(episode: TreeMap): readonly SequenceDraft[] | Unavailable {
  const drafts: SequenceDraft[] = [];
  const version = findVersion(episode);
  for (const trace of listTraces(episode)) {
    const nodes = listMaps(trace.nodes);
    const counted = new Set<number>();
    const paths = listPaths(nodes);
    if (paths === undefined)
      return new Unavailable(`the paths of ${nodes.length} nodes are too long in total`);
    for (const [branch, path] of paths.entries()) {
      const assembled = assembleSegments(
        path.map((place) => toSegment(nodes[place]!, version, counted.has(place))),
      );
      if (assembled instanceof Unavailable) return assembled;
      for (const place of path) counted.add(place);
      if (!hasSampled(assembled.responseMask)) continue;
      const id = textIn(trace, "id");
      drafts.push({
        ...assembled,
        reward: sumRewards(trace),
        step: numberIn(episode, "run", "work", "step"),
        groupId: textIn(episode, "group", "id"),
        sampleId: id === undefined || branch === 0 ? id : `${id}.${branch}`,
        environment: textIn(episode, "env", "name") ?? textIn(episode, "env", "id"),
      });
    }
  }
  return drafts.length > 0 ? drafts : new Unavailable("no sampled tokens in this episode");
}

function hasLogprobs(object: TreeMap): boolean {
  return listTraces(object).some((trace) =>
    listMaps(trace.nodes).some((node) => (listNumbers(node.logprobs)?.length ?? 0) > 0),
  );
}

export const verifiers: Adapter = {
  name: "verifiers",
  async detect(document) {
    const objects = sampleObjects(document);
    const isTrace = (object: TreeMap): boolean =>
      listTraces(object).some((trace) => listMaps(trace.nodes).some((node) => "message" in node));
    if (!objects.some(isTrace)) return undefined;
    const present = objects.some(hasLogprobs);
    const error = new MissingSideError(
      present
        ? "these are verifiers traces: they hold the rollout policy's log-probs, not the trainer's"
        : "these are verifiers traces: they hold neither token ids nor log-probs",
      {
        at: { file: document.file },
        likely: present
          ? "prime-rl's orchestrator writes them before the trainer sees the tokens"
          : "they were written by an evaluation, whose client does not ask for tokens",
        hint: "set trainer.enable_token_export=true in prime-rl and read token_exports/, which has both policies",
      },
    );
    return {
      score: 0.9,
      found: [
        "verifiers episodes: traces of message nodes, one sequence per path from root to leaf",
        ...(present
          ? [
              "rollout log-probs: nodes.logprobs, of the sampled tokens",
              "response mask: nodes.mask",
              "prompt and response token ids: nodes.token_ids",
            ]
          : []),
      ],
      guessed: present ? ["tokens shared by several paths count only in the first"] : [],
      missing: ["trainer log-probs"],
      ...(present
        ? { onePolicy: { has: "rollout", what: "verifiers traces", error } as const }
        : { problem: error }),
    };
  },
  async read(document, { findings }) {
    return { alignment: "token", sampling: {}, blocks: readObjects(document, findings, readEpisode) };
  },
};
