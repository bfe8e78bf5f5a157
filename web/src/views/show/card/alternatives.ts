import { type ReadonlySignal, signal } from "@preact/signals";
import { mergeAlternatives, type SampledToken } from "../../../../../src/analyses/show/index.ts";
import type { ShowAlternatives } from "../../../../../src/results/show.ts";
import type { WireTopK } from "../../../../../src/results/wire/sequence.ts";
import { type Loaded, settle } from "../../../state/loaded.ts";
import type { Source } from "../source.ts";

/** Tokens per request, so that neighbors are loaded already. */
const BLOCK = 64;

export type Alternatives = (token: number) => ReadonlySignal<Loaded<WireTopK>>;

/** Both policies' most probable tokens around a response token, requested when first shown. */
export function loadAlternatives(source: Source, index: number, response: number): Alternatives {
  const blocks = new Map<number, ReadonlySignal<Loaded<WireTopK>>>();
  return (token) => {
    const from = Math.floor(token / BLOCK) * BLOCK;
    const known = blocks.get(from);
    if (known !== undefined) return known;
    const asked = signal<Loaded<WireTopK>>({ state: "loading" });
    settle(source.topK(index, from, Math.min(BLOCK, response - from)), asked);
    blocks.set(from, asked);
    return asked;
  };
}

/** The merged alternatives of one response token; null if neither policy has any there. */
export function alternativesAt(
  { policies, from, count, texts }: WireTopK,
  token: number,
  sampled: SampledToken,
): ShowAlternatives | null {
  const row = token - from;
  if (row < 0 || row >= count) return null;
  return mergeAlternatives(policies, row, sampled, (id) => texts.get(id) ?? null);
}
