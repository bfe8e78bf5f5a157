import { displayWidth } from "./columns.ts";

/**
 * Breaks text at spaces into lines of at most `width` columns; a longer word is broken if necessary. The first line may
 * have less room (`firstWidth`), for a label before it.
 */
export function wrap(text: string, width: number, firstWidth = width): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const room = Math.max(1, lines.length === 0 ? firstWidth : width);
    const joined = line === "" ? word : `${line} ${word}`;
    if (displayWidth(joined) <= room) {
      line = joined;
      continue;
    }
    if (line !== "") lines.push(line);
    const pieces = breakWord(word, Math.max(1, Math.min(width, room)));
    lines.push(...pieces.slice(0, -1));
    line = pieces[pieces.length - 1] ?? "";
  }
  if (line !== "" || lines.length === 0) lines.push(line);
  return lines;
}

/** Joins short parts with a separator and breaks only between parts. */
export function wrapParts(parts: readonly string[], separator: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const part of parts) {
    const joined = line === "" ? part : line + separator + part;
    if (line === "" || displayWidth(joined) <= width) line = joined;
    else {
      lines.push(line);
      line = part;
    }
  }
  if (line !== "") lines.push(line);
  return lines.flatMap((whole) => wrap(whole, width));
}

/**
 * A name or a path as lines of at most `width` columns, broken after its separators if it has any: `0.99` and `1e-4`
 * stay whole.
 */
export function foldName(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const part of text.split(/(?<=[/\\_: ])|(?<=[.,-])(?!\d)/)) {
    if (line !== "" && displayWidth((line + part).trimEnd()) > width) {
      lines.push(line);
      line = "";
    }
    const pieces = breakWord(line + part, width);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1) ?? "";
  }
  return [...lines, line].map((each) => each.trim());
}

function breakWord(word: string, width: number): string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const character of word) {
    if (piece !== "" && displayWidth(piece + character) > width) {
      pieces.push(piece);
      piece = "";
    }
    piece += character;
  }
  pieces.push(piece);
  return pieces;
}
