import { holm } from "../../../core/statistics/multiple-testing.ts";
import { poissonBinomialTail } from "../../../core/statistics/poisson-binomial.ts";
import type { FirstErrorFigures } from "../../results/wrong-texts.ts";
import { distanceTo, ERROR_WINDOW, type ErrorSpan, isAtError } from "../error-span.ts";
import { announcements } from "../first-error/announcements.ts";
import type { TextSummary } from "../summary.ts";
import { computeMean, computeMedian, computeSum, finite } from "./numbers.ts";
import { listTexts } from "./problems.ts";
import type { Checkpoint, KlStudy, ReportText } from "./report-input.ts";

/** A wrong text whose first error is known. */
interface ErrorText {
  readonly summary: TextSummary;
  readonly error: ErrorSpan;
  /** The text's other results as spans like the error's: the error could have been at any of them. */
  readonly others: readonly ErrorSpan[];
}

/**
 * Whether spikes lie at the first error of wrong texts more often than at the other results that those texts announce.
 *
 * A text counts if a spike lies at its error: from 2 tokens before the one that announces the wrong result (the `=`) to
 * 2 tokens after the first wrong one. Spikes tend to lie where a result is announced, right or wrong. So chance here
 * means: the error is equally likely to be any of the text's own announced results. The share of those with a spike is
 * a text's chance qᵢ; `expected` is the mean of qᵢ, and p = P(X ≥ observed) with X the sum of Bernoulli(qᵢ), computed
 * exactly (no draws). Texts that announce no other result say nothing and are not in the test. Holm's correction over
 * checkpoints.
 */
export function firstErrorFigures(study: KlStudy): FirstErrorFigures[] {
  const spans = new Map<number, readonly ErrorSpan[]>();
  const raw = study.checkpoints.flatMap((checkpoint) => ofCheckpoint(study, checkpoint, spans) ?? []);
  if (raw.length === 0) study.absent("no first errors against spikes: no wrong text has a known first error");
  else if (raw.every(({ tested }) => tested === 0))
    study.absent("no test of first errors: no wrong text announces a result besides the wrong one");
  const adjusted = holm(raw.map(({ p_value }) => p_value ?? Number.NaN));
  return raw.map((one, place) => ({ ...one, adjusted_p_value: finite(adjusted[place]!) }));
}

function ofCheckpoint(
  study: KlStudy,
  checkpoint: Checkpoint,
  spans: Map<number, readonly ErrorSpan[]>,
): FirstErrorFigures | undefined {
  const texts = listTexts(checkpoint.problems).flatMap((summary): ErrorText[] => {
    const text = study.input.texts[summary.index];
    const { error } = summary;
    if (text?.correct !== false || error === undefined) return [];
    const others = spans.get(summary.index) ?? listOtherResults(text, error);
    spans.set(summary.index, others);
    return [{ summary, error, others }];
  });
  if (texts.length === 0) return undefined;
  const hits = (among: readonly ErrorText[]): number =>
    among.filter(({ summary, error }) => hasSpike(summary, error)).length;
  const tested = texts.filter(({ others }) => others.length > 0);
  const chances = tested.map(
    ({ summary, error, others }) =>
      [error, ...others].filter((span) => hasSpike(summary, span)).length / (others.length + 1),
  );
  const p = tested.length === 0 ? null : poissonBinomialTail(chances, hits(tested));
  const distances = texts.map(findNearest).filter((distance) => distance !== undefined);
  const spikes = computeSum(texts.map(({ summary }) => summary.spikes.length));
  const after = computeSum(
    texts.map(({ summary, error }) => summary.spikes.filter(({ position }) => position >= error.from).length),
  );
  return {
    checkpoint: checkpoint.name,
    texts: texts.length,
    window: ERROR_WINDOW,
    spike_at_error: hits(texts) / texts.length,
    tested: tested.length,
    tested_at_error: finite(hits(tested) / tested.length),
    expected: finite(computeMean(chances)),
    p_value: p,
    adjusted_p_value: p,
    ...klAtErrors(texts),
    median_distance: finite(computeMedian(distances)),
    spikes_after: spikes === 0 ? null : after / spikes,
  };
}

function hasSpike({ spikes }: TextSummary, span: ErrorSpan): boolean {
  return spikes.some(({ position }) => isAtError(position, span));
}

/**
 * A text's announced results other than its error, as spans like the error's. None if the error itself is not at an
 * announced result: there is then nothing comparable.
 */
export function listOtherResults(
  {
    otherResults,
    tokens = [],
    mask = new Uint8Array(),
  }: Pick<ReportText, "otherResults" | "tokens" | "mask">,
  error: ErrorSpan,
): readonly ErrorSpan[] {
  if (otherResults !== undefined) return otherResults;
  const results = announcements({ tokens, mask });
  const own = results.filter((token) => token >= error.from - ERROR_WINDOW && token <= error.token);
  const anchor = own.at(-1);
  if (anchor === undefined) return [];
  return results
    .filter((token) => token < error.from - ERROR_WINDOW || token > error.token)
    .map((token) => ({
      from: token + error.from - anchor,
      token: Math.min(tokens.length - 1, token + error.token - anchor),
    }));
}

/** Tokens from the error to the nearest spike; of two equally near ones, the later. */
function findNearest({ summary, error }: ErrorText): number | undefined {
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
  const [sum, tokens] = [
    computeSum(known.map(({ at }) => at.sum)),
    computeSum(known.map(({ at }) => at.tokens)),
  ];
  const all = computeSum(known.map(({ summary }) => summary.meanKl * summary.tokens));
  const allTokens = computeSum(known.map(({ summary }) => summary.tokens));
  return { kl_at_error: finite(sum / tokens), kl_elsewhere: finite((all - sum) / (allTokens - tokens)) };
}
