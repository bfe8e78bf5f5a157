import type { WireTopK } from "../../../../../src/wire/index.ts";

/** One side's probability of a candidate; `atMost` where the list of that side ends above it. */
export type Share =
  | { readonly kind: "known"; readonly p: number; readonly rank: number | undefined }
  | { readonly kind: "atMost"; readonly p: number }
  /** That side has no list at this token. */
  | { readonly kind: "unknown" };

export interface Candidate {
  readonly id: number;
  readonly text: string | undefined;
  /** The token that was sampled. */
  readonly actual: boolean;
  readonly rollout: Share;
  readonly trainer: Share;
}

export interface MergedTopK {
  /** Union of both lists, likeliest first; the actual token is always in it. */
  readonly candidates: readonly Candidate[];
  /** Probability outside of what is listed; undefined without a list. */
  readonly rest: { readonly rollout: number | undefined; readonly trainer: number | undefined };
}

interface List {
  readonly ranks: ReadonlyMap<number, number>;
  readonly probs: ReadonlyMap<number, number>;
  /** No token that is not listed is likelier. */
  readonly bound: number;
}

/**
 * Both policies' most probable tokens at one response token, as one list.
 *
 * @param actual the sampled token and its own log-probs (NaN where missing)
 */
export function mergedTopK(
  alternatives: WireTopK,
  token: number,
  actual: { readonly id: number; readonly text: string; readonly rollout: number; readonly trainer: number },
): MergedTopK {
  const rollout = listAt(alternatives, "rollout", token);
  const trainer = listAt(alternatives, "trainer", token);
  const ids = new Set([...(rollout?.ranks.keys() ?? []), ...(trainer?.ranks.keys() ?? []), actual.id]);
  const candidates = [...ids].map((id): Candidate => {
    const own = id === actual.id;
    return {
      id,
      text: alternatives.texts.get(id) ?? (own ? actual.text : undefined),
      actual: own,
      rollout: shareOf(rollout, id, own ? actual.rollout : Number.NaN),
      trainer: shareOf(trainer, id, own ? actual.trainer : Number.NaN),
    };
  });
  candidates.sort((a, b) => likeliest(b) - likeliest(a) || a.id - b.id);
  return {
    candidates,
    rest: {
      rollout: restOf(candidates, rollout, "rollout"),
      trainer: restOf(candidates, trainer, "trainer"),
    },
  };
}

function listAt({ policies, from, count }: WireTopK, name: string, token: number): List | undefined {
  const list = policies[name];
  const row = token - from;
  if (list === undefined || row < 0 || row >= count) return undefined;
  const ranks = new Map<number, number>();
  const probs = new Map<number, number>();
  let bound = 1;
  for (let place = 0; place < list.k; place++) {
    const id = list.ids[row * list.k + place]!;
    const p = Math.exp(list.logprobs[row * list.k + place]!);
    if (id < 0 || Number.isNaN(p)) continue;
    ranks.set(id, ranks.size + 1);
    probs.set(id, p);
    bound = Math.min(bound, p);
  }
  return ranks.size === 0 ? undefined : { ranks, probs, bound };
}

function shareOf(list: List | undefined, id: number, own: number): Share {
  const rank = list?.ranks.get(id);
  const listed = list?.probs.get(id);
  if (listed !== undefined) return { kind: "known", p: listed, rank };
  if (!Number.isNaN(own)) return { kind: "known", p: Math.exp(own), rank: undefined };
  return list === undefined ? { kind: "unknown" } : { kind: "atMost", p: list.bound };
}

function likeliest({ rollout, trainer }: Candidate): number {
  return Math.max(...[rollout, trainer].map((share) => (share.kind === "known" ? share.p : -1)));
}

function restOf(
  candidates: readonly Candidate[],
  list: List | undefined,
  side: "rollout" | "trainer",
): number | undefined {
  if (list === undefined) return undefined;
  const listed = candidates.reduce(
    (sum, { [side]: share }) => sum + (share.kind === "known" ? share.p : 0),
    0,
  );
  return Math.max(0, 1 - listed);
}
