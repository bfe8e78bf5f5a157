/**
 * Pieces of HTML that the sections of the page share.
 *
 * @module
 */
import { escapeHtml } from "../../render/html/index.ts";

/** Foreign text of several lines, for a `pre`. */
export function escapeLines(text: string): string {
  return text.split("\n").map(escapeHtml).join("\n");
}

/** A single token: line ends and tabs as signs, a leading space as a dot. */
export function visibleToken(token: string, most = Number.POSITIVE_INFINITY): string {
  const shown = token
    .replaceAll("\n", "⏎")
    .replaceAll("\t", "⇥")
    .replace(/^ +| +$/g, (spaces) => "·".repeat(spaces.length));
  const characters = [...shown];
  return escapeHtml(characters.length <= most ? shown : `${characters.slice(0, most - 1).join("")}…`);
}

/** Line ends are shown and kept; everything else invisible is written out. */
export function tokenText(text: string): string {
  return text
    .split("\n")
    .map((line) => line.split("\t").map(escapeHtml).join("<span class=nl>⇥</span>\t"))
    .join("<span class=nl>⏎</span>\n");
}
