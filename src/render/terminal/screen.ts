/**
 * A document in a terminal: whole, or its first screen and the command that prints the rest.
 *
 * @module
 */
import type { Document } from "../document/index.ts";
import { drawCommand } from "./command.ts";
import { drawDocument } from "./document.ts";
import { makeSurface, type TerminalOptions } from "./surface.ts";

/** The terminal, and how much of a result it gets. */
export interface ScreenOptions extends TerminalOptions {
  /** `summary`: the first screen only. `all` (the default): every section. */
  readonly sections?: "summary" | "all";
  /** The command that prints all sections, shown below the first screen when printed alone. */
  readonly more?: string;
}

/** The document, or, for `summary`, its first screen: what stands before the sections unless another one is given. */
export function drawScreen(
  document: Document,
  { sections = "all", more, ...terminal }: ScreenOptions,
  first: Document = { ...document, sections: [] },
): string {
  if (sections === "all") return drawDocument(document, terminal);
  const rest = more === undefined ? [] : ["", ...drawRest(more, terminal)];
  return drawDocument(first, terminal) + rest.map((line) => `${line}\n`).join("");
}

/** The last line of a first screen. */
export function drawRest(more: string, terminal: TerminalOptions): string[] {
  return drawCommand("the rest", more, "", makeSurface(terminal));
}
