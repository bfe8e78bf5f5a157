/**
 * Which terms are about sequences, and which are about tokens.
 *
 * @module
 */
import type { Alternatives } from "./alternatives.ts";
import type { Range, Term } from "./parse.ts";

export interface Scopes {
  readonly sequence: readonly Term[];
  readonly token: readonly Term[];
}

export function byScope(terms: readonly Term[]): Scopes {
  const isToken = ({ field }: Term): boolean => field?.scope === "token";
  return { sequence: terms.filter((term) => !isToken(term)), token: terms.filter(isToken) };
}

/** The alternatives without token terms: sequences match them regardless of their tokens. */
export function withoutTokens(alternatives: Alternatives): Alternatives {
  return alternatives.filter((terms) => byScope(terms).token.length === 0);
}

/** Whether any term depends on the text of tokens. */
export function needsTexts(terms: readonly Term[]): boolean {
  return terms.some(({ field }) => field?.scope === "token" && field.kind !== "number");
}

/** Whether only the tokens themselves show which sequences match; `abs>0.5` alone does not need them. */
export function needsTokens(alternatives: Alternatives): boolean {
  return alternatives.some(asksTokens);
}

function asksTokens(terms: readonly Term[]): boolean {
  const { token } = byScope(terms);
  if (token.length !== 1) return token.length > 0;
  const [{ test }] = token as [Term];
  if (largestAbsNeeded(token) === undefined || test.kind !== "within") return true;
  return test.ranges.some(({ high }) => high !== Number.POSITIVE_INFINITY);
}

/**
 * The range that a sequence's largest |Δ| must be in for any of its tokens to match: above the smallest |Δ| required.
 * Undefined if |Δ| does not matter, or if there is a `mask:` term: the largest |Δ| is over tokens with mask 1.
 */
export function largestAbsNeeded(terms: readonly Term[]): Range | undefined {
  const { token } = byScope(terms);
  if (token.some(isAboutMask)) return undefined;
  return token
    .map(smallestAbs)
    .reduce((a, b) => (a === undefined || (b !== undefined && b.low > a.low) ? b : a), undefined);
}

function smallestAbs({ field, negated, test }: Term): Range | undefined {
  if (field?.name !== "abs" || negated || test.kind !== "within" || test.orMissing) return undefined;
  const { low, lowOpen } = test.ranges.reduce((a, b) =>
    b.low < a.low || (b.low === a.low && !b.lowOpen) ? b : a,
  );
  return { low, lowOpen, high: Number.POSITIVE_INFINITY, highOpen: false };
}

export function isAboutMask({ field }: Term): boolean {
  return field?.name === "mask";
}
