/**
 * One trace as sequences: a path of its message graph each.
 *
 * @module
 */
import { type NumericArray, Unavailable } from "../../../core/base/index.ts";
import type { SequenceDraft } from "../../../core/schema/index.ts";
import { findIn, listMaps, listNumbers, numberIn, textIn } from "../../../input/adapters/shared/objects.ts";
import { assembleSegments, type Segment } from "../../../input/adapters/shared/segments.ts";
import type { TreeMap } from "../../../input/io/index.ts";
import { foldUpdates, type NodeStreams } from "./fold.ts";
import { listPaths } from "./graph.ts";

/** A trace with what was learned of it later. */
export interface TraceInput {
  readonly trace: TreeMap;
  /** In the order in which they were written. */
  readonly updates: readonly TreeMap[];
  /** The version of the weights that sampled it. */
  readonly version: number | undefined;
  /** Whether tokens without the trainer's log-probs are left out: other traces have them. */
  readonly onlyTrained: boolean;
}

export interface TraceReading {
  readonly drafts: readonly SequenceDraft[];
  /** Sampled tokens of all nodes. */
  readonly sampled: number;
  /** Those of them that the trainer has not scored, if these are left out. */
  readonly untrained: number;
  /** Those of them that the trainer's loss left out. */
  readonly masked: number;
  /** Branches of updates that the trace does not have. */
  readonly strayBranches: number;
}

/** A node's own values and those of its updates; the updates are newer. */
interface Node {
  readonly ids: NumericArray;
  readonly mask: NumericArray;
  readonly sampled: number;
  readonly values: Pick<
    Segment,
    "logprobs" | "trainerLogprobs" | "referenceLogprobs" | "trainerEntropies" | "advantages"
  >;
  /** Its sampled tokens do not count. */
  readonly isLeftOut: boolean;
}

const NO_NUMBERS = new Float64Array(0);

function toNode(node: TreeMap, folded: NodeStreams, onlyTrained: boolean): Node {
  const ids = listNumbers(node.token_ids) ?? NO_NUMBERS;
  const mask = listNumbers(node.mask) ?? new Uint8Array(ids.length);
  const trainerLogprobs = folded.trainer_logprobs ?? listNumbers(node.trainer_logprobs);
  return {
    ids,
    mask,
    sampled: countSet(mask),
    values: {
      logprobs: listNumbers(node.logprobs),
      trainerLogprobs,
      referenceLogprobs: listNumbers(node.reference_logprobs),
      trainerEntropies: folded.entropies ?? listNumbers(node.entropies),
      advantages: folded.advantages ?? listNumbers(node.advantages),
    },
    isLeftOut: onlyTrained && trainerLogprobs === undefined,
  };
}

function countSet(values: NumericArray = NO_NUMBERS): number {
  let count = 0;
  for (const value of values) if (value > 0) count++;
  return count;
}

/** The sequences of a trace; tokens that several paths share count in the first. */
export function readTrace({ trace, updates, version, onlyTrained }: TraceInput): TraceReading | Unavailable {
  const maps = listMaps(trace.nodes);
  const paths = listPaths(maps);
  if (paths === undefined) return new Unavailable(`the paths of ${maps.length} nodes are too long in total`);
  const { nodes: folded, strayBranches } = foldUpdates(maps, paths, updates);
  const nodes = maps.map((node, place) => toNode(node, folded[place]!, onlyTrained));
  const drafts: SequenceDraft[] = [];
  const counted = new Set<number>();
  for (const [branch, path] of paths.entries()) {
    const assembled = assembleSegments(
      path.map((place) => {
        const { ids, mask, values, isLeftOut } = nodes[place]!;
        return { ids, mask, ...values, version, counted: counted.has(place) || isLeftOut };
      }),
    );
    if (assembled instanceof Unavailable) return assembled;
    for (const place of path) counted.add(place);
    if (!assembled.responseMask.some((bit) => bit !== 0)) continue;
    const id = textIn(trace, "id");
    drafts.push({
      ...assembled,
      reward: sumRewards(trace),
      sampleId: id === undefined || branch === 0 ? id : `${id}.${branch}`,
    });
  }
  const sum = (count: (node: Node) => number): number =>
    nodes.reduce((total, node) => total + count(node), 0);
  return {
    drafts,
    sampled: sum(({ sampled }) => sampled),
    untrained: sum(({ isLeftOut, sampled }) => (isLeftOut ? sampled : 0)),
    masked: folded.reduce((total, { is_masked }) => total + countSet(is_masked), 0),
    strayBranches,
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
export function findVersion(episode: TreeMap): number | undefined {
  const policy = findIn(episode, "run", "work", "policy");
  const start = numberIn(policy, "start");
  return start === numberIn(policy, "end") ? start : undefined;
}
