/**
 * Commands to paste: each word as a POSIX shell needs it.
 *
 * @module
 */

/**
 * `logratio VERB PATH… WORD…`.
 *
 * @param words flags with their values, after the paths
 */
export function shellCommand(verb: string, paths: readonly string[], words: readonly string[] = []): string {
  return ["logratio", verb, ...paths.map(asPath), ...words].map(quoteForShell).join(" ");
}

/** A path that begins as a flag does is named from where it lies; `-` alone is standard input. */
function asPath(path: string): string {
  return path.startsWith("-") && path !== "-" ? `./${path}` : path;
}

/**
 * One word. Within single quotes a line break would be right, but a terminal that a command is pasted into may run what
 * stands before it: `$'…'` (bash, zsh, ksh, POSIX 2024) keeps the command on one line.
 */
export function quoteForShell(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (!Array.from(word).some(isControl)) return `'${word.replaceAll("'", "'\\''")}'`;
  const bytes = Array.from(new TextEncoder().encode(word), (byte) => {
    const character = String.fromCharCode(byte);
    if (character === "\\" || character === "'") return `\\${character}`;
    return byte < 0x20 || byte > 0x7e ? `\\${byte.toString(8).padStart(3, "0")}` : character;
  });
  return `$'${bytes.join("")}'`;
}

function isControl(character: string): boolean {
  return character < " " || (character >= "\u007f" && character <= "\u009f");
}
