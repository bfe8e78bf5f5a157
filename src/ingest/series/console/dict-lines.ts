/**
 * Metrics printed as a dictionary: behind a step (slime and miles `step 3: {…}`, OpenRLHF `Global step 3: {…}`, SkyRL over
 * several lines), or alone (`transformers` and TRL; ROLL, whose dictionary is JSON and has the step in it).
 *
 * @module
 */
import { NOT_METRICS, STEP_NAMES } from "../series.ts";
import { type ConsoleLine, isProgressBar } from "./clean-lines.ts";
import { Brackets, type DictText, readDict } from "./dict-text.ts";
import type { ConsoleEntries, ConsoleEntry } from "./entry.ts";

/** The brace of a dictionary whose first name follows, or the line's end. */
const DICT = /\{(?=\s*(?:['"]|$))/;
/** The step before it: slime names what it prints, and miles too. */
const STEP = /(?:^|[^\w])(?:step|rollout|perf|eval|passrate)\s+(\d+)(?:\s*\[\w+\])?\s*:\s*$/i;
/** Names that `transformers` prints at each step that it logs, and at no other time. */
const OF_A_STEP: readonly string[] = ["loss", "learning_rate", "grad_norm"];
/** This many numbers beside a step are the metrics of it. */
const MANY = 3;
/** A longer dictionary is something else that lacks its last brace. */
const MOST_LINES = 1000;
/** A line that continues nothing. */
const OWN_LINE = /^\[?(?:\d{4}-\d\d-\d\d\b|\d\d:\d\d:\d\d\b|(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)\b)/;

export function readDictLines(lines: readonly ConsoleLine[]): ConsoleEntries {
  const entries: ConsoleEntry[] = [];
  for (let at = 0; at < lines.length; ) {
    const start = findStart(lines, at);
    if (start === undefined) {
      at++;
      continue;
    }
    const { dict, next, joined } = readLines(lines, start);
    const entry = toEntry(start, dict, joined);
    if (entry !== undefined) entries.push(entry);
    at = entry === undefined ? at + 1 : next;
  }
  return { entries, strays: [] };
}

interface DictStart {
  /** Index of the line with the brace. */
  readonly at: number;
  readonly line: number;
  readonly worker: string;
  readonly text: string;
  readonly brace: number;
  readonly step: number | undefined;
}

function findStart(lines: readonly ConsoleLine[], at: number): DictStart | undefined {
  const { text, worker, line } = lines[at]!;
  const brace = text.search(DICT);
  if (brace >= 0) return { at, line, worker, text, brace, step: stepBefore(text.slice(0, brace)) };
  // SkyRL prints the dictionary under the step.
  const step = stepBefore(text);
  const below = step === undefined ? undefined : lines[at + 1];
  return below?.text.trimStart().startsWith("{") && below.worker === worker
    ? { at: at + 1, line, worker, text: below.text, brace: below.text.indexOf("{"), step }
    : undefined;
}

function stepBefore(text: string): number | undefined {
  const step = STEP.exec(text)?.[1];
  return step === undefined ? undefined : Number(step);
}

/** Reads on until the last brace: `pprint` breaks a dictionary between its entries, a terminal anywhere. */
function readLines(
  lines: readonly ConsoleLine[],
  start: DictStart,
): { dict: DictText; next: number; joined: number } {
  const brackets = new Brackets();
  const isClosedBy = (text: string): boolean =>
    [...text].some((character) => {
      brackets.take(character);
      return brackets.depth === 0;
    });
  const parts = [start.text];
  let at = start.at + 1;
  let isClosed = isClosedBy(start.text.slice(start.brace));
  let joined = 0;
  for (; !isClosed && at < lines.length && parts.length < MOST_LINES; at++) {
    const { text, worker } = lines[at]!;
    // Other processes print between the lines of one.
    if (isProgressBar(text) || (worker !== "" && worker !== start.worker)) continue;
    if (OWN_LINE.test(text) || findStart(lines, at)?.step !== undefined) break;
    if (!/[,{[(]\s*$/.test(parts.at(-1)!)) joined++;
    parts.push(text);
    isClosed = isClosedBy(text);
  }
  const dict = readDict(parts.join(""), start.brace);
  // What follows a dictionary without an end may be something else.
  return dict.end === undefined ? { dict, next: start.at + 1, joined: 0 } : { dict, next: at, joined };
}

/** Undefined for a dictionary that is not known to be metrics. */
function toEntry(
  { step, line }: DictStart,
  { values, cut }: DictText,
  joined: number,
): ConsoleEntry | undefined {
  const inside = STEP_NAMES.map((name) => values.find(([key]) => key === name)?.[1]).find(
    (value) => value !== undefined && Number.isFinite(value),
  );
  const metrics = values.filter(([name]) => !NOT_METRICS.has(name));
  if (metrics.length === 0 && cut === undefined) return undefined;
  const isKnown =
    step !== undefined ||
    [...metrics.map(([name]) => name), cut ?? ""].some((name) => OF_A_STEP.includes(name)) ||
    (inside !== undefined && metrics.length >= MANY);
  return isKnown ? { step: step ?? inside, values: metrics, line, joined, cut } : undefined;
}
