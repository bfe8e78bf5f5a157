/**
 * A diagnosis for terminals, Markdown and HTML: one document for all three. Sentences about the data come from
 * `src/analyses/doctor`; nothing is computed here.
 *
 * @module
 */
import type { DoctorReport } from "../../results/doctor.ts";
import { writePage } from "../html/document.ts";
import { type MarkdownOptions, writeMarkdown } from "../markdown/document.ts";
import type { DoctorInput } from "./commands.ts";
import { buildDoctorDocument } from "./document.ts";

export { fixPlace } from "./cause-section.ts";
export type { DoctorInput } from "./commands.ts";
export { buildDoctorDocument } from "./document.ts";
export { splitSteps } from "./experiment.ts";
export { renderDoctorTerminal, type TerminalDoctorOptions } from "./terminal.ts";

/** The diagnosis as GitHub-flavored Markdown, to paste into an issue. */
export function renderDoctorMarkdown(
  report: DoctorReport,
  { input, ...options }: MarkdownOptions & { readonly input?: DoctorInput } = {},
): string {
  return writeMarkdown(buildDoctorDocument(report, input), options);
}

/** The diagnosis as one self-contained page. */
export function renderDoctorHtml(report: DoctorReport, input?: DoctorInput): string {
  return writePage(buildDoctorDocument(report, input));
}
