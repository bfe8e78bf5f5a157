/**
 * Matches alternatives with the table of sequences and the tokens of its rows.
 *
 * @module
 */
import type { SequenceTable } from "../../results/wire/table.ts";
import type { Alternatives } from "./alternatives.ts";
import { matchingRows, rowsOfAll } from "./match-rows.ts";
import { allMatcher, type TokenMatcher, tokenMatcher, uniteMatchers } from "./match-tokens.ts";
import { byScope } from "./scopes.ts";

/** What a filter finds in a table of sequences. */
export interface TableMatch {
  /** As found by `matchingRows`. */
  readonly rows: Uint32Array;
  /** Matches the tokens of one of these rows by the alternatives whose sequence terms it satisfies. */
  readonly tokensOf: (row: number) => TokenMatcher;
  /** Whether a row matches regardless of its tokens, even without any. */
  readonly holdsWithoutTokens: (row: number) => boolean;
}

export type TableMatcher = (table: SequenceTable) => TableMatch;

/** Finds matching rows of tables, and in each the tokens that satisfy all terms of an alternative. */
export function tableMatcher(alternatives: Alternatives): TableMatcher {
  const isBare = alternatives.map((terms) => byScope(terms).token.length === 0);
  if (alternatives.length === 1) {
    const match = tokenMatcher(alternatives);
    const [bare] = isBare;
    return (table) => ({
      rows: matchingRows(table, alternatives),
      tokensOf: () => match,
      holdsWithoutTokens: () => bare!,
    });
  }
  const matchers = alternatives.map(allMatcher);
  return (table) => {
    const holds = alternatives.map((terms) => {
      const marks = new Uint8Array(table.length);
      for (const row of rowsOfAll(table, terms)) marks[row] = 1;
      return marks;
    });
    const heldAt = (row: number) => (_: unknown, at: number) => holds[at]![row] === 1;
    return {
      rows: matchingRows(table, alternatives),
      tokensOf: (row) => uniteMatchers(matchers.filter(heldAt(row))),
      holdsWithoutTokens: (row) => isBare.some((bare, at) => bare && holds[at]![row] === 1),
    };
  };
}
