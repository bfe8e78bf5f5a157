/**
 * The metrics in what programs print, whatever the kind of their lines.
 *
 * @module
 */
import type { FindingLog } from "../../../core/schema/index.ts";
import { plural } from "../../../core/text/index.ts";
import type { SeriesBuilder } from "../series.ts";
import { readBarLines } from "./bar-lines.ts";
import { readBlocks } from "./block-lines.ts";
import { type ConsoleLine, cleanLines } from "./clean-lines.ts";
import { readDictLines } from "./dict-lines.ts";
import type { ConsoleEntries, ConsoleEntry } from "./entry.ts";
import { readVerlEntries } from "./verl-lines.ts";

interface ConsoleKind {
  readonly form: string;
  /** What its lines look like, in a few characters. */
  readonly like: string;
  /** Whether only the end of the line ends its last number. */
  readonly isOpenEnded: boolean;
  read(lines: readonly ConsoleLine[]): ConsoleEntries;
}

const KINDS: readonly ConsoleKind[] = [
  { form: "verl's console log", like: "step:1 - name:value", isOpenEnded: true, read: readVerlEntries },
  {
    form: "a console log of dictionaries",
    like: "step 1: {'name': value}",
    isOpenEnded: false,
    read: readDictLines,
  },
  { form: "a console log of steps", like: "Step 1 | name value", isOpenEnded: true, read: readBarLines },
  { form: "NeMo-RL's console log", like: "Training Results:", isOpenEnded: false, read: readBlocks },
];

/** What lines of metrics look like, for messages. */
export const CONSOLE_LINES: readonly string[] = KINDS.map(({ like }) => like);

/**
 * Adds the metrics of a program's output.
 *
 * @returns what kinds of lines they were in; empty without any
 */
export function addConsole(
  text: string,
  file: string,
  builder: SeriesBuilder,
  findings: FindingLog,
): readonly string[] {
  const lines = cleanLines(text);
  const found = KINDS.map((kind) => ({ ...kind, ...kind.read(lines) })).filter(
    ({ entries }) => entries.length > 0,
  );
  for (const { entries, strays, isOpenEnded } of found) {
    addEntries(isOpenEnded ? leaveOutCut(entries) : entries, file, builder, findings);
    if (strays.length > 0) tellStrays(strays, file, findings);
  }
  if (found.length > 1) tellKinds(found, file, findings);
  return found.map(({ form }) => form);
}

function addEntries(
  entries: readonly ConsoleEntry[],
  file: string,
  builder: SeriesBuilder,
  findings: FindingLog,
): void {
  let counted = 0;
  for (const { step, values, line, joined, cut } of entries) {
    for (const [metric, value] of values) builder.add(metric, step ?? counted + 1, value);
    if (step === undefined) counted++;
    const at = { file, line };
    if (step === undefined) tellCounted(at, findings);
    if (joined > 0) tellJoined(joined, at, findings);
    if (cut !== undefined) tellCut(cut, at, findings);
  }
}

/** The last number of a line that ends where no other does, with a metric that others go on after, may be cut off. */
function leaveOutCut(entries: readonly ConsoleEntry[]): readonly ConsoleEntry[] {
  const lasts = new Map<string, number>();
  const inner = new Set<string>();
  for (const { values } of entries) {
    const last = values.at(-1)?.[0];
    if (last !== undefined) lasts.set(last, (lasts.get(last) ?? 0) + 1);
    for (const [metric] of values.slice(0, -1)) inner.add(metric);
  }
  return entries.map((entry) => {
    const last = entry.values.at(-1)?.[0];
    return last !== undefined && entry.cut === undefined && lasts.get(last) === 1 && inner.has(last)
      ? { ...entry, values: entry.values.slice(0, -1), cut: last }
      : entry;
  });
}

interface LinePlace {
  readonly file: string;
  readonly line: number;
}

function tellCounted(at: LinePlace, findings: FindingLog): void {
  findings.add({
    code: "note",
    severity: "info",
    subject: "entries without a step",
    count: 1,
    at,
    likely: "the trainer prints none; it may log every few steps only",
    describe: (total) => `${plural(total, "entry", "entries")} without a step: counted from 1`,
  });
}

function tellJoined(count: number, at: LinePlace, findings: FindingLog): void {
  findings.add({
    code: "note",
    severity: "info",
    subject: "wrapped lines",
    count,
    at,
    likely: "a terminal or a paste broke long lines",
    describe: (total) =>
      `${plural(total, "line continues", "lines continue")} the console line before: read as one`,
  });
}

function tellCut(metric: string, at: LinePlace, findings: FindingLog): void {
  findings.add({
    code: "partial-line",
    severity: "skipped",
    subject: "cut values",
    count: 1,
    at,
    likely: "a terminal or a paste broke or cut off long lines",
    hint: "take the metrics from the trainer's log file instead",
    describe: (total) =>
      `${plural(total, "metric")} at the end of a console line ${total === 1 ? "is" : "are"} cut off, or may be, and left out: ${total === 1 ? "" : "the first, "}${metric}`,
  });
}

function tellStrays(lines: readonly number[], file: string, findings: FindingLog): void {
  findings.add({
    code: "partial-line",
    severity: "skipped",
    subject: "lines without a step",
    count: lines.length,
    at: { file, line: lines[0]! },
    likely: "the line with their step was cut off",
    describe: (total) =>
      `${plural(total, "line")} of console metrics ${total === 1 ? "belongs" : "belong"} to no step and ${total === 1 ? "is" : "are"} left out`,
  });
}

function tellKinds(
  kinds: readonly (ConsoleKind & ConsoleEntries)[],
  file: string,
  findings: FindingLog,
): void {
  const [first, ...others] = kinds.map(
    ({ like, entries }) => `${plural(entries.length, "entry", "entries")} like “${like}”`,
  );
  findings.add({
    code: "note",
    severity: "warning",
    subject: "kinds of lines",
    count: kinds.length,
    at: { file, line: kinds[1]!.entries[0]!.line },
    likely: "the output of two programs is in one file",
    hint: "if these are two runs, give each its own file",
    describe: () => `metrics are printed in several ways: ${first}, ${others.join(", ")}`,
  });
}
