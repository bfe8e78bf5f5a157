import type { VerdictLevel } from "../../results/report.ts";
import type { Style, Surface } from "../document/surface.ts";
import { printable } from "../text/printable.ts";
import { toAscii } from "./ascii.ts";

export interface TerminalOptions {
  /** Columns of the terminal; no line is longer. */
  readonly width: number;
  readonly color: boolean;
  /** False if every character must be ASCII. */
  readonly unicode: boolean;
}

/** The sixteen basic colors only, so that the user's own theme decides how they look. */
const CODES: Readonly<Record<Style, string>> = {
  bold: "1",
  dim: "2",
  // Bright, since the dark one is hardly visible on black.
  blue: "94",
  worst: "1;33",
  caution: "33",
  "level-none": "1",
  "level-too_few": "1;33",
  "level-normal": "1;32",
  "level-elevated": "1;33",
  "level-high": "1;31",
  "level-broken": "1;37;41",
  "level-fault": "1;31",
  "level-not_comparable": "1;31",
};

export function makeSurface({ width, color, unicode }: TerminalOptions): Surface {
  const paint = (text: string, parameters: string): string =>
    color && text !== "" ? `${CSI}${parameters}m${text}${CSI}0m` : text;
  return {
    width,
    unicode,
    color,
    ellipsis: unicode ? "…" : "..",
    text: (text) => (unicode ? printable(text) : toAscii(printable(text))),
    style: (text, ...styles) => paint(text, styles.map((style) => CODES[style]).join(";")),
    paint,
  };
}

const CSI = `${String.fromCharCode(27)}[`;

/** A sign for the level, in addition to its color and word. */
export function levelSign(level: VerdictLevel, unicode: boolean): string {
  const signs = {
    none: ["·", "-"],
    too_few: ["?", "?"],
    normal: ["✓", "="],
    elevated: ["△", "!"],
    high: ["▲", "!!"],
    broken: ["✗", "!!!"],
    fault: ["▲", "!!"],
    not_comparable: ["✗", "!!!"],
  } as const;
  return signs[level][unicode ? 0 : 1];
}
