/**
 * What a tired engineer reads in ten seconds in a terminal: the verdict and since when, the worst mistake, where it is,
 * whether it matters, why; four figures with what is usual; two commands.
 *
 * @module
 */

import { asSentence, formatId, formatNumber, isFigure, isMissing, plural } from "../../../core/text/index.ts";
import { RUN_METRICS } from "../../../results/metrics/run-metrics.ts";
import type { MismatchReport } from "../../../results/report.ts";
import type { Style, Surface } from "../../document/surface.ts";
import { verdictWord } from "../../document/verdict-word.ts";
import { chooseScale, sparkline } from "../../terminal/bars.ts";
import { clip, displayWidth, pad } from "../../terminal/columns.ts";
import { drawCommand } from "../../terminal/command.ts";
import { countRows, screenRows } from "../../terminal/screen.ts";
import { levelSign } from "../../terminal/surface.ts";
import { wrap, wrapParts } from "../../terminal/wrap.ts";
import { printable } from "../../text/printable.ts";
import { identityLines } from "../identity-tables.ts";
import type { AnswerRow } from "./answer-row.ts";
import { type KeyRow, keyRows } from "./key-rows.ts";
import { leftOutRows } from "./left-out-rows.ts";
import { answerRows, faultRows, fixRow } from "./rows.ts";

const LABEL_COLUMNS = 12;
const PICTURE_COLUMNS = 32;
/** If less room than this is left beside it, a label or a verdict gets a line of its own. */
const NARROW = 16;
/** More levels of steps than this are only counted. */
const MOST_LEVELS = 3;

/** What is left out, starting with nothing: the first variant that fits is used. */
interface Density {
  /** Blank lines between blocks, except the one after the header. */
  readonly gaps: number;
  /** Whether figures have notes and commands their reasons. */
  readonly notes: boolean;
  /** Number of rows of the answer that are left out, the least important first. */
  readonly omit: number;
}

const MOST_GAPS = 4;

/**
 * The first screen of a run, for 80 × 24 or more. No line is longer than the terminal, except lines to paste.
 *
 * @param rows the number of lines it may take
 * @param rest the command that prints everything else
 */
export function drawAnswerScreen(
  report: MismatchReport,
  surface: Surface,
  { rows = screenRows(), rest = "--full" }: { readonly rows?: number; readonly rest?: string } = {},
): string[] {
  let lines: string[] = [];
  for (const density of densities(answerRows(report).length)) {
    lines = drawBlocks(report, surface, density, rest);
    if (countRows(lines, surface.width) <= rows) break;
  }
  return lines;
}

/** Notes go first, then alternately lesser rows and blank lines. */
function* densities(rows: number): Generator<Density> {
  yield { gaps: MOST_GAPS, notes: true, omit: 0 };
  for (let omit = 0; omit <= rows; omit++)
    for (let gaps = MOST_GAPS; gaps >= 0; gaps--) {
      // A row is worth more than the last blank lines, but less than the first.
      if (gaps === 0 && omit < rows) continue;
      yield { gaps, notes: false, omit };
    }
}

function drawBlocks(report: MismatchReport, surface: Surface, density: Density, rest: string): string[] {
  const { comparable } = report.assessment;
  // `stale · verl · steps 10–150 (12) · 768 answers · 54,994 tokens`
  const name = surface.style(surface.text(printable(report.run)), "bold");
  const parts = headParts(report).map((part) => surface.text(part));
  const blocks = [
    wrapParts([name, ...parts], surface.unicode ? " · " : ", ", surface.width),
    drawVerdict(report, surface),
    comparable.is_comparable ? drawRows(report, surface, density) : drawShifts(report, surface),
    comparable.is_comparable ? drawFigures(keyRows(report), surface, density) : [],
    drawNotes(report, surface, rest),
    drawCommands(report, surface, density),
  ].filter((block) => block.length > 0);
  // The header always keeps its blank line; without room, the other blocks move together, starting with the last.
  return blocks.flatMap((block, at) =>
    at === 1 || (at > 1 && at - 1 <= density.gaps) ? ["", ...block] : block,
  );
}

function headParts({ trainers, metrics, per_step: perStep }: MismatchReport): string[] {
  const steps = perStep.map(({ step }) => step).filter(isFigure);
  const [first, last] = [steps[0], steps.at(-1)];
  return [
    ...trainers.map(printable),
    ...(first === undefined || last === undefined
      ? []
      : [
          first === last
            ? `step ${formatId(first)}`
            : `steps ${formatId(first)}–${formatId(last)} (${steps.length})`,
        ]),
    plural(metrics.sequences, "answer"),
    plural(metrics.tokens, "token"),
    ...(metrics.ranks > 1 ? [plural(metrics.ranks, "rank")] : []),
  ];
}

function drawVerdict(report: MismatchReport, surface: Surface): string[] {
  const { level, sentence } = report.assessment;
  const badge = `${levelSign(level, surface.unicode)} ${verdictWord(report.assessment)}`;
  const shown = level === "broken" ? ` ${badge} ` : badge;
  const style: Style = `level-${level}`;
  const text = surface.text(asSentence(sentence));
  const room = surface.width - displayWidth(shown) - 2;
  const [first = "", ...rest] =
    room < NARROW ? ["", ...wrap(text, surface.width - 2)] : wrap(text, surface.width - 2, room);
  const head = `${surface.style(shown, style)}  ${first}`;
  return [clip(head, surface.width, surface.ellipsis).trimEnd(), ...rest.map((line) => `  ${line}`)];
}

function drawRows(report: MismatchReport, surface: Surface, density: Density): string[] {
  const course = overSteps(report, surface);
  const rows = leaveOut(answerRows(report, surface.unicode), density.omit);
  return [...course, ...rows.flatMap((row) => drawRow(row, surface))];
}

/** The rows without the given number of least important ones. */
function leaveOut(rows: readonly AnswerRow[], count: number): AnswerRow[] {
  const left = new Set([...rows].sort((a, b) => a.rank - b.rank).slice(0, count));
  return rows.filter((row) => !left.has(row));
}

function drawRow({ label, text, quoted = [] }: Omit<AnswerRow, "rank">, surface: Surface): string[] {
  const isNarrow = surface.width < LABEL_COLUMNS + 2 + NARROW;
  const margin = " ".repeat(isNarrow ? 2 : LABEL_COLUMNS + 2);
  const room = surface.width - margin.length;
  const lines = wrap(surface.text(text), room);
  const head = `  ${surface.style(pad(label, LABEL_COLUMNS), "dim")}`;
  const isCode = label === "fix";
  return [
    ...(isNarrow ? [clip(head, surface.width, surface.ellipsis)] : []),
    ...lines.map((line, at) => (at === 0 && !isNarrow ? head : margin) + line),
    ...quoted.map((line) => {
      const shown = surface.text(line);
      // A line to paste stays whole.
      return margin + (isCode ? surface.style(shown, "bold") : clip(shown, room, surface.ellipsis));
    }),
  ];
}

/** Mean |Δ| over the steps, and its values before and after a jump. */
function overSteps({ per_step: steps, assessment }: MismatchReport, surface: Surface): string[] {
  if (steps.length < 2) return [];
  const values = steps.map(({ delta_abs_mean }) => delta_abs_mean);
  const scale = chooseScale(values);
  const picture = sparkline(values, PICTURE_COLUMNS, surface.unicode, scale);
  const means = assessment.when.segments.map(({ delta_abs_mean }) => formatNumber(delta_abs_mean));
  const note =
    means.length > 1 && means.length <= MOST_LEVELS
      ? `mean |Δ| ${means[0]} nats, then ${means.slice(1).join(", then ")}`
      : `mean |Δ| ${ends(values)}`;
  const text = `${surface.style(picture, "blue")}  ${surface.style(surface.text(`${note}${scale === "log" ? " (log)" : ""}`), "dim")}`;
  const line = `  ${surface.style(pad("over steps", LABEL_COLUMNS), "dim")}${text}`;
  return [clip(line, surface.width, surface.ellipsis)];
}

/** `0.0018 → 0.0009 nats` */
function ends(values: readonly number[]): string {
  const known = values.filter((value) => !isMissing(value));
  if (known.length === 0) return "not known";
  return `${formatNumber(known[0])} → ${formatNumber(known.at(-1))} nats`;
}

/**
 * Mean |Δ| with one column shifted: if the columns belong to different tokens, it is the only meaningful figure. If no
 * shift was tried, whatever shows the fault.
 */
function drawShifts({ assessment }: MismatchReport, surface: Surface): string[] {
  const { by_shift: tried, shift } = assessment.comparable;
  if (tried.length === 0)
    return faultRows(assessment.causes, surface.unicode).flatMap((row) => drawRow(row, surface));
  const fixes = assessment.causes
    .slice(0, 1)
    .flatMap(fixRow)
    .flatMap((row) => drawRow(row, surface));
  const cells = tried.map(({ shift: by, delta_abs_mean: mean }) => ({
    by: by > 0 ? `+${by}` : String(by),
    mean: formatNumber(mean),
    isFit: by === shift,
  }));
  const width = Math.max(...cells.map(({ mean }) => mean.length)) + 2;
  const line = (label: string, of: (cell: (typeof cells)[number]) => string): string =>
    clip(
      `  ${surface.style(pad(surface.text(label), LABEL_COLUMNS), "dim")}${cells.map((cell) => of(cell)).join("")}`,
      surface.width,
      surface.ellipsis,
    ).trimEnd();
  const mark = (cell: (typeof cells)[number]): string =>
    pad(cell.isFit ? "^".repeat(cell.mean.length) : "", width, "right");
  return [
    line("moved by", ({ by }) => pad(by, width, "right")),
    line(RUN_METRICS.delta_abs_mean.label, ({ mean }) => pad(mean, width, "right")),
    line("", mark),
    ...fixes,
  ];
}

function drawFigures(rows: readonly KeyRow[], surface: Surface, density: Density): string[] {
  if (rows.length === 0) return [];
  const cells = rows.map((row) => ({
    ...row,
    label: surface.text(row.label),
    value: surface.text(row.value),
    usual: surface.text(row.usual),
    note: density.notes || row.isUnreliable ? surface.text(row.note) : "",
  }));
  const has = cells.some(({ worstTo }) => worstTo !== "");
  const widths = {
    value: Math.max(8, ...cells.map(({ value }) => displayWidth(value))),
    usual: Math.max(7, ...cells.map(({ usual }) => displayWidth(usual))),
    worst: has ? Math.max(8, ...cells.map(({ worstTo }) => displayWidth(worstTo))) : 0,
  };
  const join = (label: string, value: string, usual: string, worst: string, end: string): string =>
    `  ${pad(label, LABEL_COLUMNS)}${pad(value, widths.value)}  ${pad(usual, widths.usual)}${has ? `  ${pad(worst, widths.worst)}` : ""}  ${end}`;
  const lines = cells.map(({ label, value, usual, worstTo, level, isUnreliable, note }) => {
    const mark = isUnreliable
      ? surface.style("!", "caution")
      : surface.style(levelSign(level, surface.unicode), `level-${level}`);
    return join(
      label,
      surface.style(value, "bold"),
      usual,
      worstTo,
      `${mark}${note === "" ? "" : `  ${note}`}`,
    );
  });
  return [surface.style(join("", "this run", "usual", "worst to", "").trimEnd(), "dim"), ...lines].map(
    (line) => clip(line, surface.width, surface.ellipsis),
  );
}

/** What qualifies everything above: identity tests that fail, and data in no figure. */
function drawNotes(report: MismatchReport, surface: Surface, rest: string): string[] {
  const rows: AnswerRow[] = [
    ...(report.assessment.comparable.is_comparable
      ? identityLines(report).map((text, at) => ({ label: at === 0 ? "identity" : "", text, rank: 10 }))
      : []),
    ...leftOutRows(report, rest),
  ];
  return rows.flatMap((row) => drawRow(row, surface));
}

function drawCommands(report: MismatchReport, surface: Surface, density: Density): string[] {
  const { next, correct } = report;
  const draw = (name: string, command: string, why: string): string[] =>
    drawCommand(`  ${name}`, command, density.notes ? why : "", surface, LABEL_COLUMNS + 1);
  return [
    ...(next.command === "" ? [] : draw("next", next.command, next.why)),
    ...(correct === null ? [] : draw("meanwhile", correct.command, correct.why)),
  ];
}
