import { orNull } from "../../core/base/index.ts";
import type { TopK } from "../../core/schema/index.ts";
import type { ShowAlternatives, ShowCandidate, ShowShare } from "../../results/show.ts";

interface List {
  readonly k: number;
  /** Rank from 1, and probability, by id. */
  readonly places: ReadonlyMap<number, { readonly rank: number; readonly probability: number }>;
  /** Upper bound on the probability of any unlisted token. */
  readonly bound: number;
}

/** The sampled token; log-probs are NaN where missing. */
export interface SampledToken {
  readonly id: number | null;
  readonly text: string | null;
  readonly rollout: number;
  readonly trainer: number;
}

/**
 * Merges both policies' most probable tokens at one place.
 *
 * @param topK most probable tokens by policy: `[tokens, k]`, most probable first
 * @param at the token's row in them
 * @returns null if neither policy has any
 */
export function mergeAlternatives(
  topK: Readonly<Record<string, TopK>>,
  at: number,
  sampled: SampledToken,
  textOf: (id: number) => string | null,
): ShowAlternatives | null {
  const rollout = listAt(topK.rollout, at);
  const trainer = listAt(topK.trainer, at);
  if (rollout === undefined && trainer === undefined) return null;
  const ids = new Set([...(rollout?.places.keys() ?? []), ...(trainer?.places.keys() ?? [])]);
  const others = [...ids].filter((id) => id !== sampled.id);
  const candidates = [
    candidate(sampled.id, sampled.text, true, [rollout, trainer], [sampled.rollout, sampled.trainer]),
    ...others.map((id) => candidate(id, textOf(id), false, [rollout, trainer], [Number.NaN, Number.NaN])),
  ].sort((a, b) => likeliest(b) - likeliest(a) || (a.id ?? -1) - (b.id ?? -1));
  return {
    rollout_k: rollout?.k ?? null,
    trainer_k: trainer?.k ?? null,
    candidates,
    rollout_rest: sumRest(candidates, "rollout", rollout),
    trainer_rest: sumRest(candidates, "trainer", trainer),
  };
}

function listAt(topK: TopK | undefined, at: number): List | undefined {
  if (topK === undefined) return undefined;
  const places = new Map<number, { rank: number; probability: number }>();
  let bound = 1;
  for (let place = 0; place < topK.k; place++) {
    const id = topK.ids[at * topK.k + place]!;
    const probability = Math.exp(topK.logprobs[at * topK.k + place]!);
    if (id < 0 || Number.isNaN(probability) || places.has(id)) continue;
    places.set(id, { rank: places.size + 1, probability });
    bound = Math.min(bound, probability);
  }
  return places.size === 0 ? undefined : { k: topK.k, places, bound };
}

function candidate(
  id: number | null,
  text: string | null,
  sampled: boolean,
  [rollout, trainer]: readonly [List | undefined, List | undefined],
  [own, ownTrainer]: readonly [number, number],
): ShowCandidate {
  return {
    id,
    text,
    sampled,
    rollout: findShare(rollout, id, own),
    trainer: findShare(trainer, id, ownTrainer),
  };
}

/** What is known about a token's probability: from the list, from its own log-prob, or from where the list ends. */
function findShare(list: List | undefined, id: number | null, logprob: number): ShowShare | null {
  const listed = id === null ? undefined : list?.places.get(id);
  if (listed !== undefined) return { ...listed, at_most: false };
  if (!Number.isNaN(logprob)) return { probability: Math.exp(logprob), rank: null, at_most: false };
  return list === undefined ? null : { probability: list.bound, rank: null, at_most: true };
}

function likeliest({ rollout, trainer }: ShowCandidate): number {
  return Math.max(...[rollout, trainer].map((share) => (share?.at_most === false ? share.probability : -1)));
}

function sumRest(
  candidates: readonly ShowCandidate[],
  side: "rollout" | "trainer",
  list: List | undefined,
): number | null {
  if (list === undefined) return null;
  const known = candidates.reduce(
    (sum, { [side]: share }) => sum + (share?.at_most === false ? share.probability : 0),
    0,
  );
  return orNull(Math.max(0, 1 - known));
}
