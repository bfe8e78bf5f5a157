import type { VerdictLevel } from "../../results/report.ts";

export type Style = "bold" | "dim" | "blue" | "worst" | "caution" | `level-${VerdictLevel}`;

/** The terminal to draw for. */
export interface Surface {
  readonly width: number;
  readonly unicode: boolean;
  /** False if marks must replace colors. */
  readonly color: boolean;
  readonly ellipsis: string;
  /** Makes text fit for this terminal: printable, and in ASCII if needed. Everything drawn passes through here. */
  text(text: string): string;
  /** Applies a style, or nothing without color. Use it last: styled text must not be measured again. */
  style(text: string, ...styles: readonly Style[]): string;
  /** Applies SGR parameters (`48;5;33`), or nothing without color: for color scales, which styles lack. */
  paint(text: string, parameters: string): string;
}
