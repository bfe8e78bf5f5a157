import type { DigitsReport } from "../../results/index.ts";
import type { Table } from "../document/index.ts";
import {
  clip,
  drawTable,
  makeSurface,
  type Surface,
  type TerminalOptions,
  wrap,
  wrapParts,
} from "../terminal/index.ts";
import { headlines, inputParts } from "./content.ts";
import { digitTables } from "./tables.ts";

/** The result of `logratio digits` as lines for a terminal, none longer than `width` columns. */
export function renderDigitsTerminal(report: DigitsReport, options: TerminalOptions): string {
  const surface = makeSurface(options);
  const lines = [
    ...drawTitle(report, surface),
    "",
    ...headlines(report).flatMap((line) => bullet(line, surface)),
    ...digitTables(report).flatMap((table) => drawSection(table, surface)),
    ...(report.absent.length === 0 ? [] : [""]),
    ...report.absent.flatMap((line) => dim(line, surface)),
  ];
  return lines.map((line) => `${clip(line, surface.width, surface.ellipsis)}\n`).join("");
}

function drawTitle(report: DigitsReport, surface: Surface): string[] {
  const run = clip(surface.text(report.run), Math.max(8, Math.floor(surface.width / 2)), surface.ellipsis);
  const parts = inputParts(report).map(surface.text);
  const [first = "", ...rest] = wrapParts([run, ...parts], surface.unicode ? " · " : ", ", surface.width);
  return [
    surface.style(run, "bold") + surface.style(first.slice(run.length), "dim"),
    ...rest.map((line) => surface.style(line, "dim")),
  ];
}

function bullet(text: string, surface: Surface): string[] {
  const sign = surface.unicode ? "• " : "* ";
  return wrap(surface.text(text), surface.width - 2).map((line, at) => (at === 0 ? sign : "  ") + line);
}

function drawSection(table: Table, surface: Surface): string[] {
  const { lines, leftOut } = drawTable(table, surface);
  const noRoom = leftOut.length === 0 ? "" : surface.text(`  no room for ${leftOut.join(", ")}`);
  return [
    "",
    surface.style(surface.text(table.title), "bold") + surface.style(noRoom, "dim"),
    ...(table.note === undefined ? [] : dim(table.note, surface)),
    ...lines,
  ];
}

function dim(text: string, surface: Surface): string[] {
  return wrap(surface.text(text), surface.width - 2).map((line) => surface.style(`  ${line}`, "dim"));
}
