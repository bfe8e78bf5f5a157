/**
 * What two lists of the most probable tokens say about two distributions, sorted by which policy knows which token.
 *
 * @module
 */
import { SchemaError } from "../../../core/base/index.ts";

/** One position of one policy: its k most probable tokens. */
export interface TopKRow {
  /** `[k]`; entries with an id of -1 or a NaN log-prob are absent. */
  readonly ids: ArrayLike<number>;
  /** `[k]`, nats. */
  readonly logprobs: ArrayLike<number>;
  /** The token that actually occurs there, if its log-prob is known even though it may not be among the k. */
  readonly actual?: { readonly id: number; readonly logprob: number };
}

/** Tokens whose probability is known under one policy but not under the other. */
export interface OneSided {
  readonly probabilities: Float64Array;
  readonly sum: number;
}

/** Limits on the probabilities of one policy's unknown tokens. */
export interface Missing {
  /** Probability of all unknown tokens together: the least, the nominal and the most. */
  readonly least: number;
  readonly mass: number;
  readonly most: number;
  /** Upper limit for any one of them. */
  readonly cap: number;
  /** Lower limit for each of them: what remains if all others have the most they can. */
  readonly floor: number;
}

export interface KnownParts {
  /** `[both]`: probabilities of the tokens that both policies know. */
  readonly bothP: Float64Array;
  readonly bothQ: Float64Array;
  readonly onlyP: OneSided;
  readonly onlyQ: OneSided;
  readonly missingP: Missing;
  readonly missingQ: Missing;
  /** Number of tokens that neither policy knows; infinite if the vocabulary's size is unknown. */
  readonly neither: number;
}

/**
 * @param vocabularySize null if unknown
 * @param rounding how far a sum of stated probabilities may be off
 * @throws SchemaError if more tokens are named than the vocabulary has
 */
export function knownParts(
  p: TopKRow,
  q: TopKRow,
  vocabularySize: number | null,
  rounding: number,
): KnownParts {
  const [ofP, ofQ] = [readRow(p), readRow(q)];
  const bothP: number[] = [];
  const bothQ: number[] = [];
  const onlyP: number[] = [];
  for (const [id, probability] of ofP.known) {
    const other = ofQ.known.get(id);
    if (other === undefined) onlyP.push(probability);
    else {
      bothP.push(probability);
      bothQ.push(other);
    }
  }
  const onlyQ = [...ofQ.known].filter(([id]) => !ofP.known.has(id)).map(([, probability]) => probability);
  const named = ofP.known.size + onlyQ.length;
  if (vocabularySize !== null && named > vocabularySize)
    throw new SchemaError(
      `the two lists of most probable tokens name ${named} tokens, but the vocabulary has ${vocabularySize}`,
      { likely: "the policies have different tokenizers, or the size belongs to another model" },
    );
  const neither = vocabularySize === null ? Number.POSITIVE_INFINITY : vocabularySize - named;
  return {
    bothP: Float64Array.from(bothP),
    bothQ: Float64Array.from(bothQ),
    onlyP: oneSided(onlyP),
    onlyQ: oneSided(onlyQ),
    missingP: missing(ofP, onlyQ.length + neither, rounding),
    missingQ: missing(ofQ, onlyP.length + neither, rounding),
    neither,
  };
}

interface Row {
  readonly known: ReadonlyMap<number, number>;
  /** The smallest probability of the k: no other token has more. */
  readonly smallest: number;
}

function readRow({ ids, logprobs, actual }: TopKRow): Row {
  const known = new Map<number, number>();
  let smallest = 1;
  for (let j = 0; j < ids.length; j++) {
    const [id, probability] = [ids[j]!, toProbability(logprobs[j])];
    if (id < 0 || Number.isNaN(probability) || known.has(id)) continue;
    known.set(id, probability);
    smallest = Math.min(smallest, probability);
  }
  if (actual !== undefined && actual.id >= 0 && !known.has(actual.id)) {
    const probability = toProbability(actual.logprob);
    if (!Number.isNaN(probability)) known.set(actual.id, probability);
    // A list that leaves out a more probable token is not a list of the most probable: it says nothing about others.
    if (probability > smallest * (1 + 1e-6)) smallest = 1;
  }
  return { known, smallest };
}

function toProbability(logprob: number | undefined): number {
  return Math.min(1, Math.exp(logprob ?? Number.NaN));
}

function missing({ known, smallest }: Row, unknown: number, rounding: number): Missing {
  if (unknown === 0) return { least: 0, mass: 0, most: 0, cap: 0, floor: 0 };
  let sum = 0;
  for (const probability of known.values()) sum += probability;
  const open = Math.max(0, 1 - sum);
  const cap = Math.min(open + rounding, smallest * (1 + rounding));
  const together = cap === 0 ? 0 : unknown * cap;
  const least = Math.min(Math.max(0, open - rounding), together);
  return {
    least,
    mass: Math.min(open, together),
    most: Math.min(open + rounding, together),
    cap,
    floor: Math.max(0, least - (together - cap)),
  };
}

function oneSided(values: readonly number[]): OneSided {
  return { probabilities: Float64Array.from(values), sum: values.reduce((a, b) => a + b, 0) };
}
