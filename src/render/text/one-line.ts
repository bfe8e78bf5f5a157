import { printable } from "./printable.ts";

/** A piece of a run's text in one line, with its line breaks as the views of tokens show them. */
export function oneLine(text: string): string {
  return printable(text.replaceAll("\n", "⏎"));
}
