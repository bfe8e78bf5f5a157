/**
 * Cuts a filter into words, keeping the place of each. Blanks part words, except within quotes; in quotes, a backslash
 * takes the next character as it is.
 *
 * @module
 */

export interface Word {
  /** Of the text, `[from, to)`. */
  readonly from: number;
  readonly to: number;
  readonly negated: boolean;
  /** Absent where the word is only a value. */
  readonly field?: { readonly name: string; readonly to: number };
  readonly operator?: Operator;
  /** Parts of the value between commas; what was quoted is taken literally. */
  readonly parts: readonly Part[];
  /** Where a quote opens that never closes. */
  readonly openQuote?: number;
}

export interface Part {
  readonly text: string;
  readonly quoted: boolean;
  readonly from: number;
  readonly to: number;
}

export const OPERATORS = [">=", "<=", "!=", ">", "<", "=", ":"] as const;
export type Operator = (typeof OPERATORS)[number];

export function splitWords(text: string): Word[] {
  const words: Word[] = [];
  let at = 0;
  for (;;) {
    while (at < text.length && isBlank(text[at]!)) at++;
    if (at >= text.length) return words;
    const word = wordAt(text, at);
    words.push(word);
    at = word.to;
  }
}

function wordAt(text: string, from: number): Word {
  const negated = text[from] === "-" && from + 1 < text.length && !isBlank(text[from + 1]!);
  const start = from + (negated ? 1 : 0);
  const name = /^[A-Za-z_][\w-]*/.exec(text.slice(start))?.[0] ?? "";
  const operator = OPERATORS.find((each) => text.startsWith(each, start + name.length));
  const named = operator !== undefined && name !== "";
  const value = valueAt(text, named ? start + name.length + operator.length : start);
  return {
    from,
    negated,
    ...(named && { field: { name, to: start + name.length }, operator }),
    ...value,
  };
}

function valueAt(text: string, start: number): Pick<Word, "to" | "parts" | "openQuote"> {
  const parts: Part[] = [];
  let at = start;
  let part = { text: "", quoted: false, from: start };
  const finish = (): void => {
    if (part.text !== "" || part.quoted) parts.push({ ...part, to: at });
  };
  while (at < text.length && !isBlank(text[at]!)) {
    if (text[at] === ",") {
      finish();
      at++;
      part = { text: "", quoted: false, from: at };
    } else if (text[at] === '"') {
      const opened = at++;
      part.quoted = true;
      while (at < text.length && text[at] !== '"') {
        if (text[at] === "\\" && at + 1 < text.length) at++;
        part.text += text[at++];
      }
      if (at >= text.length) {
        finish();
        return { to: at, parts, openQuote: opened };
      }
      at++;
    } else {
      part.text += text[at++];
    }
  }
  finish();
  return { to: at, parts };
}

/** A value as it is to be written: in quotes where it would be read as something else. */
export function quoted(value: string): string {
  return /^[^\s",\\]+$/u.test(value) && value !== "none" ? value : `"${value.replace(/["\\]/g, "\\$&")}"`;
}

function isBlank(character: string): boolean {
  return /\s/u.test(character);
}
