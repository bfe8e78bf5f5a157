/**
 * `repr(text)` as CPython prints a `str` (Objects/unicodeobject.c, `unicode_repr`): single quotes unless the text
 * contains them and no double quotes; `\\`, the quote, `\t`, `\n`, `\r` escaped; any other character that
 * `str.isprintable` rejects, lone surrogates included, as `\x..`, `\u....` or `\U........`.
 *
 * What is printable depends on the Unicode version: characters assigned in this engine's version but not in a given
 * Python's are printed here and escaped there.
 */
export function pythonRepr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inner = text.replace(ESCAPABLE, (character) =>
    character === "'" || character === '"' ? quoted(character, quote) : written(character),
  );
  return quote + inner + quote;
}

/** Everything that may have to be escaped: quotes, backslashes, categories Other and Separator. */
const ESCAPABLE = /['"\\\p{C}\p{Z}]/gu;

function quoted(character: string, quote: string): string {
  return character === quote ? `\\${quote}` : character;
}

const NAMED: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

function written(character: string): string {
  const named = NAMED[character];
  if (named !== undefined) return named;
  // The one separator that is printable (Objects/unicodectype.c).
  if (character === " ") return character;
  const code = (character.codePointAt(0) as number).toString(16);
  if (code.length <= 2) return `\\x${code.padStart(2, "0")}`;
  return code.length <= 4 ? `\\u${code.padStart(4, "0")}` : `\\U${code.padStart(8, "0")}`;
}
