/**
 * Splits a filter into words and the marks between them, recording the place of each. Blanks, `|` and `)` end words,
 * except within quotes; within quotes, a backslash escapes the next character. A bracket that opens within a word, as
 * in `group:f(x)`, belongs to it, together with the one that closes it.
 *
 * @module
 */

export interface Word {
  /** Range `[from, to)` of the text. */
  readonly from: number;
  readonly to: number;
  readonly negated: boolean;
  /** Absent if the word is only a value. */
  readonly field?: { readonly name: string; readonly to: number };
  readonly operator?: Operator;
  /** Parts of the value between commas; quoted parts are taken literally. */
  readonly parts: readonly Part[];
  /** Position of a quote that is never closed. */
  readonly openQuote?: number;
}

export interface Part {
  readonly text: string;
  readonly quoted: boolean;
  readonly from: number;
  readonly to: number;
}

/** `|` or a bracket; `-(` is one mark. */
export interface Mark {
  readonly mark: "(" | ")" | "|";
  readonly from: number;
  readonly to: number;
  readonly negated: boolean;
}

const OPERATORS = [">=", "<=", "!=", ">", "<", "=", ":"] as const;
export type Operator = (typeof OPERATORS)[number];

export function splitWords(text: string): (Word | Mark)[] {
  const words: (Word | Mark)[] = [];
  let at = 0;
  for (;;) {
    while (at < text.length && isBlank(text[at]!)) at++;
    if (at >= text.length) return words;
    const word = markAt(text, at) ?? wordAt(text, at);
    words.push(word);
    at = word.to;
  }
}

function markAt(text: string, from: number): Mark | undefined {
  const negated = text.startsWith("-(", from);
  const at = from + (negated ? 1 : 0);
  const mark = text[at];
  return mark === "(" || mark === ")" || mark === "|" ? { mark, from, to: at + 1, negated } : undefined;
}

function wordAt(text: string, from: number): Word {
  const negated = text[from] === "-" && from + 1 < text.length && !isEnd(text[from + 1]!);
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
  let open = 0;
  const finish = (): void => {
    if (part.text !== "" || part.quoted) parts.push({ ...part, to: at });
  };
  while (at < text.length && ((open > 0 && text[at] === ")") || !isEnd(text[at]!))) {
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
      if (text[at] === "(") open++;
      if (text[at] === ")") open--;
      part.text += text[at++];
    }
  }
  finish();
  return { to: at, parts };
}

/** A value as it must be written: in quotes if it would otherwise be parsed differently. */
export function quoted(value: string): string {
  return /^[^\s",\\()|]+$/u.test(value) && value !== "none" ? value : `"${value.replace(/["\\]/g, "\\$&")}"`;
}

/** Whether a word ends before this character. */
function isEnd(character: string): boolean {
  return character === "|" || character === ")" || isBlank(character);
}

function isBlank(character: string): boolean {
  return /\s/u.test(character);
}
