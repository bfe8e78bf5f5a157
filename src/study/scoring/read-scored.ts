/**
 * Reads the scores of a study: each text under policies P and Q.
 *
 * @module
 */

import { LengthMismatchError } from "../../core/base/index.ts";
import { statIfPresent } from "../../input/io/index.ts";
import { klBounds } from "../analysis/bounds/bounds.ts";
import type { TopKRow } from "../analysis/bounds/known-parts.ts";
import type { PairScores, PolicyScores, ScoredText } from "../analysis/study.ts";
import { computeKey } from "./score-study.ts";
import type { PairColumns } from "./score-text.ts";
import { paths } from "./store/manifest.ts";
import { readScores, type ScoreRow } from "./store/scores-file.ts";
import type { PreparedText } from "./texts/prepare-text.ts";

export interface ReadScoredOptions {
  /** Smallest log-prob that a policy gives any token, nats; see {@link klBounds}. */
  readonly floor: number | undefined;
  /** Columns of the distributions; null if unknown. */
  readonly vocabularySize: number | null;
  /** Places of the requested texts; default all. Bounds of the others are not computed. */
  readonly only?: ReadonlySet<number>;
}

/** A text's place in the study, and its scores. */
export interface IndexedScores {
  readonly index: number;
  readonly scored: ScoredText;
}

export async function hasScores(dir: string, policy: string): Promise<boolean> {
  return (await statIfPresent(paths.scores(dir, policy))) !== undefined;
}

/**
 * Texts that both P and Q have scores for, in the study's order. Holds one text at a time, unless the files are in a
 * different order from the study (its texts were reordered since): it then keeps texts that come early.
 */
export async function* readPair(
  dir: string,
  texts: readonly PreparedText[],
  p: string,
  q: string,
  options: ReadScoredOptions,
): AsyncGenerator<IndexedScores> {
  const places = new Map(texts.map((text, index) => [computeKey(text), index]));
  const early = new Map<number, ScoreRow>();
  const others = indexedScores(dir, q, places);
  try {
    for await (const [index, row] of indexedScores(dir, p, places)) {
      if (options.only?.has(index) === false) continue;
      let other = early.get(index);
      while (other === undefined) {
        const next = await others.next();
        if (next.done) break;
        const [place, candidate] = next.value;
        if (place === index) other = candidate;
        else early.set(place, candidate);
      }
      early.delete(index);
      if (other !== undefined) yield { index, scored: scoredText(texts[index]!, row, other, q, options) };
    }
  } finally {
    await others.return(undefined);
  }
}

/** Rows of a policy's file with the indices of their texts in the study; texts no longer in the study are left out. */
export async function* indexedScores(
  dir: string,
  policy: string,
  places: ReadonlyMap<string, number>,
): AsyncGenerator<readonly [number, ScoreRow]> {
  for await (const row of readScores(paths.scores(dir, policy))) {
    const index = places.get(row.key);
    if (index !== undefined) yield [index, row];
  }
}

function scoredText(
  text: PreparedText,
  row: ScoreRow,
  other: ScoreRow,
  q: string,
  options: ReadScoredOptions,
): ScoredText {
  for (const { logprobs } of [row, other]) {
    if (logprobs.length !== text.tokenIds.length) {
      throw new LengthMismatchError(
        `${text.id} has ${text.tokenIds.length} response tokens, its scores have ${logprobs.length}`,
        { likely: "the study's files were mixed up with another study's" },
      );
    }
  }
  return {
    text,
    p: policyScores(row),
    q: policyScores(other),
    pair: row.pairs[q] === undefined ? computeBounds(row, other, text, options) : pairScores(row.pairs[q]),
  };
}

function policyScores({ logprobs, entropies, ranks, topK, attention }: ScoreRow): PolicyScores {
  return {
    logprobs,
    ...(entropies !== undefined && { entropies }),
    ranks,
    topK,
    ...(attention !== undefined && {
      attentionToError: attention.toError,
      attentionToControl: attention.toControl,
      attentionHeads: attention.heads,
    }),
  };
}

function pairScores({ klWithoutError, klWithoutControl, ...pair }: PairColumns): PairScores {
  return {
    ...pair,
    ...(klWithoutError !== undefined && { forwardKlWithoutError: klWithoutError }),
    ...(klWithoutControl !== undefined && { forwardKlWithoutControl: klWithoutControl }),
  };
}

/** The k most probable tokens of a policy at token t, and the text's own token if known. */
function listAt({ topK, logprobs }: ScoreRow, tokenIds: Int32Array, t: number): TopKRow {
  const start = t * topK.k;
  return {
    ids: topK.ids.subarray(start, start + topK.k),
    logprobs: topK.logprobs.subarray(start, start + topK.k),
    actual: { id: tokenIds[t]!, logprob: logprobs[t]! },
  };
}

/** Bounds of D(P‖Q) if one of the two gave only its most probable tokens. */
function computeBounds(
  row: ScoreRow,
  other: ScoreRow,
  { tokenIds }: PreparedText,
  { floor, vocabularySize }: ReadScoredOptions,
): PairScores {
  const forwardKlLower = new Float64Array(tokenIds.length);
  const forwardKlUpper = new Float64Array(tokenIds.length);
  const options = { vocabularySize, ...(floor !== undefined && { floor }) };
  for (let t = 0; t < tokenIds.length; t++) {
    const { low, high } = klBounds(listAt(row, tokenIds, t), listAt(other, tokenIds, t), options).forwardKl;
    forwardKlLower[t] = low;
    forwardKlUpper[t] = high;
  }
  return { forwardKlLower, forwardKlUpper };
}
