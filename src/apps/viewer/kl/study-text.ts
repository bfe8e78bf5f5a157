/**
 * What the viewer shows of a text.
 *
 * @module
 */

import type { StudyTextRow } from "../../../results/view.ts";
import type { StudySpike, StudyTextMeta } from "../../../results/wire/study-text.ts";
import type { TextSummary } from "../../../study/analysis/index.ts";
import type { KlAlternative } from "../../../study/results/texts.ts";
import type { PreparedText } from "../../../study/scoring/index.ts";
import { redactAlternatives } from "./redact-study.ts";

/** A text in the cache, without the checkpoints' figures. */
export interface StoredText
  extends Omit<StudyTextMeta, "index" | "handle" | "checkpoints" | "categories" | "spikes"> {
  readonly ids: readonly number[];
  readonly mask: readonly number[];
  readonly categories: readonly number[];
}

/** Figures of a text under one checkpoint. */
export interface TextFigures {
  readonly meanKl: number | null;
  readonly maxKl: number | null;
  readonly spikes: number;
}

const OPENING_CHARACTERS = 240;

/** Its name in reports and addresses. */
export function formatTextHandle(index: number): string {
  return `q${index}`;
}

export function textRow(
  index: number,
  text: PreparedText,
  {
    figures,
    hasError,
  }: { readonly figures: readonly (TextFigures | undefined)[]; readonly hasError: boolean },
): StudyTextRow {
  return {
    index,
    handle: formatTextHandle(index),
    text: text.id,
    problem: text.problem,
    source: text.source ?? null,
    correct: text.correct ?? null,
    subject: text.subject ?? null,
    level: text.level ?? null,
    tokens: text.tokenIds.length,
    own_tokens: text.mask.filter((value) => value === 1).length,
    opening: text.promptText?.trim().slice(0, OPENING_CHARACTERS) ?? null,
    has_error: hasError,
    mean_kl: figures.map((one) => one?.meanKl ?? null),
    max_kl: figures.map((one) => one?.maxKl ?? null),
    spikes: figures.map((one) => one?.spikes ?? null),
  };
}

export function studySpikes({ spikes }: TextSummary, redact: boolean): StudySpike[] {
  const listed = redact ? redactAlternatives : (all: readonly KlAlternative[]) => all;
  return spikes.map((spike) => ({
    position: spike.position,
    kl: spike.value,
    zscore: finite(spike.zscore),
    region: spike.region,
    probability: finite(spike.probability),
    reference_probability: finite(spike.referenceProbability),
    alternatives: known(listed(spike.alternatives)),
    reference_alternatives: known(listed(spike.referenceAlternatives)),
  }));
}

function known(alternatives: readonly KlAlternative[]): KlAlternative[] {
  return alternatives.filter(({ probability }) => Number.isFinite(probability));
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
