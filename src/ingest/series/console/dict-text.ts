/**
 * A dictionary in the text of a program's output, in Python's or JSON's spelling, which may be cut off anywhere.
 *
 * @module
 */
import { readPrinted } from "./entry.ts";

export interface DictText {
  /** Numbers by name; those of an inner dictionary have its name and a dot before theirs. */
  readonly values: readonly (readonly [name: string, value: number])[];
  /** Where its last brace ends; undefined if it is not in the text. */
  readonly end: number | undefined;
  /** The name behind which the text does not go on as a dictionary. */
  readonly cut: string | undefined;
}

const NAME = /^\s*(['"])(.*?)\1\s*:\s*/s;
const OPENING = "{[(";
const CLOSING = "}])";

/** @param at of the first brace */
export function readDict(text: string, at: number): DictText {
  const values: (readonly [string, number])[] = [];
  let start = at + 1;
  let cut: string | undefined;
  for (const { end, isLast } of listEnds(text, at)) {
    const pair = text.slice(start, end);
    start = end + 1;
    if (pair.trim() === "") {
      if (isLast) return { values, end: start, cut };
      continue;
    }
    const name = NAME.exec(pair);
    if (name === null) {
      cut = shorten(pair);
      break;
    }
    values.push(...readValue(name[2]!, pair.slice(name[0].length).trim()));
    if (isLast) return { values, end: start, cut };
  }
  const rest = text.slice(start);
  return { values, end: undefined, cut: cut ?? NAME.exec(rest)?.[2] ?? shorten(rest) };
}

function readValue(name: string, text: string): (readonly [string, number])[] {
  if (text.startsWith("{"))
    return readDict(text, 0).values.map(([inner, value]) => [`${name}.${inner}`, value]);
  const value = readPrinted(text);
  return value === undefined ? [] : [[name, value]];
}

/** Ends of the dictionary's own pairs: commas outside of texts and inner brackets, then its last brace. */
function* listEnds(text: string, at: number): Generator<{ end: number; isLast: boolean }> {
  const brackets = new Brackets();
  for (let i = at; i < text.length; i++) {
    const character = text.charAt(i);
    brackets.take(character);
    if (brackets.depth === 0) {
      yield { end: i, isLast: true };
      return;
    }
    if (character === "," && brackets.depth === 1 && !brackets.isQuoted) yield { end: i, isLast: false };
  }
}

/** Follows brackets through a text, one character after the other; those in quotes do not count. */
export class Brackets {
  depth = 0;
  #quote = "";
  #isEscaped = false;

  get isQuoted(): boolean {
    return this.#quote !== "";
  }

  take(character: string): void {
    if (this.isQuoted) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (character === "\\") this.#isEscaped = true;
      else if (character === this.#quote) this.#quote = "";
    } else if (character === "'" || character === '"') this.#quote = character;
    else if (OPENING.includes(character)) this.depth++;
    else if (CLOSING.includes(character)) this.depth--;
  }
}

const shorten = (text: string): string => text.trim().slice(0, 40);
