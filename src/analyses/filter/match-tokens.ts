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

/** Indices of the matching response tokens, ascending. */
export type TokenMatcher = (tokens: TokenColumns) => Uint32Array;

/**
 * Finds the tokens that satisfy every token term of an alternative; ignores sequence terms (`tableMatcher` handles
 * both). Only tokens with mask 1 match, unless a term of the alternative is about the mask; without token terms all of
 * them match. A missing value is in no range and has no text or class; `-` inverts that too.
 */
export function tokenMatcher(alternatives: Alternatives): TokenMatcher {
  return uniteMatchers(alternatives.map(allMatcher));
}

/** The union of the indices that these find. */
export function uniteMatchers(matchers: readonly TokenMatcher[]): TokenMatcher {
  if (matchers.length === 1) return matchers[0]!;
  return (tokens) => {
    const found = new Uint8Array(tokens.length);
    for (const match of matchers) for (const place of match(tokens)) found[place] = 1;
    return placesOfOnes(found);
  };
}

/** {@link tokenMatcher} for one alternative. */
export function allMatcher(terms: readonly Term[]): TokenMatcher {
  const { token: own } = byScope(terms);
  const trainedOnly = !own.some(isAboutMask);
  // Numbers first, so that fewer texts have to be read.
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

/** Keeps those of the first `count` indices that satisfy a term, in order; returns their number. */
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
