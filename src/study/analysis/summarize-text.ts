/**
 * From one text's scores under a checkpoint and the reference to its summary.
 *
 * @module
 */
import { LengthMismatchError } from "../../core/base/index.ts";
import type { TopK } from "../../core/schema/index.ts";
import { textAttention } from "./attention/text-attention.ts";
import { type Category, tokenClassifier } from "./categories/categories.ts";
import type { ErrorSpan } from "./error-span.ts";
import { textGradients } from "./gradients/text-gradients.ts";
import { goodAndBad, klAround } from "./judged-kl.ts";
import { meansByThird } from "./series/entropy-regions.ts";
import { findTextSpikes } from "./spikes/find-text-spikes.ts";
import { rlProbeFigures } from "./spikes/rl-probe-alignment.ts";
import { shuffledSpikes } from "./spikes/shuffled-spikes.ts";
import { textSpikes } from "./spikes/text-spikes.ts";
import type { ScoredText } from "./study.ts";
import type { KlOptions, TextSummary } from "./summary.ts";
import { type CountedToken, sumsByCategory, sumsByToken } from "./token-sums.ts";

/** Options for summarizing one text. */
export interface SummarizeOptions extends KlOptions {
  /** Where the text first goes wrong, unless its own `errorToken` gives that. */
  readonly error?: ErrorSpan;
  /** A token's text; without it, alternatives are `#id`. */
  readonly textOf?: (id: number) => string;
}

/**
 * Summarizes one text. Its series is D(P‖Q) of the tokens with mask 1, without gaps; if only bounds are known, the
 * lower one. Tokens without a KL are left out, and so are those whose KL is infinite: they are counted in `infiniteKl`,
 * since a mean, a z-score and a place in a chart need a number. Every mean is over its own finite values, and NaN if
 * there are none; only the upper bound's may be infinite.
 *
 * Good KL: on a wrong text, from where its first error is announced (everywhere, if that is unknown), KL at tokens that
 * the checkpoint finds less probable than the reference does; before the error and on right texts, KL at tokens that it
 * finds at least as probable. The rest is bad; tokens without both log-probs are neither.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { DEFAULT_CATEGORIES, summarizeText } from "logratio/kl";
 *
 * const tokens = ["4", " +", " 4", " =", " 9"];
 * const text = {
 *   id: "q1",
 *   problem: "q1",
 *   source: undefined,
 *   promptText: undefined,
 *   promptLength: 3,
 *   tokenIds: Int32Array.of(4, 11, 4, 12, 9),
 *   tokens,
 *   mask: new Uint8Array(5).fill(1),
 *   correct: false,
 *   level: undefined,
 *   subject: undefined,
 *   answer: undefined,
 *   errorToken: 4,
 * };
 * const scored = {
 *   text,
 *   p: { logprobs: Float32Array.of(-0.1, -0.1, -0.1, -0.1, -2) }, // the checkpoint's
 *   q: { logprobs: Float32Array.of(-0.1, -0.1, -0.1, -0.1, -0.5) }, // the reference's
 *   pair: { forwardKl: Float32Array.of(0.25, 0.25, 0.25, 0.25, 1.5) },
 * };
 * const spikes = { method: "zscore", threshold: 1.5, minDistance: 1, percentile: 95 } as const;
 * const summary = summarizeText(0, scored, { spikes, categories: DEFAULT_CATEGORIES, rlProbe: false });
 * assert.equal(summary.meanKl, 0.5); // nats
 * assert.equal(summary.spikes[0]?.category, "number");
 * ```
 *
 * @param index place in the study's list of texts
 * @param scored the text, and the scores of its tokens by checkpoint P and reference Q; nats
 * @returns means and sums over tokens with mask 1: KLs and entropies in nats, total variation and shares as fractions
 * @throws LengthMismatchError if scores and text differ in their number of tokens
 */
export function summarizeText(index: number, scored: ScoredText, options: SummarizeOptions): TextSummary {
  requireLengths(scored);
  const { text, p, q, pair } = scored;
  const own = [...text.mask.keys()].filter((t) => text.mask[t] === 1);
  const kl = pair.forwardKl ?? pair.forwardKlLower;
  const delta = (t: number): number => p.logprobs[t]! - q.logprobs[t]!;
  const { places, series, found } = findTextSpikes(scored, options.spikes);
  const isSpike = new Set(found.positions.map((position) => places[position]!));
  const classify = classifiers.get(options.categories) ?? tokenClassifier(options.categories);
  classifiers.set(options.categories, classify);
  const counted = places.map(
    (t): CountedToken => ({
      text: text.tokens[t]!,
      category: classify(text.tokens[t]!),
      kl: kl![t]!,
      delta: delta(t),
      spike: isSpike.has(t),
    }),
  );
  const { errorToken } = text;
  const error =
    options.error ?? (errorToken === undefined ? undefined : { from: errorToken, token: errorToken });
  const mean = (values: ArrayLike<number> | undefined): number =>
    computeMean(own.map((t) => values?.[t] ?? Number.NaN).filter(Number.isFinite));
  const exact = pair.forwardKl !== undefined;
  return {
    index,
    text: text.id,
    problem: text.problem,
    tokens: places.length,
    ...countKl("infiniteKl", own, kl, (value) => value === Number.POSITIVE_INFINITY),
    ...countKl("infiniteReverseKl", own, pair.reverseKl, (value) => value === Number.POSITIVE_INFINITY),
    ...countKl("nanKl", own, pair.forwardKl, Number.isNaN),
    exact,
    meanKl: found.density === null ? Number.NaN : found.meanKl,
    maxKl: places.length === 0 ? Number.NaN : counted.reduce((most, token) => Math.max(most, token.kl), 0),
    meanReverseKl: mean(pair.reverseKl),
    meanJs: mean(pair.jsDivergence),
    meanTotalVariation: mean(pair.totalVariation),
    ...boundMeans(scored, own, exact),
    meanEntropy: mean(p.entropies),
    meanReferenceEntropy: mean(q.entropies),
    entropyByRegion: meansByThird(own.map((t) => p.entropies?.[t] ?? Number.NaN).filter(Number.isFinite)),
    meanDelta: computeMean(own.map(delta).filter(Number.isFinite)),
    ...argmaxFigures(p.topK, q.topK, own),
    spikes: textSpikes(scored, found, places, counted, options.textOf),
    spikesShuffled: shuffledSpikes(series, options.spikes),
    spikeDensity: found.density ?? { early: Number.NaN, mid: Number.NaN, late: Number.NaN },
    categories: sumsByCategory(counted),
    byToken: sumsByToken(counted),
    ...goodAndBad(counted, places, text.correct, error?.from),
    error,
    errorKl: error === undefined ? undefined : klAround(error, places, counted),
    attention: textAttention(scored),
    gradients: textGradients(scored, error),
    rlProbe: options.rlProbe ? rlProbeFigures(pair, options.spikes) : null,
  };
}

function requireLengths({ text, p, q, pair }: ScoredText): void {
  const expected = text.tokenIds.length;
  const lengths: [string, ArrayLike<unknown> | undefined][] = [
    ["token texts", text.tokens],
    ["mask values", text.mask],
    ["log-probs under the checkpoint", p.logprobs],
    ["log-probs under the reference", q.logprobs],
    ["entropies under the checkpoint", p.entropies],
    ["entropies under the reference", q.entropies],
    ["shares of attention under the checkpoint", p.attentionToError],
    ["shares of attention under the reference", q.attentionToError],
    ...Object.entries(pair).flatMap(([name, values]): [string, ArrayLike<unknown>][] =>
      typeof values === "number" ? [] : [[`values of ${name}`, values]],
    ),
  ];
  for (const [name, values] of lengths)
    if (values !== undefined && values.length !== expected)
      throw new LengthMismatchError(
        `${text.id} has ${expected} response tokens, but ${values.length} ${name}`,
        {
          likely: "the scores come from another version of the text or another tokenizer",
        },
      );
}

/** Studies have many texts and one list of categories, so the category of each token's text is cached with the list. */
const classifiers = new WeakMap<readonly Category[], (text: string) => string>();

function countKl(
  name: "infiniteKl" | "infiniteReverseKl" | "nanKl",
  own: readonly number[],
  values: ArrayLike<number> | undefined,
  isCounted: (value: number) => boolean,
): Partial<Pick<TextSummary, "infiniteKl" | "infiniteReverseKl" | "nanKl">> {
  const count = values === undefined ? 0 : own.filter((t) => isCounted(values[t]!)).length;
  return count === 0 ? {} : { [name]: count };
}

function boundMeans(
  { pair: { forwardKlLower: lower, forwardKlUpper: upper } }: ScoredText,
  own: readonly number[],
  exact: boolean,
): Pick<TextSummary, "meanKlLower" | "meanKlUpper" | "upperInfinite"> {
  if (exact) return { meanKlLower: Number.NaN, meanKlUpper: Number.NaN, upperInfinite: 0 };
  const uppers = own.map((t) => upper?.[t] ?? Number.NaN).filter((value) => !Number.isNaN(value));
  return {
    meanKlLower: computeMean(own.map((t) => lower?.[t] ?? Number.NaN).filter(Number.isFinite)),
    meanKlUpper: computeMean(uppers),
    upperInfinite: uppers.filter((value) => value === Number.POSITIVE_INFINITY).length,
  };
}

/** NaN if there are no values. */
function computeMean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function argmaxFigures(
  p: TopK | undefined,
  q: TopK | undefined,
  own: readonly number[],
): Pick<TextSummary, "argmaxChanged" | "argmaxKnown"> {
  const first = (top: TopK | undefined, t: number): number =>
    top === undefined || top.k === 0 ? -1 : (top.ids[t * top.k] ?? -1);
  const known = own.filter((t) => first(p, t) >= 0 && first(q, t) >= 0);
  return {
    argmaxChanged: known.filter((t) => first(p, t) !== first(q, t)).length,
    argmaxKnown: known.length,
  };
}
