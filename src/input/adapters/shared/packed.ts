/**
 * Sequences end to end in flat arrays, cut by a list of lengths: one of xtuner's packs.
 *
 * Two alignments occur. With shifted labels entry j is about token j + 1 (training alignment), and a label of -100
 * means "not trained on"; the last label may be a token that the inputs no longer hold (xtuner drops it there). With a
 * response mask alone entry j is about token j.
 *
 * @module
 */
import type { NumericArray } from "../../../core/base/index.ts";
import type { SequenceDraft } from "../../../core/schema/index.ts";
import { countOnes } from "./masks.ts";

const IGNORED_LABEL = -100;

/** The arrays of a pack over one span of tokens. */
export interface PackSpan {
  readonly rollout?: NumericArray | undefined;
  readonly trainer?: NumericArray | undefined;
  readonly policies: Readonly<Record<string, NumericArray>>;
  readonly entropies: Readonly<Record<string, NumericArray>>;
  readonly inputIds?: NumericArray | undefined;
  readonly labels?: NumericArray | undefined;
  readonly mask?: NumericArray | undefined;
  /** The first mask, when `mask` combines several. */
  readonly firstMask?: NumericArray | undefined;
  readonly positions?: NumericArray | undefined;
  readonly advantages?: NumericArray | undefined;
}

/** A sequence, and the position of its first response token in the span. */
interface CutSequence {
  readonly first: number;
  readonly draft: SequenceDraft;
}

type Cut = (values: NumericArray) => NumericArray;

function cutColumns(span: PackSpan, cut: Cut): Partial<SequenceDraft> {
  const each = (named: Readonly<Record<string, NumericArray>>): Record<string, NumericArray> =>
    Object.fromEntries(Object.entries(named).map(([name, values]) => [name, cut(values)]));
  return {
    rolloutLogprobs: span.rollout && cut(span.rollout),
    trainerLogprobs: span.trainer && cut(span.trainer),
    policyLogprobs: each(span.policies),
    entropies: each(span.entropies),
    advantages: span.advantages && cut(span.advantages),
  };
}

/** Tokens `[start, end)` of a span whose entries are about the next token. */
function shifted(span: PackSpan, labels: NumericArray, start: number, end: number): CutSequence {
  let first = start;
  while (first < end && labels[first] === IGNORED_LABEL) first++;
  const ids = span.inputIds;
  if (first === end) {
    const draft = {
      ...cutColumns(span, (values) => values.subarray(0, 0)),
      length: 0,
      responseMask: new Uint8Array(0),
      promptTokenIds: ids?.subarray(start, end),
    };
    return { first, draft };
  }
  // The last entry is about the token after the span: it counts only if it has a label.
  const last = labels[end - 1] === IGNORED_LABEL ? end - 1 : end;
  const length = last - first;
  const responseMask = new Uint8Array(length);
  const responseTokenIds = new Int32Array(length).fill(-1);
  for (let t = 0; t < length; t++) {
    const label = labels[first + t]!;
    if (label !== IGNORED_LABEL) {
      responseMask[t] = 1;
      responseTokenIds[t] = label;
    } else if (ids !== undefined) responseTokenIds[t] = ids[first + t + 1]!;
  }
  const { positions } = span;
  const draft = {
    ...cutColumns(span, (values) => values.subarray(first, last)),
    length,
    responseMask,
    responseTokenIds,
    positionIds: positions && Int32Array.from({ length }, (_, t) => positions[first + t]! + 1),
    promptTokenIds: ids?.subarray(start, first + 1),
  };
  return { first, draft };
}

/** Tokens `[start, end)` of a span whose entries are about the token itself. */
function aligned(span: PackSpan, mask: NumericArray | undefined, start: number, end: number): CutSequence {
  let first = start;
  if (mask !== undefined) while (first < end && mask[first] === 0) first++;
  // A mask of zeros does not say where the response begins.
  if (first === end) first = start;
  const ids = span.inputIds;
  const draft = {
    ...cutColumns(span, (values) => values.subarray(first, end)),
    length: end - first,
    responseMask: mask?.subarray(first, end) ?? new Uint8Array(end - first).fill(1),
    firstMaskTokens: span.firstMask && countOnes(span.firstMask.subarray(start, end)),
    responseTokenIds: ids?.subarray(first, end),
    positionIds: span.positions?.subarray(first, end),
    promptTokenIds: ids?.subarray(start, first),
  };
  return { first, draft };
}

/**
 * Drafts of the sequences of a span; `lengths` add up to its length.
 *
 * @param place Start of the span in its pack, and the number of tokens in the pack.
 */
export function cutPack(
  span: PackSpan,
  lengths: ArrayLike<number>,
  place: { readonly start: number; readonly width: number },
): SequenceDraft[] {
  const drafts: SequenceDraft[] = [];
  let start = 0;
  for (let i = 0; i < lengths.length; i++) {
    const end = start + lengths[i]!;
    const { first, draft } =
      span.labels === undefined
        ? aligned(span, span.mask, start, end)
        : shifted(span, span.labels, start, end);
    drafts.push({ ...draft, array: { layout: "packed", start: place.start + first, width: place.width } });
    start = end;
  }
  return drafts;
}

/** True when tokens `[start, end)` are one repeated token without a label: the padding at the end of a pack. */
export function isFilling(span: PackSpan, start: number, end: number): boolean {
  const { labels, inputIds } = span;
  if (labels === undefined || inputIds === undefined || end - start < 2) return false;
  for (let i = start; i < end; i++)
    if (labels[i] !== IGNORED_LABEL || inputIds[i] !== inputIds[start]) return false;
  return true;
}
