/**
 * Foreign text of tokens, with invisible characters made visible.
 *
 * @module
 */
import { printable } from "../../../../../src/render/text/index.ts";

/** A token by itself: line ends and tabs as signs, blanks at its ends as dots. */
export function shortToken(token: string, most = Number.POSITIVE_INFINITY): string {
  const shown = printable(
    token
      .replaceAll("\n", "⏎")
      .replaceAll("\t", "⇥")
      .replace(/^ +| +$/g, (spaces) => "·".repeat(spaces.length)),
  );
  const characters = [...shown];
  return characters.length <= most ? shown : `${characters.slice(0, most - 1).join("")}…`;
}

/**
 * A token in its text: line ends become a sign and a line end, tabs a sign; other invisible characters are written out.
 */
export function runningToken(token: string): string {
  return token
    .split("\n")
    .map((line) => line.split("\t").map(printable).join("⇥\t"))
    .join("⏎\n");
}

/** A prompt: lines stay lines, other invisible characters are written out. */
export function runningText(text: string): string {
  return text.split("\n").map(printable).join("\n");
}
