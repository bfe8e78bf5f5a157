import { displayWidth } from "./columns.ts";

/** Text of one style within a line. */
export interface FlowPiece<Style> {
  readonly text: string;
  readonly style: Style | undefined;
  /** Whether the text starts a new line here. */
  readonly breaks: boolean;
}

/**
 * Pieces one after another, as lines of at most `width` columns: broken between pieces, and within a piece only if it
 * is wider than a line.
 */
export function flowPieces<Style>(
  pieces: readonly FlowPiece<Style>[],
  width: number,
  paint: (text: string, style: Style) => string,
): string[] {
  const lines: string[] = [];
  let line = "";
  let used = 0;
  const flush = (): void => {
    lines.push(line);
    [line, used] = ["", 0];
  };
  for (const { text, style, breaks } of pieces) {
    let rest = text;
    if (used > 0 && used + displayWidth(rest) > width && displayWidth(rest) <= width) flush();
    while (rest !== "") {
      const [fitting, left] = splitAt(rest, width - used);
      if (fitting === "") {
        flush();
        continue;
      }
      line += style === undefined ? fitting : paint(fitting, style);
      used += displayWidth(fitting);
      rest = left;
      if (rest !== "") flush();
    }
    if (breaks) flush();
  }
  if (line !== "") flush();
  return lines;
}

/** As much of the text as fits, at least one character if a whole line is free; and the rest. */
function splitAt(text: string, width: number): [string, string] {
  if (displayWidth(text) <= width) return [text, ""];
  let fitting = "";
  for (const character of text) {
    if (displayWidth(fitting + character) > width) break;
    fitting += character;
  }
  return [fitting, text.slice(fitting.length)];
}
