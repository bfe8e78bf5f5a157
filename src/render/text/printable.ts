/**
 * Foreign text (run names, files, environments) with escapes for everything that could move the cursor, change colors,
 * reorder a line or break it: `\x1b`, `\n`, `\u202e`. Output of this function is one line of visible text.
 */
export function printable(text: string): string {
  return text.replace(INVISIBLE, (character) => SHORT[character] ?? writeCode(character.codePointAt(0) ?? 0));
}

/** Control, format (bidirectional marks, zero-width joiners) and lone surrogate characters, line separators. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function writeCode(code: number): string {
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, "0")}` : `\\u{${code.toString(16)}}`;
}

/**
 * Several lines of data for a terminal: characters that could act on the terminal are written as JSON escapes
 * (`\\u001b`), so that JSON stays the same JSON. Line breaks and tabs stay. Files and pipes get the data unchanged.
 */
export function visibleData(text: string): string {
  return text.replace(ACTING, (characters) =>
    characters === "\r\n"
      ? characters
      : Array.from(
          { length: characters.length },
          (_, i) => `\\u${characters.charCodeAt(i).toString(16).padStart(4, "0")}`,
        ).join(""),
  );
}

const ACTING = /\r\n|[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}\u2028\u2029]/gu;
