/**
 * From a word to a term; a leading `-` negates it.
 *
 * @module
 */

import type { TokenClass } from "../../core/base/index.ts";
import { readHandle } from "../../core/schema/index.ts";
import type { Field, TokenClassField } from "./field.ts";
import { fieldNamed, nearestField, nearestName } from "./fields.ts";
import type { Part, Word } from "./words.ts";

/** A range `[from, to)` of the text. */
interface Place {
  readonly from: number;
  readonly to: number;
}

/** A word or mark of a filter that could not be parsed. */
export interface Problem extends Place {
  readonly message: string;
  /** The consequence, if the word is not simply left out: "read as closed at the end". */
  readonly effect?: string;
  /** The filter with this word as it was probably meant. */
  readonly instead?: string;
}

/** Both ends are included unless open. */
export interface Range {
  readonly low: number;
  readonly high: number;
  readonly lowOpen: boolean;
  readonly highOpen: boolean;
}

export type Test =
  /** In any of the ranges. */
  | { readonly kind: "within"; readonly ranges: readonly Range[]; readonly orMissing: boolean }
  /** Any of the texts, in full or as a part, ignoring case. */
  | {
      readonly kind: "text";
      readonly texts: readonly string[];
      readonly whole: boolean;
      readonly orMissing: boolean;
    }
  | { readonly kind: "class"; readonly classes: readonly TokenClass[]; readonly orMissing: boolean }
  /** `s12.r3.q41`; omitted parts match anything. */
  | { readonly kind: "handle"; readonly step?: number; readonly rank?: number; readonly row: number };

/** One condition. */
export interface Term extends Place {
  /** By a leading `-`, or by negated brackets. */
  readonly negated: boolean;
  /** As written; inside a negated bracket, as it would be written outside. */
  readonly text: string;
  /** Absent: matches any text of the sequence, or its handle. */
  readonly field?: Field;
  readonly test: Test;
}

/** Parses a word: returns a term, or the problem with it. */
export function parseWord(word: Word, text: string): Term | Problem {
  return word.openQuote === undefined
    ? parseTerm(word, text)
    : { from: word.openQuote, to: word.to, message: "this quote is never closed" };
}

function parseTerm(word: Word, text: string): Term | Problem {
  const { from, to, negated, field: named, operator, parts } = word;
  if (named === undefined || operator === undefined) return bare(word, text);
  const field = fieldNamed(named.name);
  const start = from + (negated ? 1 : 0);
  if (field === undefined) {
    const near = nearestField(named.name);
    const message = `there is no field "${named.name}"${near ? `; the nearest is ${near.name}` : ""}`;
    const instead = near && text.slice(0, start) + near.name + text.slice(named.to);
    return { from: start, to: named.to, message, ...(instead !== undefined && { instead }) };
  }
  if (parts.length === 0)
    return { from, to, message: `${field.name}${operator} needs a value, as in ${field.example}` };
  const turned = operator === "!=";
  const test =
    field.kind === "text"
      ? textTest(field, operator, parts)
      : field.kind === "class"
        ? classTest(field, operator, parts, text)
        : numberTest(field, operator, parts, { from, to });
  if ("message" in test) return test;
  return { from, to, negated: negated !== turned, text: text.slice(from, to), field, test };
}

function bare({ from, to, negated, parts }: Word, all: string): Term | Problem {
  if (parts.length === 0) return { from, to, message: "a word or a field with a value is missing here" };
  const term = { from, to, negated, text: all.slice(from, to) };
  const [first] = parts;
  if (parts.length === 1 && !first!.quoted) {
    const handle = readHandle(first!.text);
    if (handle !== undefined) {
      const { sequence: row, token: _, ...known } = handle;
      return { ...term, test: { kind: "handle", ...known, row } };
    }
    if (/^or$/i.test(all.slice(from, to))) {
      const instead = `${all.slice(0, from)}|${all.slice(to)}`;
      return { from, to, message: 'or is written |; a text to look for is written "or"', instead };
    }
  }
  const texts = parts.map((part) => part.text);
  return { ...term, test: { kind: "text", texts, whole: false, orMissing: false } };
}

function textTest(field: Field, operator: string, parts: readonly Part[]): Test | Problem {
  if (operator.startsWith("<") || operator.startsWith(">")) {
    const { from } = parts[0]!;
    return {
      from,
      to: parts.at(-1)!.to,
      message: `${field.name} is text: use : for a part of it, = for all`,
    };
  }
  const missing = parts.filter(isNone);
  const texts = parts.filter((part) => !isNone(part)).map((part) => part.text);
  return { kind: "text", texts, whole: operator !== ":", orMissing: missing.length > 0 };
}

function classTest(
  field: TokenClassField,
  operator: string,
  parts: readonly Part[],
  all: string,
): Test | Problem {
  const named = textTest(field, operator, parts);
  if ("message" in named || named.kind !== "text") return named;
  const classes: TokenClass[] = [];
  for (const part of parts.filter((each) => !isNone(each))) {
    const { text, from, to } = part;
    const known = field.classes.find((name) => name === text.toLowerCase());
    if (known !== undefined) {
      classes.push(known);
      continue;
    }
    const near = nearestName(text, field.classes);
    return {
      from,
      to,
      message: `there is no class "${text}"; ${near ? `the nearest is ${near}` : `there are ${field.classes.join(", ")}`}`,
      ...(near && { instead: all.slice(0, from) + near + all.slice(to) }),
    };
  }
  return { kind: "class", classes, orMissing: named.orMissing };
}

function numberTest(field: Field, operator: string, parts: readonly Part[], at: Place): Test | Problem {
  const ranges: Range[] = [];
  let orMissing = false;
  const compares = operator.startsWith("<") || operator.startsWith(">");
  for (const part of parts) {
    if (isNone(part) && !compares) {
      orMissing = true;
      continue;
    }
    const range = parseRange(field, operator, part);
    if ("message" in range) return range;
    ranges.push(range);
  }
  if (compares && parts.length > 1) return { ...at, message: `${operator} takes one number; a list needs :` };
  return { kind: "within", ranges, orMissing };
}

function parseRange(field: Field, operator: string, part: Part): Range | Problem {
  const { from, to, text } = part;
  const wrong = (what: string): Problem => ({ from, to, message: what });
  if (field.kind === "yes-no") {
    const value = YES_NO.get(text.toLowerCase());
    if (value === undefined || operator.startsWith("<") || operator.startsWith(">"))
      return wrong(`${field.name} takes yes, no or none, as in ${field.example}`);
    return exactly(value);
  }
  const ends = /^(.*?)\.\.(.*)$/.exec(text);
  if (ends !== null) {
    if (operator !== ":" && operator !== "=" && operator !== "!=")
      return wrong(`a range needs ${field.name}: before it, as in ${field.name}:10..30`);
    const low = ends[1] === "" ? Number.NEGATIVE_INFINITY : parseNumber(ends[1]!);
    const high = ends[2] === "" ? Number.POSITIVE_INFINITY : parseNumber(ends[2]!);
    if (low === undefined || high === undefined || text === "..")
      return wrong(`"${text}" is not a range, as in 10..30`);
    if (low > high) return wrong(`the range ${text} is empty: ${ends[1]} is above ${ends[2]}`);
    return { low, high, lowOpen: false, highOpen: false };
  }
  const value = parseNumber(text);
  if (value === undefined) return wrong(`"${text}" is not a number, as in ${field.example}`);
  if (operator === ">" || operator === ">=")
    return { low: value, high: Number.POSITIVE_INFINITY, lowOpen: operator === ">", highOpen: false };
  if (operator === "<" || operator === "<=")
    return { low: Number.NEGATIVE_INFINITY, high: value, lowOpen: false, highOpen: operator === "<" };
  return exactly(value);
}

const YES_NO = new Map([
  ["yes", 1],
  ["true", 1],
  ["1", 1],
  ["right", 1],
  ["no", 0],
  ["false", 0],
  ["0", 0],
  ["wrong", 0],
]);

function exactly(value: number): Range {
  return { low: value, high: value, lowOpen: false, highOpen: false };
}

function isNone({ text, quoted }: Part): boolean {
  return !quoted && text.toLowerCase() === "none";
}

function parseNumber(text: string): number | undefined {
  if (/^[-+]?inf(inity)?$/i.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) : undefined;
}
