/**
 * Line breaks of messages. A message quotes names from files, and a name may hold a line break: printed as it is, what
 * follows would look like another message. So a text is one line, and only a list of texts is several.
 *
 * @module
 */

/** A text of one line, in which a line break is written out as `\\n`; or a list of such lines. */
export type Lines = string | readonly string[];

/** The lines with line breaks between them; those within a line are written out. */
export function joinLines(lines: Lines): string {
  return typeof lines === "string" ? writeOut(lines) : lines.map(writeOut).join("\n");
}

function writeOut(line: string): string {
  return line.includes("\n") ? line.replaceAll("\n", "\\n") : line;
}

/** The lines of a text that {@link joinLines} made: its line breaks are its own. */
export function splitLines(text: string): readonly string[] {
  return text.split("\n");
}

/**
 * The text of an error or of a finding behind words of one's own, with the lines that it has.
 *
 * @param text from {@link joinLines}: its line breaks are its own
 */
export function putBefore(words: string, text: string): readonly string[] {
  const [first = "", ...rest] = splitLines(text);
  return [`${words}${first}`, ...rest];
}
