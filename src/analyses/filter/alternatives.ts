/**
 * Filters as alternatives, at least one of which must hold: the disjunctive normal form of the text.
 *
 * @module
 */
import type { Term } from "./parse.ts";

/** All terms of an alternative must hold. An alternative without terms always holds. */
export type Alternatives = readonly (readonly Term[])[];

/** More alternatives are refused: brackets multiply them. */
export const MOST_ALTERNATIVES = 64;

/** A part of a filter, as written and negated; undefined if it needs too many alternatives. */
export interface Operand {
  readonly holds: Alternatives | undefined;
  readonly fails: Alternatives | undefined;
}

export function makeOperand(term: Term): Operand {
  return { holds: [[term]], fails: [[negate(term)]] };
}

/** By De Morgan's laws, "both" fails if either fails. */
export function both(a: Operand, b: Operand): Operand {
  return { holds: product(a.holds, b.holds), fails: sum(a.fails, b.fails) };
}

export function either(a: Operand, b: Operand): Operand {
  return { holds: sum(a.holds, b.holds), fails: product(a.fails, b.fails) };
}

export function negated({ holds, fails }: Operand): Operand {
  return { holds: fails, fails: holds };
}

/** Combines each alternative of `a` with each of `b`. */
export function narrowed(a: Alternatives, b: Alternatives): Alternatives {
  return a.flatMap((terms) => b.map((others) => [...terms, ...others]));
}

function product(a: Alternatives | undefined, b: Alternatives | undefined): Alternatives | undefined {
  return a && b && a.length * b.length <= MOST_ALTERNATIVES ? narrowed(a, b) : undefined;
}

function sum(a: Alternatives | undefined, b: Alternatives | undefined): Alternatives | undefined {
  return a && b && a.length + b.length <= MOST_ALTERNATIVES ? [...a, ...b] : undefined;
}

function negate(term: Term): Term {
  const { text } = term;
  // A lone dash is a word.
  const without = text.length > 1 && text.startsWith("-") ? text.slice(1) : `-${text}`;
  return { ...term, negated: !term.negated, text: without };
}
