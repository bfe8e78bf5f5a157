/**
 * Spikes of one text, with the tokens that both policies find probable there.
 *
 * @module
 */
import type { KlAlternative } from "../../results/texts.ts";
import { listDependences } from "../gradients/text-gradients.ts";
import type { PolicyScores, ScoredText } from "../study.ts";
import type { TextSpike } from "../summary.ts";
import type { CountedToken } from "../token-sums.ts";
import type { SpikeAnalysis } from "./spikes.ts";

/** Number of each policy's most probable tokens kept with a spike. */
const ALTERNATIVES = 5;

/** Maps an id to its token's text; `#id` if that is unknown. */
export type TextOf = ((id: number) => string) | undefined;

/**
 * @param places response token of each value of the series that the spikes were found in
 */
export function textSpikes(
  scored: ScoredText,
  found: SpikeAnalysis,
  places: readonly number[],
  counted: readonly CountedToken[],
  textOf: TextOf,
): TextSpike[] {
  const { text, p, q, gradients } = scored;
  return found.positions.map((place, i): TextSpike => {
    const position = places[place]!;
    return {
      position,
      token: text.tokens[position]!,
      tokenId: text.tokenIds[position]!,
      value: found.values[i]!,
      zscore: found.zscores[i]!,
      region: found.regions[i]!,
      category: counted[place]!.category,
      alternatives: alternativesAt(p, position, textOf),
      referenceAlternatives: alternativesAt(q, position, textOf),
      probability: Math.exp(p.logprobs[position]!),
      referenceProbability: Math.exp(q.logprobs[position]!),
      ...(gradients?.has(position) && { dependsOn: listDependences(scored, position, textOf) }),
    };
  });
}

function alternativesAt({ topK }: PolicyScores, t: number, textOf: TextOf): KlAlternative[] {
  const alternatives: KlAlternative[] = [];
  for (let j = 0; topK !== undefined && j < Math.min(topK.k, ALTERNATIVES); j++) {
    const [id, probability] = [topK.ids[t * topK.k + j]!, Math.exp(topK.logprobs[t * topK.k + j]!)];
    if (id < 0 || Number.isNaN(probability)) continue;
    alternatives.push({ token: textOf?.(id) ?? `#${id}`, token_id: id, probability });
  }
  return alternatives;
}
