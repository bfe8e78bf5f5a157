import type { FloatArray } from "../../core/base/index.ts";
import { orNull } from "../../core/base/index.ts";
import { computeK3, computeProbDiff } from "../../core/kernels/index.ts";
import type { ShowCard, ShowSection, ShowToken } from "../../results/show.ts";
import { mergeAlternatives } from "./alternatives.ts";
import type { FoundSequence } from "./find-sequence.ts";
import type { Speller } from "./speller.ts";

export interface CardInput {
  readonly found: FoundSequence;
  readonly token: ShowToken;
  readonly sections: readonly ShowSection[];
  /** Whether the policy sampled the token. */
  readonly own: boolean;
  readonly speller: Speller;
  /** The token's own. */
  readonly bytes: Uint8Array;
}

/** Everything that a batch knows about one token. */
export function buildCard({
  found: { batch, row, handle },
  token,
  sections,
  own,
  speller,
  bytes,
}: CardInput): ShowCard {
  const at = batch.offsets[row]! + token.token;
  const rollout = batch.rolloutLogprobs?.[at] ?? Number.NaN;
  const trainer = batch.trainerLogprobs?.[at] ?? Number.NaN;
  const columnValue = (column: FloatArray | undefined): number | null => orNull(column?.[at] ?? Number.NaN);
  const ofOwn = (value: number): number | null => (own ? orNull(value) : null);
  const delta = token.delta ?? Number.NaN;
  const section = sections.find((part) => token.token >= part.from && token.token < part.to);
  return {
    ...token,
    handle: `${handle}.t${token.token}`,
    bytes: Array.from(token.kind === "id" ? [] : bytes, hex).join(" "),
    turn_token: token.turn === null || section === undefined ? null : token.token - section.from,
    rollout_probability: orNull(Math.exp(rollout)),
    trainer_probability: orNull(Math.exp(trainer)),
    probability_difference: ofOwn(computeProbDiff(rollout, trainer)),
    rho: ofOwn(Math.exp(delta)),
    k3: ofOwn(computeK3(delta)),
    rollout_entropy: columnValue(batch.entropies.rollout),
    trainer_entropy: columnValue(batch.entropies.trainer),
    advantage: columnValue(batch.advantages),
    weight_version: batch.weightVersions?.[at] ?? null,
    policy_logprobs: Object.fromEntries(
      Object.entries(batch.policyLogprobs).map(([name, column]) => [name, columnValue(column)]),
    ),
    alternatives: mergeAlternatives(
      batch.topK,
      at,
      { id: token.id, text: token.id === null ? token.text : speller.textOf(token.id), rollout, trainer },
      speller.textOf,
    ),
  };
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}
