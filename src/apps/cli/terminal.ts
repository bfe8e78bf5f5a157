import { visibleData } from "../../render/text/index.ts";
import { writeMessage, writeOutput } from "./standard-streams.ts";

/** The two output streams, their capabilities, and what was requested. */
export type Color = "red" | "yellow" | "green" | "dim" | "bold";

export type ColorChoice = "auto" | "always" | "never";

export interface Terminal {
  /** Columns of standard output; 80 if it is not a terminal. */
  readonly width: number;
  /** Its lines; 24 if it is not a terminal. */
  readonly height: number;
  readonly color: boolean;
  readonly unicode: boolean;
  /** Whether standard output is a terminal, where anything longer than the screen scrolls away. */
  readonly interactive: boolean;
  /** Whether progress may be drawn on standard error. */
  readonly progress: boolean;
  /** For messages on standard error. */
  paint(color: Color, text: string): string;
  out(text: string): void;
  /** Data, such as CSV or JSON: byte for byte, except that nothing in it can control a terminal. */
  data(text: string): void;
  err(text: string): void;
}

const CODES: Readonly<Record<Color, number>> = { red: 31, yellow: 33, green: 32, dim: 2, bold: 1 };

/** What `--color` asked for, also when a verb has failed and only its error is left to print. */
let asked: ColorChoice = "auto";

export function setColor(choice: ColorChoice): void {
  asked = choice;
}

/** NO_COLOR (https://no-color.org) and FORCE_COLOR count unless `--color` says otherwise. */
function wantsColor(choice: ColorChoice, stream: NodeJS.WriteStream): boolean {
  if (choice !== "auto") return choice === "always";
  if (process.env.NO_COLOR) return false;
  if (process.env.FORCE_COLOR) return process.env.FORCE_COLOR !== "0";
  return stream.isTTY === true && process.env.TERM !== "dumb";
}

export function openTerminal(): Terminal {
  const paints = wantsColor(asked, process.stderr);
  const locale = process.env.LC_ALL || process.env.LC_CTYPE || process.env.LANG || "";
  return {
    width: Math.min(Math.max(process.stdout.columns || Number(process.env.COLUMNS) || 80, 60), 160),
    height: process.stdout.rows || 24,
    color: wantsColor(asked, process.stdout),
    unicode: process.platform === "win32" || locale === "" || /utf-?8/i.test(locale),
    interactive: process.stdout.isTTY === true,
    progress: process.stderr.isTTY === true && process.env.TERM !== "dumb",
    paint: (color, text) => (paints ? `\u001b[${CODES[color]}m${text}\u001b[0m` : text),
    out: writeOutput,
    data: (text) => writeOutput(process.stdout.isTTY === true ? visibleData(text) : text),
    err: writeMessage,
  };
}
