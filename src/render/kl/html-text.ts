/**
 * Pieces of HTML that the sections of the page share.
 *
 * @module
 */
import type { Table } from "../document/index.ts";
import { escapeHtml, htmlTable } from "../html/index.ts";

/** A table with its title as caption and its note above it; nothing where it has no rows. */
export function captioned(table: Table): string {
  if (table.rows === 0) return "";
  const note = table.note === undefined ? "" : `<p class=note>${escapeHtml(table.note)}</p>`;
  const drawn = htmlTable(table);
  // The first tag `<table` is the table's own: whatever stands before it is escaped.
  const end = drawn.indexOf(">", drawn.indexOf("<table")) + 1;
  return `${drawn.slice(0, end)}<caption>${escapeHtml(table.title)}</caption>${drawn.slice(end)}${note}`;
}

/** Label and sentence pairs. */
export function definitions(lines: readonly (readonly [label: string, text: string])[]): string {
  if (lines.length === 0) return "";
  return `<dl>${lines.map(([label, text]) => `<dt>${escapeHtml(label)}<dd>${escapeHtml(text)}`).join("\n")}</dl>`;
}

export function htmlList(lines: readonly string[]): string {
  return lines.length === 0 ? "" : `<ul>${lines.map((line) => `<li>${escapeHtml(line)}`).join("\n")}</ul>`;
}

/** Foreign text of several lines, for a `pre`. */
export function escapeLines(text: string): string {
  return text.split("\n").map(escapeHtml).join("\n");
}

/** A token where it stands for itself: line ends and tabs as signs, a leading space as a dot. */
export function visibleToken(token: string, most = Number.POSITIVE_INFINITY): string {
  const shown = token
    .replaceAll("\n", "⏎")
    .replaceAll("\t", "⇥")
    .replace(/^ +| +$/g, (spaces) => "·".repeat(spaces.length));
  const characters = [...shown];
  return escapeHtml(characters.length <= most ? shown : `${characters.slice(0, most - 1).join("")}…`);
}

/** Line ends are shown and kept; everything else that is invisible is written out. */
export function tokenText(text: string): string {
  return text.split("\n").map(escapeTabs).join("<span class=nl>⏎</span>\n");
}

function escapeTabs(line: string): string {
  return line.split("\t").map(escapeHtml).join("<span class=nl>⇥</span>\t");
}
