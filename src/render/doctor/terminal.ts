import type { DoctorReport } from "../../results/index.ts";
import { drawCommand, drawDocument, makeSurface, type TerminalOptions } from "../terminal/index.ts";
import type { DoctorInput } from "./commands.ts";
import { buildDoctorDocument } from "./document.ts";

/** The terminal, and how much of the diagnosis it gets. */
export interface TerminalDoctorOptions extends TerminalOptions {
  /** How the run was given, for the commands that look into it; default: the files that were read. */
  readonly input?: DoctorInput;
  /** `summary`: the first screen only. `all` (the default): all evidence after it. */
  readonly sections?: "summary" | "all";
  /** The command that prints all sections, shown below the first screen when printed alone. */
  readonly more?: string;
}

/**
 * The diagnosis as lines for a terminal, with a newline at the end. No line takes more than `width` columns, but for
 * commands and lines to paste, which are whole.
 */
export function renderDoctorTerminal(report: DoctorReport, options: TerminalDoctorOptions): string {
  const { input, sections = "all", more, ...terminal } = options;
  const document = buildDoctorDocument(report, input);
  const drawn = drawDocument(sections === "all" ? document : { ...document, sections: [] }, terminal);
  const rest = more === undefined ? [] : drawCommand("evidence", more, "", makeSurface(terminal));
  return drawn + rest.map((line) => `${line}\n`).join("");
}
