/**
 * Token texts as the log has them: `repr()` of a Python string.
 *
 * @module
 */

/** The single characters that may follow a backslash in a Python string literal. */
const ESCAPES: Readonly<Record<string, string>> = {
  "\\": "\\",
  "'": "'",
  '"': '"',
  n: "\n",
  r: "\r",
  t: "\t",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
  "0": "\0",
};

/**
 * The text behind a Python `repr()`, as `ast.literal_eval` gives it; text without the quotes of a `repr()` is returned
 * unchanged.
 */
export function unquotePython(text: string): string {
  const quote = text[0];
  if (text.length < 2 || (quote !== "'" && quote !== '"') || text.at(-1) !== quote) return text;
  return text
    .slice(1, -1)
    .replace(
      /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))/gsu,
      (whole, x?: string, u?: string, long?: string, one?: string) => {
        const code = x ?? u ?? long;
        if (code === undefined) return ESCAPES[one ?? ""] ?? whole;
        const point = Number.parseInt(code, 16);
        return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
      },
    );
}

/** What Python's `str.strip` removes; JavaScript's white space lacks the first five characters and has one more. */
const PYTHON_SPACE =
  "\x1c\x1d\x1e\x1f\x85\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000";

/** Like Python's `str.strip()`. */
export function stripPython(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && PYTHON_SPACE.includes(text[start]!)) start++;
  while (end > start && PYTHON_SPACE.includes(text[end - 1]!)) end--;
  return text.slice(start, end);
}

/** Whether the text is a placeholder for an undecodable token: `<no_tokenizer:62>`, `<decode_error:62>`. */
export function isPlaceholder(tokenText: string): boolean {
  return /^<(no_tokenizer|decode_error):-?\d+>$/.test(tokenText);
}

/**
 * The guide's pattern `^[\d\.]+$`, on stripped and unquoted text. As in Python, digits of any script count; as in the
 * guide, dots alone match too.
 */
export function isDigitToken(tokenText: string): boolean {
  return /^[\p{Nd}.]+$/u.test(stripPython(unquotePython(tokenText)));
}
