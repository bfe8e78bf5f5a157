import type { VerdictLevel } from "../../results/index.ts";

export type Style = "bold" | "dim" | "blue" | "worst" | "caution" | `level-${VerdictLevel}`;

/** What a drawer for terminals is given: the terminal at hand. */
export interface Surface {
  readonly width: number;
  readonly unicode: boolean;
  /** False: whatever color would say must be said with marks. */
  readonly color: boolean;
  readonly ellipsis: string;
  /** Text fit for this terminal: printable, in ASCII where it must be. Everything drawn passes through here. */
  text(text: string): string;
  /** Applies a style, or nothing without color. To be used last: styled text is not measured again by columns. */
  style(text: string, ...styles: readonly Style[]): string;
  /** Applies SGR parameters (`48;5;33`), or nothing without color: for scales of colors, of which styles have none. */
  paint(text: string, parameters: string): string;
}
