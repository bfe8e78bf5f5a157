import type { ScreenOptions } from "../../render/terminal/index.ts";
import type { Terminal } from "./terminal.ts";

export interface ScreenFlags {
  readonly full?: boolean;
  readonly brief?: boolean;
}

/** Whether only the first screen is printed although it was not requested. */
export function isCut({ full, brief }: ScreenFlags, { interactive }: Terminal): boolean {
  return interactive && !full && !brief;
}

/**
 * On a terminal the rest would scroll the answer away: it is printed to files and pipes, or on request.
 *
 * @param command prints the same again
 */
export function screenOptions(options: ScreenFlags, terminal: Terminal, command: string): ScreenOptions {
  const { width, height, color, unicode } = terminal;
  const cut = isCut(options, terminal);
  return {
    width,
    height,
    color,
    unicode,
    sections: cut || options.brief ? "summary" : "all",
    ...(cut && { more: `${command} --full` }),
  };
}
