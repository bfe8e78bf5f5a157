/**
 * One pair of sequences, token by token. Both start with the same response tokens and then differ.
 *
 * @module
 */

import type { WireSequence } from "../../../../src/results/wire/sequence.ts";
import { sharedTokens } from "../../../../src/results/wire/shared-tokens.ts";

/** How places of the two texts are aligned. */
export const ALIGNMENTS = [
  {
    name: "index",
    title: "by token",
    hint: "the nth token beside the nth, as long as both texts are the same",
  },
  {
    name: "turns",
    title: "by turn",
    hint: "each turn, with the tool output after it, from its first token on",
  },
  {
    name: "own",
    title: "by own turn",
    hint: "what the policy wrote in its nth turn; tool output has no partner",
  },
] as const;
export type Alignment = (typeof ALIGNMENTS)[number]["name"];

/** Everything is indexed by place: the token's index in both, unless they are aligned by turns. */
export interface PairModel {
  readonly a: WireSequence;
  readonly b: WireSequence;
  readonly alignment: Alignment;
  /** The number of places. */
  readonly length: number;
  /** The number of response tokens that both start with. */
  readonly shared: number;
  /** `[places]`: the index of the response token there, -1 without one. */
  readonly tokensA: Int32Array;
  readonly tokensB: Int32Array;
  /** `[places]` each: Δ, NaN where the mask is 0 or a log-prob is missing. */
  readonly deltasA: Float64Array;
  readonly deltasB: Float64Array;
  /** `[places]`: Δb − Δa where both have the same token, NaN likewise. */
  readonly differences: Float64Array;
  /** The number of tokens of each that have no partner. */
  readonly alone: { readonly a: number; readonly b: number };
  /** Where |Δb − Δa| is largest, in the order of the text. */
  readonly stops: readonly number[];
  /** Where it is largest of all; undefined if there is no difference. */
  readonly largest: number | undefined;
}

/** The most places that `.` and `,` go to. */
const MOST_STOPS = 20;
/** The most tokens that are in the page at a time. */
export const WINDOW = 400;

export function pairModel(a: WireSequence, b: WireSequence, alignment: Alignment = "index"): PairModel {
  const shared = sharedTokens(a, b);
  const places = alignment === "index" ? byIndex(a, b) : byTurns(a, b, alignment === "own");
  const [tokensA, tokensB] = [0, 1].map((side) => Int32Array.from(places, (pair) => pair[side]!)) as [
    Int32Array,
    Int32Array,
  ];
  const [deltasA, deltasB] = [computeDeltas(a, tokensA), computeDeltas(b, tokensB)];
  const differences = deltasA.map((delta, at) => {
    const [one, other] = [tokensA[at]!, tokensB[at]!];
    const isSame =
      alignment === "index" ? at < shared : one >= 0 && other >= 0 && getId(a, one) === getId(b, other);
    const difference = deltasB[at]! - delta;
    return isSame && Number.isFinite(difference) ? difference : Number.NaN;
  });
  const ranked = [...differences.keys()]
    .filter((at) => Math.abs(differences[at]!) > 0)
    .sort((one, other) => Math.abs(differences[other]!) - Math.abs(differences[one]!));
  const alone = (own: Int32Array, others: Int32Array): number =>
    own.filter((token, at) => token >= 0 && others[at]! < 0).length;
  return {
    a,
    b,
    alignment,
    length: places.length,
    shared,
    tokensA,
    tokensB,
    deltasA,
    deltasB,
    differences,
    alone: { a: alone(tokensA, tokensB), b: alone(tokensB, tokensA) },
    stops: ranked.slice(0, MOST_STOPS).sort((one, other) => one - other),
    largest: ranked[0],
  };
}

type Place = readonly [a: number, b: number];

function byIndex(a: WireSequence, b: WireSequence): Place[] {
  return alongside(range(0, a.mask.length), range(0, b.mask.length));
}

function byTurns(a: WireSequence, b: WireSequence, onlyOwn: boolean): Place[] {
  const [partsA, partsB] = [splitParts(a), splitParts(b)];
  const count = Math.max(partsA.length, partsB.length);
  return Array.from({ length: count }).flatMap((_, part) => {
    const [one, other] = [partsA[part] ?? [], partsB[part] ?? []];
    if (!onlyOwn) return alongside(one, other);
    const isOwn =
      ({ mask }: WireSequence) =>
      (token: number) =>
        mask[token] !== 0;
    return [
      ...alongside(one.filter(isOwn(a)), other.filter(isOwn(b))),
      ...one.filter((token) => !isOwn(a)(token)).map((token): Place => [token, -1]),
      ...other.filter((token) => !isOwn(b)(token)).map((token): Place => [-1, token]),
    ];
  });
}

/** Tokens before the first turn, then those of each turn up to the next one. */
function splitParts({ turnMarks }: WireSequence): number[][] {
  const parts: number[][] = [[]];
  let part = 0;
  for (const [token, mark] of turnMarks.entries()) {
    part = Math.max(part, mark);
    while (parts.length <= part) parts.push([]);
    parts[part]!.push(token);
  }
  return parts;
}

function alongside(one: readonly number[], other: readonly number[]): Place[] {
  return range(0, Math.max(one.length, other.length)).map((at) => [one[at] ?? -1, other[at] ?? -1]);
}

export function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
}

export function getId({ ids, meta }: WireSequence, token: number): number {
  return ids[meta.promptLength + token]!;
}

function computeDeltas({ trainer, rollout, mask }: WireSequence, tokens: Int32Array): Float64Array {
  return Float64Array.from(tokens, (token) =>
    token < 0 || mask[token] === 0 ? Number.NaN : trainer[token]! - rollout[token]!,
  );
}

/** The tokens to show so that `token` is in sight: `[from, to)`. */
export function windowAt({ length }: Pick<PairModel, "length">, token: number): readonly [number, number] {
  const inside = Math.max(0, Math.min(token, length - 1));
  const from = inside - (inside % WINDOW);
  return [from, Math.min(length, from + WINDOW)];
}

/** The next stop after a token, or the one before it. */
export function nextStop(stops: readonly number[], token: number, direction: 1 | -1): number | undefined {
  return direction === 1 ? stops.find((at) => at > token) : stops.findLast((at) => at < token);
}
