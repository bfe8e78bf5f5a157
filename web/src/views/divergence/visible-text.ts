/**
 * Foreign text on one line, with invisible characters made visible.
 *
 * @module
 */

const NAMES: Readonly<Record<string, string>> = { " ": "·", "\n": "⏎", "\r": "␍", "\t": "⇥", "\u00a0": "⍽" };

/** Controls, joiners, direction marks, lone surrogates, and spaces of zero or unusual width. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|[^\S ]/gu;

/** Shows blanks as `·`, line ends as `⏎`, other invisible characters as their code points: `⟨U+202E⟩`. */
export function visibleText(text: string): string {
  return text.replaceAll(" ", "·").replace(UNSEEN, (character) => {
    return NAMES[character] ?? `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

/** Like {@link visibleText}, but blanks stay blanks: for the text around a token. */
export function quietText(text: string): string {
  return visibleText(text.replaceAll(" ", "\u0000")).replaceAll("⟨U+0000⟩", " ");
}
