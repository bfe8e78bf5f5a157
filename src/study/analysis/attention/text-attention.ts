/**
 * How a checkpoint and the reference attend to the first error of one text.
 *
 * @module
 */
import type { ScoredText } from "../study.ts";

/** Means over the policy's own tokens after the error for which both policies' attention is known; NaN if unknown. */
export interface TextAttention {
  readonly tokens: number;
  /** Shares of a token's attention, mean over layers and heads. */
  readonly toError: number;
  readonly referenceToError: number;
  readonly toControl: number;
  readonly referenceToControl: number;
  /** D(P‖Q) of these tokens. */
  readonly kl: number;
  /** The same with the error hidden from them, and with as many tokens before it hidden. */
  readonly klWithoutError: number;
  readonly klWithoutControl: number;
}

/**
 * Each mean is over the tokens at which all known series of the text are finite, so that KL with and without hidden
 * tokens covers the same tokens. Undefined if there are none.
 */
export function textAttention({ text, p, q, pair }: ScoredText): TextAttention | undefined {
  const [own, reference] = [p.attentionToError, q.attentionToError];
  if (own === undefined || reference === undefined) return undefined;
  const known = (values: ArrayLike<number> | undefined): ArrayLike<number> | undefined =>
    values !== undefined && Array.from(values).some((value) => !Number.isNaN(value)) ? values : undefined;
  const kl = pair.forwardKl ?? pair.forwardKlLower;
  const [withoutError, withoutControl] = [
    known(pair.forwardKlWithoutError),
    known(pair.forwardKlWithoutControl),
  ];
  const series = [own, reference, kl, withoutError, withoutControl].filter((values) => values !== undefined);
  const tokens = [...text.mask.keys()].filter(
    (t) => text.mask[t] === 1 && series.every((values) => Number.isFinite(values[t])),
  );
  if (tokens.length === 0) return undefined;
  const mean = (values: ArrayLike<number> | undefined): number =>
    tokens.reduce((sum, t) => sum + (values?.[t] ?? Number.NaN), 0) / tokens.length;
  return {
    tokens: tokens.length,
    toError: mean(own),
    referenceToError: mean(reference),
    toControl: mean(p.attentionToControl),
    referenceToControl: mean(q.attentionToControl),
    kl: mean(kl),
    klWithoutError: mean(withoutError),
    klWithoutControl: mean(withoutControl),
  };
}
