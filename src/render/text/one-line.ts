import { printable } from "./printable.ts";

/** A piece of a run's text on one line, with line breaks marked as in the views of tokens. */
export function oneLine(text: string): string {
  return printable(text.replaceAll("\n", "⏎"));
}
