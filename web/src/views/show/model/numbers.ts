/**
 * The numbers of a sequence's text, as `logratio digits` groups tokens into numbers.
 *
 * @module
 */

import type { NumberToken } from "../../../../../src/analyses/digits/index.ts";
import { findNumbers, formatDecimal, type NumberSpan } from "../../../../../src/analyses/digits/index.ts";
import { TOKEN_FLAGS } from "../../../../../src/core/base/index.ts";
import type { SequenceModel } from "./sequence-model.ts";

/** A token's part in its number. */
export interface NumberPlace {
  /** The whole number, without separators. */
  readonly number: string;
  /** The token's digits; empty for signs, points and commas. */
  readonly digits: string;
  /** Power of ten of its last digit; undefined without digits. */
  readonly power: number | undefined;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

export interface Numbers {
  /** Whether any token has digits. */
  readonly any: boolean;
  /** By place, counted from the first prompt token; undefined for tokens outside numbers. */
  readonly at: (place: number) => NumberPlace | undefined;
}

const NUMBER = /^( ?)([0-9]+)$/;

/**
 * Numbers end when the author changes: one that the policy continues after tool output counts as two. Computed on first
 * use.
 */
export function openNumbers(model: SequenceModel): Numbers {
  let found: ReadonlyMap<number, NumberPlace> | undefined;
  return {
    any: model.wire.flags.some((bits) => (bits & TOKEN_FLAGS.digit) !== 0),
    at: (place) => {
      found ??= findPlaces(model);
      return found.get(place);
    },
  };
}

function findPlaces(model: SequenceModel): ReadonlyMap<number, NumberPlace> {
  const { wire, length } = model;
  const tokens = new Map<number, NumberToken>();
  for (let place = 0; place < length; place++) {
    if ((wire.flags[place]! & TOKEN_FLAGS.digit) === 0) continue;
    const match = NUMBER.exec(model.textOf(place));
    if (match) tokens.set(place, { digits: match[2]!, spaced: match[1] !== "" });
  }
  // Places stand in for ids, so that each token's text is looked up by its place.
  const places = Int32Array.from({ length }, (_, place) => place);
  const vocabulary = {
    tokens,
    bare: [],
    spaced: [],
    multiDigitEntries: 0,
    longestEntry: 0,
    textOf: model.textOf,
  };
  const mask = new Uint8Array(length).fill(1);
  const found = new Map<number, NumberPlace>();
  for (const { from, to } of model.runs)
    for (const number of findNumbers(vocabulary, { ids: places, mask, start: from, end: to }))
      addNumber(found, number, from);
  return found;
}

function addNumber(found: Map<number, NumberPlace>, span: NumberSpan, start: number): void {
  const number = formatDecimal(span);
  const parts = new Map(span.parts.map((part) => [part.at, part]));
  const first = Math.max(start, span.parts[0]!.at - (span.negative ? 1 : 0));
  const last = span.parts.at(-1)!.at;
  for (let place = first; place <= last; place++) {
    const part = parts.get(place);
    found.set(place, {
      number,
      digits: part?.digits ?? "",
      power: part?.place,
      isFirst: place === first,
      isLast: place === last,
    });
  }
}

/** The largest power that the style sheet has a label for. */
const MOST_POWER = 15;
const LEAST_POWER = -9;

/** Classes in the strip while numbers are shown. */
export function numberClasses(part: NumberPlace | undefined): string {
  if (part === undefined) return " no-number";
  const { power } = part;
  const labelled = power !== undefined && power <= MOST_POWER && power >= LEAST_POWER;
  return ` in-number${labelled ? ` power${power < 0 ? "-m" : "-"}${Math.abs(power)}` : ""}${part.isFirst ? " first" : ""}${part.isLast ? " last" : ""}`;
}

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const NAMES: Readonly<Record<number, string>> = {
  0: "units",
  1: "tens",
  2: "hundreds",
  3: "thousands",
  [-1]: "tenths",
  [-2]: "hundredths",
};

/** `10²`, `10⁻¹`. */
export function powerText(power: number): string {
  const figures = [...String(Math.abs(power))].map((figure) => SUPERSCRIPTS[Number(figure)]).join("");
  return `10${power < 0 ? "⁻" : ""}${figures}`;
}

/** `digit of 1742.5 · 10² (hundreds)`; for a token of several digits `digits 10⁵ to 10³ of 123456`. */
export function describeNumber({ number, digits, power }: NumberPlace): string {
  if (power === undefined) return `part of the number ${number}`;
  if (digits.length > 1)
    return `digits ${powerText(power + digits.length - 1)} to ${powerText(power)} of ${number}`;
  const name = NAMES[power];
  return `${powerText(power)}${name === undefined ? "" : ` (${name})`} of ${number}`;
}
