import type { AnalyzeReport, Scenario } from "../../results/index.ts";
import type { Table } from "../document/index.ts";
import {
  clip,
  drawTable,
  levelSign,
  makeSurface,
  pad,
  type Surface,
  sparkline,
  type TerminalOptions,
  wrap,
  wrapParts,
} from "../terminal/index.ts";
import { formatId, formatNumber } from "../text/index.ts";
import { foldIterations } from "./fold-iterations.ts";
import { inputParts, keyLines, orderedScenarios, scenarioLevel, unbroken } from "./summary.ts";
import { analyzeTables } from "./tables.ts";

const MOST_ITERATIONS = 12;
const MOST_SOURCES = 10;
const LABEL = 12;
const MOST_PICTURE_COLUMNS = 40;
const LEAST_PICTURE_COLUMNS = 12;
/** For what a picture shows: `0.869 to 0.895 over iterations 10 to 1000`. */
const CAPTION = 44;

/** The analysis as lines for a terminal, none longer than `width`: figures, pictures, scenarios, then the tables. */
export function renderAnalyzeTerminal(report: AnalyzeReport, options: TerminalOptions): string {
  const surface = makeSurface(options);
  const lines = [
    ...drawTitle(report, surface),
    "",
    ...keyLines(report).flatMap(([label, text]) => labelled(label, text, surface)),
    ...drawPictures(report, surface),
    ...drawScenarios(report, surface),
    ...analyzeTables(report, { iterations: MOST_ITERATIONS, sources: MOST_SOURCES }).flatMap((table) =>
      drawSection(table, surface),
    ),
    ...(report.absent.length === 0 ? [] : ["", ...report.absent.flatMap((line) => dim(line, surface, 0))]),
  ];
  return lines.map((line) => `${clip(line, surface.width, surface.ellipsis)}\n`).join("");
}

function drawTitle(report: AnalyzeReport, surface: Surface): string[] {
  const name = clip(surface.text(report.log), Math.max(8, Math.floor(surface.width / 2)), surface.ellipsis);
  const parts = inputParts(report).map(surface.text);
  const [first = "", ...rest] = wrapParts([name, ...parts], surface.unicode ? " · " : ", ", surface.width);
  return [
    surface.style(name, "bold") + surface.style(first.slice(name.length), "dim"),
    ...rest.map((line) => surface.style(line, "dim")),
  ];
}

/** Distributions and evolution, a row each. */
function drawPictures(report: AnalyzeReport, surface: Surface): string[] {
  const { divergence_bins: bins, positions, per_iteration: iterations } = report;
  const lines: string[] = [];
  if (bins !== null && report.metrics.records > 1) {
    const ends = `${formatNumber(bins.edges[0])} to ${formatNumber(bins.edges.at(-1))}`;
    for (const name of ["correct", "incorrect", "unknown"] as const)
      if (bins[name].some((count) => count > 0))
        lines.push(picture(name, gaps(bins[name]), `tokens by divergence, ${ends}`, surface));
  }
  const known = iterations.filter(({ iteration }) => iteration !== null);
  if (known.length > 1) {
    const folded = foldIterations(known, pictureColumns(surface));
    const span = `over iterations ${formatId(known[0]!.iteration)} to ${formatId(known.at(-1)!.iteration)}`;
    for (const [label, key] of [
      ["mean", "mean"],
      ["  correct", "correct_mean"],
      ["  incorrect", "incorrect_mean"],
    ] as const) {
      const values = folded.map((row) => row[key] ?? Number.NaN);
      const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
      if (sorted.length === 0) continue;
      const range = `${formatNumber(sorted[0])} to ${formatNumber(sorted.at(-1))}`;
      lines.push(picture(label, values, `${range} ${span}`, surface));
    }
  }
  if (positions !== null && report.metrics.records > 1)
    lines.push(
      picture(
        "positions",
        gaps(positions.counts),
        `tokens at ${formatId(positions.edges[0])} to ${formatId(positions.edges.at(-1))}`,
        surface,
      ),
    );
  return lines.length === 0 ? [] : ["", ...lines];
}

function pictureColumns({ width }: Surface): number {
  return Math.min(MOST_PICTURE_COLUMNS, Math.max(LEAST_PICTURE_COLUMNS, width - LABEL - CAPTION));
}

/** Nothing is drawn where nothing was counted. */
function gaps(counts: readonly number[]): number[] {
  return counts.map((count) => (count > 0 ? count : Number.NaN));
}

function picture(label: string, values: readonly number[], what: string, surface: Surface): string {
  const columns = pictureColumns(surface);
  const drawn = pad(sparkline(values, columns, surface.unicode), columns);
  return `${surface.style(pad(label, LABEL), "dim")}${surface.style(drawn, "blue")}  ${surface.style(surface.text(what), "dim")}`;
}

function drawScenarios(report: AnalyzeReport, surface: Surface): string[] {
  return [
    "",
    surface.style("Diagnostic scenarios", "bold"),
    ...orderedScenarios(report).flatMap((scenario) => drawScenario(scenario, surface)),
  ];
}

function drawScenario(scenario: Scenario, surface: Surface): string[] {
  const { status, observation, measured, interpretation, next_step } = scenario;
  const level = scenarioLevel(scenario);
  const sign = status === "yes" ? levelSign(level, surface.unicode) : status === "no" ? " " : "?";
  const head = `${sign} ${status === "not enough data" ? "?" : status}`.padEnd(6);
  const indent = 8;
  const lines = [
    ...wrap(surface.text(unbroken(observation)), surface.width - indent).map((line, at) =>
      at === 0 ? `  ${surface.style(head, `level-${level}`)}${line}` : " ".repeat(indent) + line,
    ),
    ...dim(
      unbroken(status === "not enough data" ? `not enough data: ${measured}` : measured),
      surface,
      indent,
    ),
  ];
  if (status !== "yes") return [...lines, ...dim(unbroken(`would mean: ${interpretation}`), surface, indent)];
  return [
    ...lines,
    ...wrap(surface.text(`means: ${interpretation}`), surface.width - indent).map(
      (line) => " ".repeat(indent) + line,
    ),
    ...wrap(surface.text(unbroken(`next: ${next_step}`)), surface.width - indent).map(
      (line) => " ".repeat(indent) + line,
    ),
  ];
}

function drawSection(table: Table, surface: Surface): string[] {
  const { lines, leftOut } = drawTable(table, surface);
  const noRoom = leftOut.length === 0 ? "" : surface.text(`  no room for ${leftOut.join(", ")}`);
  return [
    "",
    surface.style(surface.text(table.title), "bold") + surface.style(noRoom, "dim"),
    ...(table.note === undefined ? [] : dim(table.note, surface, 2)),
    ...lines,
  ];
}

function labelled(label: string, text: string, surface: Surface): string[] {
  return wrap(surface.text(text), surface.width - LABEL).map(
    (line, at) => surface.style(pad(at === 0 ? label : "", LABEL), "dim") + line,
  );
}

function dim(text: string, surface: Surface, indent: number): string[] {
  return wrap(surface.text(text), surface.width - indent).map(
    (line) => " ".repeat(indent) + surface.style(line, "dim"),
  );
}
