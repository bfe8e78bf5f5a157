import type { DoctorReport } from "../../results/doctor.ts";
import { drawScreen, type ScreenOptions } from "../terminal/screen.ts";
import type { DoctorInput } from "./commands.ts";
import { buildDoctorDocument } from "./document.ts";

/** The terminal, and how much of the diagnosis it gets. */
export interface TerminalDoctorOptions extends ScreenOptions {
  /** How the run was given, for the commands that look into it; default: the files that were read. */
  readonly input?: DoctorInput;
}

/**
 * The diagnosis as lines for a terminal, with a newline at the end. No line takes more than `width` columns, but for
 * commands and lines to paste, which are whole.
 */
export function renderDoctorTerminal(
  report: DoctorReport,
  { input, ...screen }: TerminalDoctorOptions,
): string {
  return drawScreen(buildDoctorDocument(report, input), screen);
}
