import type { ListedSpike, SpikeFigures } from "../../results/texts.ts";
import type { TextSpike, TextSummary, TextUnderCheckpoints } from "../summary.ts";
import { byText, finite } from "./numbers.ts";
import { listTexts } from "./problems.ts";
import { keptFrom } from "./progression.ts";
import { type Checkpoint, type KlStudy, lastCheckpoint, trained } from "./report-input.ts";

export interface PlacedSpike {
  readonly summary: TextSummary;
  readonly spike: TextSpike;
}

/** The largest spikes at the last checkpoint. */
export function largestSpikes(study: KlStudy): PlacedSpike[] {
  return listSpikes(listTexts(lastCheckpoint(study).problems)).slice(0, study.sizes.topSpikes);
}

/** All spikes at a checkpoint, in the order of the texts and of their tokens. */
export function listAllSpikes({ problems }: Checkpoint): ListedSpike[] {
  const texts = listTexts(problems).sort((a, b) => a.index - b.index);
  return texts.flatMap(({ index, text, problem, spikes }) =>
    spikes.map(({ position, token, tokenId, category, region, value, zscore }) => ({
      handle: formatTextHandle(index, position),
      text,
      problem,
      position,
      token,
      token_id: tokenId,
      category,
      region,
      kl: value,
      zscore: finite(zscore),
    })),
  );
}

/** All spikes of these texts, the largest first. */
export function listSpikes(texts: readonly TextSummary[]): PlacedSpike[] {
  return texts
    .flatMap((summary) => summary.spikes.map((spike) => ({ summary, spike })))
    .sort(
      (a, b) =>
        b.spike.value - a.spike.value ||
        byText(a.summary.text, b.summary.text) ||
        a.spike.position - b.spike.position,
    );
}

/**
 * A spike with the words around it. `since` is known only if the text was revisited under all checkpoints, and null if
 * this token's KL is not above 0 at the last one.
 */
export function spikeFigures(
  study: KlStudy,
  { summary, spike }: PlacedSpike,
  looked: TextUnderCheckpoints | undefined,
): SpikeFigures {
  const tokens = study.input.texts[summary.index]?.tokens ?? [];
  const { position } = spike;
  const { context } = study.sizes;
  const zscore = finite(spike.zscore);
  if (zscore === null)
    study.absent(`${formatTextHandle(summary.index, position)}: its z-score is not finite, 0 is given`);
  return {
    handle: formatTextHandle(summary.index, position),
    text: summary.text,
    problem: summary.problem,
    position,
    region: spike.region,
    token: tokens[position] ?? "",
    category: spike.category,
    kl: spike.value,
    zscore: zscore ?? 0,
    probability: finite(spike.probability),
    reference_probability: finite(spike.referenceProbability),
    before: tokens.slice(Math.max(0, position - context), position).join(""),
    after: tokens.slice(position + 1, position + 1 + context).join(""),
    alternatives: spike.alternatives.filter(({ probability }) => Number.isFinite(probability)),
    reference_alternatives: spike.referenceAlternatives.filter(({ probability }) =>
      Number.isFinite(probability),
    ),
    depends_on: spike.dependsOn ?? null,
    since: looked === undefined ? null : sinceWhen(study, looked, position),
  };
}

/** `q12.t40`: text number in the study, response token. */
export function formatTextHandle(index: number, position?: number): string {
  return position === undefined ? `q${index}` : `q${index}.t${position}`;
}

/**
 * The first checkpoint of the training run from which on this token keeps at least half of the KL that it has at the
 * last one.
 */
function sinceWhen(study: KlStudy, looked: TextUnderCheckpoints, position: number): string | null {
  const points = trained(study).flatMap(({ name }) => {
    const kl = looked.kl.get(name)?.[position];
    return kl === undefined || Number.isNaN(kl) ? [] : [{ name, kl }];
  });
  return keptFrom(points)?.name ?? null;
}
