/**
 * Terms over the response tokens of one sequence.
 *
 * @module
 */
import { tokenClass } from "../../core/base/index.ts";
import type { Alternatives } from "./alternatives.ts";
import type { TokenNumberField } from "./field.ts";
import { placesOfOnes } from "./match-rows.ts";
import type { Term, Test } from "./parse.ts";
import { byScope, isAboutMask } from "./scopes.ts";
import { numberTest, textTest } from "./tests.ts";
import type { TokenColumns } from "./token-columns.ts";

/** Places of the response tokens that match, ascending. */
export type TokenMatcher = (tokens: TokenColumns) => Uint32Array;

/**
 * Finds the tokens at which every token term of an alternative holds; sequence terms are passed over
 * (`tableMatcher` has both). Only tokens with mask 1 match, unless a term of the alternative is about the mask; without
 * token terms all of them do. A missing value is within no range, has no text and no class; `-` turns that round as well.
 */
export function tokenMatcher(alternatives: Alternatives): TokenMatcher {
  return uniteMatchers(alternatives.map(allMatcher));
}

/** The places that any of these find. */
export function uniteMatchers(matchers: readonly TokenMatcher[]): TokenMatcher {
  if (matchers.length === 1) return matchers[0]!;
  return (tokens) => {
    const found = new Uint8Array(tokens.length);
    for (const match of matchers) for (const place of match(tokens)) found[place] = 1;
    return placesOfOnes(found);
  };
}

/** As {@link tokenMatcher}, of one alternative. */
export function allMatcher(terms: readonly Term[]): TokenMatcher {
  const { token: own } = byScope(terms);
  const trainedOnly = !own.some(isAboutMask);
  // Numbers first: texts are read of what they leave.
  const tests = [...own].sort((a, b) => rankCost(a) - rankCost(b)).map(keeper);
  let room = new Uint32Array(0);
  return (tokens) => {
    const { length, mask } = tokens;
    if (room.length < length) room = new Uint32Array(Math.max(length, 2 * room.length));
    let count = 0;
    for (let token = 0; token < length; token++) if (!trainedOnly || mask[token] !== 0) room[count++] = token;
    for (const keep of tests) {
      if (count === 0) break;
      count = keep(tokens, room, count);
    }
    return room.slice(0, count);
  };
}

/** Leaves of the first `count` places those at which a term holds, in order; how many there are. */
type Keeper = (tokens: TokenColumns, places: Uint32Array, count: number) => number;

function rankCost({ field }: Term): number {
  return field?.kind === "number" ? 0 : 1;
}

function keeper({ field, test, negated }: Term): Keeper {
  if (field?.scope !== "token") return (_, __, count) => count;
  const holdsAt = field.kind === "number" ? numberAt(field, test) : textAt(test);
  return (tokens, places, count) => {
    const holds = holdsAt(tokens);
    let kept = 0;
    for (let at = 0; at < count; at++) {
      const token = places[at]!;
      if (holds(token) !== negated) places[kept++] = token;
    }
    return kept;
  };
}

type HoldsAt = (tokens: TokenColumns) => (token: number) => boolean;

function numberAt(field: TokenNumberField, test: Test): HoldsAt {
  if (test.kind !== "within") return () => () => false;
  const passes = numberTest(test);
  return (tokens) => {
    const valueAt = field.at(tokens);
    return (token) => passes(valueAt(token));
  };
}

function textAt(test: Test): HoldsAt {
  if (test.kind !== "text" && test.kind !== "class") return () => () => false;
  const { orMissing } = test;
  const passes =
    test.kind === "text"
      ? textTest(test)
      : (text: string, flags: number) => test.classes.includes(tokenClass(text, flags));
  return ({ texts }) => {
    return (token) => {
      const text = texts?.textAt(token);
      return text === undefined ? orMissing : passes(text, texts!.flagsAt(token));
    };
  };
}
