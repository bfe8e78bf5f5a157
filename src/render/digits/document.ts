import type { DigitsReport } from "../../results/index.ts";
import { type Document, tableSections } from "../document/index.ts";
import { type MarkdownOptions, writeMarkdown } from "../markdown/index.ts";
import { drawScreen, type ScreenOptions } from "../terminal/index.ts";
import { headlines, inputParts } from "./content.ts";
import { digitTables } from "./tables.ts";

/** The findings, then every table, then what is absent. */
export function buildDigitsDocument(report: DigitsReport): Document {
  return {
    kind: "digits",
    heading: "Digits of",
    name: report.run,
    input: inputParts(report),
    lead: [{ kind: "list", items: headlines(report) }],
    sections: [
      ...tableSections(digitTables(report)),
      { id: "absent", title: "", blocks: [{ kind: "list", items: report.absent, muted: true }] },
    ],
  };
}

export function renderDigitsTerminal(report: DigitsReport, options: ScreenOptions): string {
  return drawScreen(buildDigitsDocument(report), options);
}

export function renderDigitsMarkdown(report: DigitsReport, options: MarkdownOptions = {}): string {
  return writeMarkdown(buildDigitsDocument(report), options);
}
