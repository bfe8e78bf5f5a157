/**
 * Commands to paste, quoted for a POSIX shell.
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

/** A path that begins like a flag gets a leading `./`; a lone `-` is standard input. */
function asPath(path: string): string {
  return path.startsWith("-") && path !== "-" ? `./${path}` : path;
}

/**
 * Quotes one word. A line break in single quotes would be correct, but a terminal may run the part before it when a
 * command is pasted: `$'…'` (bash, zsh, ksh, POSIX 2024) keeps the command on one line.
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
