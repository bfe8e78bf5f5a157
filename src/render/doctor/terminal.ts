import type { DoctorReport } from "../../results/doctor.ts";
import { drawScreen, type ScreenOptions } from "../terminal/screen.ts";
import type { DoctorInput } from "./commands.ts";
import { buildDoctorDocument } from "./document.ts";

/** The terminal, and how much of the diagnosis to print. */
export interface TerminalDoctorOptions extends ScreenOptions {
  /** The user's input, repeated in the commands that look into the run; default: the files that were read. */
  readonly input?: DoctorInput;
}

/**
 * The diagnosis as lines for a terminal, ending with a newline. No line takes more than `width` columns, except for
 * commands and lines to paste, which stay whole.
 */
export function renderDoctorTerminal(
  report: DoctorReport,
  { input, ...screen }: TerminalDoctorOptions,
): string {
  return drawScreen(buildDoctorDocument(report, input), screen);
}
