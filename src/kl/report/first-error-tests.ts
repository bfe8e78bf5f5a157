import type { FirstErrorFigures } from "../../protocol/kl.ts";
import { holm } from "../../statistics/index.ts";
import { distanceTo, ERROR_WINDOW, type ErrorSpan, isAtError } from "../error-span.ts";
import type { StudyText } from "../study.ts";
import type { TextSummary } from "../summary.ts";
import { finite, meanOf, medianOf, sumOf } from "./numbers.ts";
import { textsOf } from "./problems.ts";
import type { Checkpoint, KlStudy } from "./report-input.ts";

/** A wrong text whose first error is known. */
interface ErrorText {
  readonly summary: TextSummary;
  readonly text: StudyText;
  readonly error: ErrorSpan;
}

/**
 * Whether spikes lie at the first error of wrong texts.
 *
 * A text counts where a spike lies at its error: from 2 tokens before the one that announces the wrong result (the `=`)
 * to 2 tokens behind the first that is wrong. By chance: its spikes, with the distances between
 * them kept, shifted around the circle of its tokens with mask 1; all shifts alike, texts independent of one another.
 * The share of shifts that count is a text's chance qᵢ; `expected` = mean of qᵢ, and p = P(X ≥ observed) with X the sum
 * of Bernoulli(qᵢ), computed exactly (no draws). Holm's correction over checkpoints.
 */
export function firstErrorFigures(study: KlStudy): FirstErrorFigures[] {
  const raw = study.checkpoints.flatMap((checkpoint) => ofCheckpoint(study, checkpoint) ?? []);
  if (raw.length === 0) study.absent("no first errors against spikes: no wrong text has a known first error");
  const adjusted = holm(raw.map(({ p_value }) => p_value));
  return raw.map((one, place) => ({ ...one, adjusted_p_value: adjusted[place] as number }));
}

function ofCheckpoint(study: KlStudy, checkpoint: Checkpoint): FirstErrorFigures | undefined {
  const texts = textsOf(checkpoint.problems).flatMap((summary): ErrorText[] => {
    const text = study.input.texts[summary.index];
    const { error } = summary;
    return text?.correct !== false || error === undefined ? [] : [{ summary, text, error }];
  });
  if (texts.length === 0) return undefined;
  const hits = texts.filter((one) =>
    one.summary.spikes.some(({ position }) => isAtError(position, one.error)),
  ).length;
  const chances = texts.map(chanceOf);
  const p = tailOf(chances, hits);
  const distances = texts.map(nearestOf).filter((distance) => distance !== undefined);
  const spikes = sumOf(texts.map(({ summary }) => summary.spikes.length));
  const after = sumOf(
    texts.map(({ summary, error }) => summary.spikes.filter(({ position }) => position >= error.from).length),
  );
  return {
    checkpoint: checkpoint.name,
    texts: texts.length,
    window: ERROR_WINDOW,
    spike_at_error: hits / texts.length,
    expected: meanOf(chances),
    p_value: p,
    adjusted_p_value: p,
    ...klAtErrors(texts),
    median_distance: finite(medianOf(distances)),
    spikes_after: spikes === 0 ? null : after / spikes,
  };
}

/** Share of the shifts of a text's spikes that put one at its error. */
function chanceOf({ summary, text, error }: ErrorText): number {
  const places: number[] = [];
  text.mask.forEach((mask, token) => {
    if (mask !== 0) places.push(token);
  });
  const n = places.length;
  if (n === 0) return 0;
  const order = new Map(places.map((token, place) => [token, place]));
  const targets = places.flatMap((token, place) => (isAtError(token, error) ? [place] : []));
  const shifts = new Set<number>();
  for (const { position } of summary.spikes) {
    const from = order.get(position);
    if (from !== undefined) for (const target of targets) shifts.add((target - from + n) % n);
  }
  return shifts.size / n;
}

/** P(X ≥ count), X the sum of independent Bernoulli(chance): the distribution built up one text at a time. */
function tailOf(chances: readonly number[], count: number): number {
  let distribution = [1];
  for (const chance of chances) {
    const next = new Array<number>(distribution.length + 1).fill(0);
    distribution.forEach((probability, hits) => {
      next[hits] = (next[hits] as number) + probability * (1 - chance);
      next[hits + 1] = (next[hits + 1] as number) + probability * chance;
    });
    distribution = next;
  }
  return Math.min(1, sumOf(distribution.slice(count).reverse()));
}

/** Tokens from the error to the nearest spike; of two as near, the later. */
function nearestOf({ summary, error }: ErrorText): number | undefined {
  let nearest: number | undefined;
  for (const { position } of summary.spikes) {
    const distance = distanceTo(position, error);
    if (nearest === undefined || Math.abs(distance) <= Math.abs(nearest)) nearest = distance;
  }
  return nearest;
}

function klAtErrors(texts: readonly ErrorText[]): Pick<FirstErrorFigures, "kl_at_error" | "kl_elsewhere"> {
  const known = texts.flatMap(({ summary }) =>
    summary.errorKl === undefined ? [] : [{ summary, at: summary.errorKl }],
  );
  const [sum, tokens] = [sumOf(known.map(({ at }) => at.sum)), sumOf(known.map(({ at }) => at.tokens))];
  const all = sumOf(known.map(({ summary }) => summary.meanKl * summary.tokens));
  const allTokens = sumOf(known.map(({ summary }) => summary.tokens));
  return { kl_at_error: finite(sum / tokens), kl_elsewhere: finite((all - sum) / (allTokens - tokens)) };
}
