import type { Histogram, MismatchReport } from "../../results/index.ts";
import { besideLines } from "../health/index.ts";
import {
  chooseScale,
  clip,
  displayWidth,
  drawCommand,
  drawTitle,
  levelSign,
  logHistogram,
  pad,
  type Style,
  type Surface,
  sparkline,
  wrap,
} from "../terminal/index.ts";
import { formatNumber, formatSigned, isMissing, plural } from "../text/index.ts";
import { standoutTexts } from "./gradient-tables.ts";
import { identityLines } from "./identity-tables.ts";
import { countOtherWarnings, inputParts, leftOutLines, loggedLine, otherFiles, promptLine } from "./input.ts";
import { type KeyFigure, keyFigures } from "./key-figures.ts";
import { verdictWord } from "./verdict-level.ts";

/** Rows of a small terminal minus the prompt. */
const ROWS = 23;
const PICTURE_COLUMNS = 32;
/** Widest of the labels on the left: key figures, pictures and closing lines are aligned. */
const LABEL_COLUMNS = 10;
const MOST_FACTS = 3;
/** More levels of steps than this are counted. */
const MOST_LEVELS = 3;
/** More things left out than this are counted, not spelled out. */
const MOST_LEFT_OUT = 2;

/**
 * What a tired engineer reads in ten seconds: verdict, key figures, distribution, facts, what is left out, what to run
 * next. Blank lines separate the blocks if everything fits 24 rows; if it does not fit, the reason for the next command
 * is dropped, then the second picture, whose figure is above it anyway, then the lesser facts.
 *
 * @param taken rows that the caller needs below
 * @param isAlone whether no sections follow
 */
export function drawFirstScreen(
  report: MismatchReport,
  surface: Surface,
  { taken = 0, isAlone = false }: { readonly taken?: number; readonly isAlone?: boolean } = {},
): string[] {
  const rows = ROWS - taken;
  const densities = [
    { why: true, extremes: true, facts: MOST_FACTS },
    { why: false, extremes: true, facts: MOST_FACTS },
    { why: false, extremes: false, facts: MOST_FACTS },
    { why: false, extremes: false, facts: MOST_FACTS - 1 },
    { why: false, extremes: false, facts: MOST_FACTS - 1, isBrief: true },
    { why: false, extremes: false, facts: MOST_FACTS - 2, isBrief: true },
  ];
  const tries = densities.map((density) => drawBlocks(report, surface, { ...density, isAlone }));
  const blocks =
    tries.find((candidate) => countRows(candidate, surface.width) <= rows) ??
    (tries[tries.length - 1] as string[][]);
  const gaps = Math.max(0, rows - countRows(blocks, surface.width));
  // First a blank line after the verdict, then after the figures; the one between pictures and facts comes last.
  const spaced = new Set([1, 2, 4, 0, 3].slice(0, gaps));
  return blocks.flatMap((block, index) =>
    spaced.has(index) && index < blocks.length - 1 ? [...block, ""] : block,
  );
}

interface Density {
  /** Whether to say why the next command is worth running. */
  readonly why: boolean;
  /** Whether to draw max |Δ| over the steps. */
  readonly extremes: boolean;
  /** How many facts to show, including the sentence on the gradient. */
  readonly facts: number;
  /** Whether that sentence goes without its evidence. */
  readonly isBrief?: boolean;
  /** Whether no sections follow, that of findings among them. */
  readonly isAlone: boolean;
}

function drawBlocks(report: MismatchReport, surface: Surface, density: Density): string[][] {
  const clipped = (lines: readonly string[]): string[] =>
    lines.map((line) => clip(line, surface.width, surface.ellipsis));
  return [
    drawTitle(report.run, inputParts(report), surface),
    clipped([...drawVerdict(report, surface), ...drawIdentity(report, surface)]),
    clipped(drawKeyFigures(keyFigures(report), surface)),
    clipped(drawPictures(report, surface, density)),
    clipped(drawFacts(report, surface, density)),
    [
      ...clipped(drawPrompts(report, surface)),
      ...clipped(besideLines(report.assessment.beside, surface, report.verdict.headline)),
      ...clipped(drawLogged(report, surface)),
      ...clipped(drawLeftOut(report, surface, density)),
      ...drawNext(report, surface, density),
    ],
  ].filter((block) => block.length > 0);
}

/** A command wider than the terminal takes several rows. */
export function countRows(blocks: readonly string[][], width: number): number {
  const rows = (line: string): number => Math.max(1, Math.ceil(displayWidth(line) / width));
  return blocks.reduce((sum, block) => sum + block.reduce((all, line) => all + rows(line), 0), 0);
}

function drawVerdict(report: MismatchReport, surface: Surface): string[] {
  const { level, headline } = report.verdict;
  const style: Style = `level-${level}`;
  const badge = `${levelSign(level, surface.unicode)} ${verdictWord(report.verdict)}`;
  const shown = level === "broken" ? ` ${badge} ` : badge;
  const taken = displayWidth(shown) + 2;
  const [first = "", ...rest] = wrap(surface.text(headline), surface.width, surface.width - taken);
  return [`${surface.style(shown, style)}  ${first}`, ...rest];
}

/** A line or two for each identity test that fails: it qualifies the verdict's figures. */
function drawIdentity(report: MismatchReport, surface: Surface): string[] {
  return identityLines(report).flatMap((text) =>
    wrap(surface.text(text), surface.width - LABEL_COLUMNS - 1).map((line, index) => {
      const label = surface.style(pad(index === 0 ? "identity" : "", LABEL_COLUMNS), "dim");
      return `${label} ${surface.style(line, "caution")}`;
    }),
  );
}

function drawKeyFigures(figures: readonly KeyFigure[], surface: Surface): string[] {
  const cells = figures.map((figure) => ({
    figure,
    label: surface.text(figure.label),
    value: surface.text(figure.value),
    low: surface.text(figure.interval?.low ?? ""),
    high: surface.text(figure.interval?.high ?? ""),
  }));
  const widths = {
    label: Math.max(LABEL_COLUMNS, ...cells.map((cell) => displayWidth(cell.label))),
    value: Math.max(7, ...cells.map((cell) => displayWidth(cell.value))),
    low: Math.max(0, ...cells.map((cell) => displayWidth(cell.low))),
    high: Math.max(0, ...cells.map((cell) => displayWidth(cell.high))),
  };
  const hasIntervals = widths.low > 0;
  const dashes = surface.text("—");
  const intervalWidth = Math.max("95 % interval".length, widths.low + widths.high + 3);
  const dash = surface.text("–");
  const lines = cells.map(({ figure, label, value, low, high }) => {
    const none = figure.reason === undefined ? "" : dashes;
    const interval = low === "" ? none : `${pad(low, widths.low, "right")} ${dash} ${high}`;
    const head =
      `${pad(label, widths.label)} ${surface.style(pad(value, widths.value, "right"), "bold")}  ` +
      (hasIntervals ? `${surface.style(pad(interval, intervalWidth), "dim")}  ` : "");
    return head + drawReading(figure, surface, surface.width - displayWidth(head));
  });
  const header =
    `${pad("", widths.label)} ${pad("value", widths.value, "right")}  ` +
    `${hasIntervals ? `${pad("95 % interval", intervalWidth)}  ` : ""}${surface.unicode ? "  " : "    "}published baseline`;
  return [surface.style(header, "dim"), ...lines, ...drawNoIntervals(figures, surface)].map((line) =>
    line.trimEnd(),
  );
}

/** Which figures have no interval and why, on one line; the rest is in the table of all figures. */
function drawNoIntervals(figures: readonly KeyFigure[], surface: Surface): string[] {
  const parts = figures.flatMap(({ label, reason }) =>
    reason === undefined ? [] : [`${label} (${reason})`],
  );
  if (parts.length === 0) return [];
  const text = surface.text(`no 95 % interval: ${parts.join(", ")}`);
  return [surface.style(clip(text, surface.width, surface.ellipsis), "dim")];
}

function drawReading(figure: KeyFigure, surface: Surface, room: number): string {
  const { reading } = figure;
  const signColumns = surface.unicode ? 2 : 4;
  const gap = " ".repeat(signColumns - displayWidth(levelSign(reading?.level ?? "none", surface.unicode)));
  if (reading === undefined) return surface.style(surface.text(`${" ".repeat(signColumns)}–`), "dim");
  if (reading.caution !== undefined) {
    const mark = pad(surface.style("!", "caution"), signColumns);
    return `${mark}${clip(surface.text(reading.caution), Math.max(1, room - signColumns), surface.ellipsis)}`;
  }
  const sign = surface.style(levelSign(reading.level, surface.unicode), `level-${reading.level}`) + gap;
  const band = surface.text(reading.band);
  const source = surface.text(reading.source);
  const both = `${band}  ${surface.style(source, "dim")}`;
  return (
    sign +
    (displayWidth(both) <= room - signColumns
      ? both
      : clip(band, Math.max(1, room - signColumns), surface.ellipsis))
  );
}

function drawPictures(report: MismatchReport, surface: Surface, density: Density): string[] {
  const lines: string[] = [];
  const steps = report.per_step;
  if (steps.length > 1) {
    const [low = null, high = null] = [steps[0]?.step, steps[steps.length - 1]?.step];
    const over = low === null || high === null ? "" : ` of ${low}–${high}`;
    const series = [
      ["mean |Δ|", "delta_abs_mean"],
      ["max |Δ|", "delta_abs_max"],
    ] as const;
    for (const [label, key] of density.extremes ? series : series.slice(0, 1)) {
      const values = steps.map((step) => step[key]);
      const worst = worstIndex(values);
      const peak =
        worst === undefined ? "" : `most ${formatNumber(values[worst])} at ${atStep(steps[worst]?.step)}`;
      const levels = key === "delta_abs_mean" ? sayLevels(report) : undefined;
      const [head, note] = levels === undefined ? [label, peak + over] : ["over steps", levels];
      lines.push(drawCourse(head, values, note, surface));
    }
  } else if (report.per_position_decile.length > 1) {
    const values = report.per_position_decile.map((group) => group.delta_abs_mean);
    const note = "by position, first to last tenth of the response";
    lines.push(drawCourse("mean |Δ|", values, note, surface));
  }
  const trimmed = trimHistogram(report.histograms.delta);
  if (trimmed !== undefined) {
    const { delta_min, delta_max } = report.metrics;
    const picture = logHistogram(trimmed.counts, PICTURE_COLUMNS, surface.unicode);
    const note = `${formatSigned(delta_min)} … 0 … ${formatSigned(delta_max)}, log counts`;
    lines.push(drawPicture("Δ", picture, note, surface));
  }
  return lines;
}

function drawCourse(label: string, values: readonly number[], note: string, surface: Surface): string {
  const scale = chooseScale(values);
  const picture = sparkline(values, PICTURE_COLUMNS, surface.unicode, scale);
  return drawPicture(label, picture, scale === "log" ? `log, ${note}` : note, surface);
}

/** `mean |Δ| 0.0108 nats, then 0.0017`, of a run whose level jumps. */
function sayLevels({ assessment }: MismatchReport): string | undefined {
  const means = assessment.when.segments.map(({ delta_abs_mean }) => delta_abs_mean);
  if (means.length < 2) return undefined;
  const [first = "", ...rest] = means.map((mean) => formatNumber(mean));
  if (rest.length < MOST_LEVELS) return `mean |Δ| ${[`${first} nats`, ...rest].join(", then ")}`;
  const [least, most] = [Math.min(...means), Math.max(...means)];
  return `mean |Δ| ${formatNumber(least)} to ${formatNumber(most)} nats, ${means.length} levels`;
}

function drawPicture(label: string, picture: string, note: string, surface: Surface): string {
  const head = `${pad(surface.text(label), LABEL_COLUMNS)} ${surface.style(picture, "blue")}  `;
  const room = Math.max(1, surface.width - displayWidth(head));
  return (head + surface.style(clip(surface.text(note), room, surface.ellipsis), "dim")).trimEnd();
}

function drawFacts(report: MismatchReport, surface: Surface, { facts, isBrief }: Density): string[] {
  const bullet = surface.unicode ? "• " : "* ";
  return standoutTexts(report, facts, isBrief).flatMap((text) =>
    wrap(surface.text(text), surface.width - 2).map((line, index) => (index === 0 ? bullet : "  ") + line),
  );
}

function drawPrompts(report: MismatchReport, surface: Surface): string[] {
  const line = promptLine(report);
  if (line === undefined) return [];
  const lines = wrap(surface.text(line), surface.width - LABEL_COLUMNS - 1);
  return lines.map(
    (text, index) => `${surface.style(pad(index === 0 ? "prompts" : "", LABEL_COLUMNS), "dim")} ${text}`,
  );
}

function drawLogged(report: MismatchReport, surface: Surface): string[] {
  const line = loggedLine(report);
  if (line === undefined) return [];
  const lines = wrap(surface.text(line), surface.width - LABEL_COLUMNS - 1);
  return lines.map((text, index) => {
    const label = surface.style(pad(index === 0 ? "logged" : "", LABEL_COLUMNS), "dim");
    return `${label} ${surface.style(text, "caution")}`;
  });
}

function drawLeftOut(report: MismatchReport, surface: Surface, { isAlone }: Density): string[] {
  const where = isAlone ? "--full" : "Findings";
  const told = leftOutLines(report);
  const more = told.length - MOST_LEFT_OUT;
  const warnings = countOtherWarnings(report);
  const nothing = told.length === 0;
  const parts = [
    ...(nothing ? ["nothing", ...otherFiles(report)] : told.slice(0, MOST_LEFT_OUT)),
    ...(more > 0 ? [`${more} more, see ${where}`] : []),
    ...(warnings > 0 ? [`${plural(warnings, nothing ? "warning" : "other warning")}, see ${where}`] : []),
  ];
  const lines = wrap(surface.text(parts.join("; ")), surface.width - LABEL_COLUMNS - 1);
  return lines.map((line, index) => {
    const label = surface.style(pad(index === 0 ? "left out" : "", LABEL_COLUMNS), "dim");
    return `${label} ${surface.style(line, nothing && warnings === 0 ? "dim" : "caution")}`;
  });
}

function drawNext(report: MismatchReport, surface: Surface, density: Density): string[] {
  const { command, why } = report.next;
  if (command === "") return [];
  return drawCommand("next", command, density.why ? why : "", surface);
}

/** The bars between the outermost ones that hold tokens, kept symmetric so that Δ = 0 stays in the middle. */
function trimHistogram(histogram: Histogram): Histogram | undefined {
  const { counts, edges } = histogram;
  const first = counts.findIndex((count) => count > 0);
  if (first < 0) return undefined;
  const last = counts.length - 1 - [...counts].reverse().findIndex((count) => count > 0);
  const margin = Math.min(first, counts.length - 1 - last);
  return {
    counts: counts.slice(margin, counts.length - margin),
    edges: edges.slice(margin, edges.length - margin),
  };
}

function atStep(step: number | null | undefined): string {
  return step === null || step === undefined ? "no step" : `step ${step}`;
}

function worstIndex(values: readonly number[]): number | undefined {
  let worst: number | undefined;
  for (const [index, value] of values.entries()) {
    if (isMissing(value)) continue;
    if (worst === undefined || value > (values[worst] as number)) worst = index;
  }
  return worst;
}
