/**
 * Line breaks in messages. A message quotes names from files, and a name may contain a line break: printed as it is,
 * the text after it would look like another message. So a text is a single line, and only a list of texts is several.
 *
 * @module
 */

/** A one-line text, in which a line break is written as `\\n`; or a list of such lines. */
export type Lines = string | readonly string[];

/** Joins the lines with line breaks; those within a line are written as `\\n`. */
export function joinLines(lines: Lines): string {
  return typeof lines === "string" ? writeOut(lines) : lines.map(writeOut).join("\n");
}

function writeOut(line: string): string {
  return line.includes("\n") ? line.replaceAll("\n", "\\n") : line;
}

/** Splits a text made by {@link joinLines} into its lines. */
export function splitLines(text: string): readonly string[] {
  return text.split("\n");
}

/**
 * Puts words before the text of an error or a finding, and keeps its lines.
 *
 * @param text from {@link joinLines}: its line breaks are intended
 */
export function putBefore(words: string, text: string): readonly string[] {
  const [first = "", ...rest] = splitLines(text);
  return [`${words}${first}`, ...rest];
}
