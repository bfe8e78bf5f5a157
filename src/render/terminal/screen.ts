/**
 * A document in a terminal: the whole of it, or its first screen and the command that prints the rest.
 *
 * @module
 */
import type { Document } from "../document/document.ts";
import { displayWidth } from "./columns.ts";
import { drawCommand } from "./command.ts";
import { drawDocument } from "./document.ts";
import { makeSurface, type TerminalOptions } from "./surface.ts";

/** The terminal, and how much of a result to print. */
export interface ScreenOptions extends TerminalOptions {
  /** Lines of the terminal, the most that a first screen fills; at least 24, the default. */
  readonly height?: number;
  /** `summary`: the first screen only. `all` (the default): every section. */
  readonly sections?: "summary" | "all";
  /** The command that prints all sections; shown below the first screen if that is printed alone. */
  readonly more?: string;
}

const HEIGHT = 24;

/** Lines that a first screen may take: the terminal's last line is for the prompt. */
export function screenRows({ height = HEIGHT }: Pick<ScreenOptions, "height"> = {}): number {
  return Math.max(height, HEIGHT) - 1;
}

/**
 * The document, or, for `summary`, its first screen.
 *
 * @param screens first screens, the fullest first; the first that fits is drawn, or the last. Default: what stands
 *   before the sections
 */
export function drawScreen(
  document: Document,
  options: ScreenOptions,
  screens: readonly Document[] = [{ ...document, sections: [] }],
): string {
  const { sections = "all", more, ...terminal } = options;
  if (sections === "all") return drawDocument(document, terminal);
  const rest = more === undefined ? [] : ["", ...drawRest(more, terminal)];
  let drawn = "";
  for (const screen of screens) {
    drawn = drawDocument(screen, terminal) + rest.map((line) => `${line}\n`).join("");
    if (countRows(drawn.trimEnd().split("\n"), options.width) <= screenRows(options)) break;
  }
  return drawn;
}

/** A line wider than the terminal takes several rows. */
export function countRows(lines: readonly string[], width: number): number {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / width)), 0);
}

/** The last line of a first screen. */
export function drawRest(more: string, terminal: TerminalOptions): string[] {
  return drawCommand("the rest", more, "", makeSurface(terminal));
}
