/**
 * Completions of a filter at the caret: names of fields, their values, saved filters. Independent of the page.
 *
 * @module
 */
import type { Field } from "./field.ts";
import { FIELDS, fieldNamed } from "./fields.ts";
import { joinFilters } from "./filter.ts";
import { quoted, splitWords, type Word } from "./words.ts";

export interface Completion {
  readonly label: string;
  /** One line: the meaning of the field, the frequency of the value, or the text of the saved filter. */
  readonly help: string;
  /** The whole filter with the completion, and where typing continues. */
  readonly text: string;
  readonly caret: number;
}

/** A value that occurs, and its help line. */
export interface FieldValue {
  readonly value: string;
  readonly help: string;
}

export interface Completing {
  /** The most useful values of a field, best first. */
  readonly valuesOf: (field: Field) => readonly FieldValue[];
  readonly saved: readonly { readonly name: string; readonly filter: string }[];
}

/** Maximum length of the list. */
const MOST_COMPLETIONS = 12;

/** @param caret where the user types; the rest of the word after it is replaced too */
export function completeFilter(
  text: string,
  caret: number,
  { valuesOf, saved }: Completing,
): readonly Completion[] {
  const last = splitWords(text.slice(0, caret)).at(-1);
  const word = last !== undefined && !("mark" in last) && last.to === caret ? last : undefined;
  if (word?.openQuote !== undefined && word.field === undefined) return [];
  const found =
    word?.field === undefined
      ? [...completeName(text, caret, word), ...completeSaved(text, caret, word, saved)]
      : completeValue(text, caret, word, valuesOf);
  return found.filter((completion) => completion.text !== text).slice(0, MOST_COMPLETIONS);
}

function completeName(text: string, caret: number, word: Word | undefined): Completion[] {
  const from = word === undefined ? caret : word.from + (word.negated ? 1 : 0);
  const begun = text.slice(from, caret).toLowerCase();
  const rank = ({ name, aliases }: Field): number => {
    if (name.startsWith(begun)) return 0;
    if (aliases.some((alias) => alias.startsWith(begun))) return 1;
    return begun.length > 1 && name.includes(begun) ? 2 : 3;
  };
  return FIELDS.map((field) => ({ field, rank: rank(field) }))
    .filter((each) => each.rank < 3)
    .sort((a, b) => a.rank - b.rank)
    .map(({ field }) => {
      const operator = /[<>=!:]+/.exec(field.example)?.[0] ?? ":";
      return {
        label: field.name,
        help: `${field.meaning} · ${field.example}`,
        ...replaced(text, from, caret, field.name + operator, /^[\w-]*[<>=!:]*/),
      };
    });
}

function completeSaved(
  text: string,
  caret: number,
  word: Word | undefined,
  saved: Completing["saved"],
): Completion[] {
  // Text after it would be read together with it.
  if (text.slice(caret).trim() !== "") return [];
  const from = word?.from ?? caret;
  const begun = text.slice(from, caret).toLowerCase();
  return saved
    .filter(({ name }) => name.toLowerCase().includes(begun))
    .map(({ name, filter }) => {
      const whole = joinFilters(text.slice(0, from), filter);
      return { label: name, help: filter, text: whole, caret: whole.length };
    });
}

function completeValue(
  text: string,
  caret: number,
  word: Word,
  valuesOf: Completing["valuesOf"],
): Completion[] {
  const field = fieldNamed(word.field!.name);
  if (field === undefined) return [];
  const isBegun = text[caret - 1] !== "," || word.openQuote !== undefined;
  const part = isBegun ? word.parts.at(-1) : undefined;
  const from = part?.from ?? caret;
  const begun = (part?.text ?? "").toLowerCase();
  const others = new Set(word.parts.filter((each) => each !== part).map((each) => each.text));
  const fits = (value: string): boolean =>
    field.kind === "text" ? value.toLowerCase().includes(begun) : value.toLowerCase().startsWith(begun);
  const matching = valuesOf(field).filter(({ value }) => fits(value) && !others.has(value));
  return matching.map(({ value, help }) => ({
    label: value,
    help,
    // Only unquoted `none` means missing.
    ...replaced(text, from, caret, value === "none" ? value : quoted(value), /^(?:[^\s,|)"]*"?)/),
  }));
}

function replaced(
  text: string,
  from: number,
  caret: number,
  by: string,
  rest: RegExp,
): Pick<Completion, "text" | "caret"> {
  const behind = text.slice(caret).replace(rest, "");
  return { text: text.slice(0, from) + by + behind, caret: from + by.length };
}
