/**
 * Metrics between bars behind a step: prime-rl's `Step 3 | 31.20s | Loss 0.0012 | …` (src/prime_rl/trainer/rl/train.py)
 * and torchtitan's `Train | Step:  3 | loss/mean:  0.42 | …` (its metrics processor for RL).
 *
 * @module
 */
import { type ConsoleLine, isProgressBar } from "./clean-lines.ts";
import { type ConsoleEntries, type ConsoleEntry, readPrinted } from "./entry.ts";

const START = /(?:^|\s)(?:(Validation) \| )?Step:?\s+(\d+)\s*\|(.*)$/;
/** A name, a number, and maybe its unit; `61.2/80.0 GiB` is two numbers. */
const PART =
  /^(\S.*?):?\s+([+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|nan|inf))(?:\s*%|\s?(?!e[+-]?$)[A-Za-z]\S*)?$/i;
/** The rest of a number and its unit, alone on a line. */
const REST = /^[\d.eE+-]*\d(?:\s?[A-Za-z%]\S*)?$/;

export function readBarLines(lines: readonly ConsoleLine[]): ConsoleEntries {
  const entries: ConsoleEntry[] = [];
  const strays: number[] = [];
  for (let at = 0; at < lines.length; at++) {
    const { text, line } = lines[at]!;
    const start = START.exec(text);
    if (start === null) {
      if (listMetrics(text).length >= STRAY_METRICS && !isProgressBar(text)) strays.push(line);
      continue;
    }
    let whole = start[3]!;
    let joined = 0;
    while (at + 1 < lines.length && continues(whole, lines[at + 1]!.text)) {
      whole += lines[++at]!.text;
      joined++;
    }
    const prefix = start[1] === undefined ? "" : "validation/";
    entries.push({
      step: Number(start[2]),
      values: listMetrics(whole).map(([name, value]) => [prefix + name, value]),
      line,
      joined,
      cut: findCut(whole),
    });
  }
  return { entries, strays };
}

const TIME = /^\[?\d\d:\d\d/;
/** This many metrics between bars are not chance. */
const STRAY_METRICS = 3;

/** Whether a line is the rest of one that a terminal broke: it has bars, or only the rest of a number. */
function continues(before: string, text: string): boolean {
  if (START.test(text) || isProgressBar(text) || TIME.test(text)) return false;
  const isBetweenBars = text.trimStart().startsWith("|") || before.trimEnd().endsWith("|");
  if (isBetweenBars && listMetrics(text).length > 0) return true;
  return REST.test(text.trim()) || (/\s\|\s/.test(text) && listMetrics(`| ${text}`).length > 0);
}

function listMetrics(text: string): (readonly [string, number])[] {
  return text.split("|").flatMap((part): (readonly [string, number])[] => {
    const [, name, printed] = PART.exec(part.trim()) ?? [];
    const value = printed === undefined ? undefined : readPrinted(printed);
    return name === undefined || value === undefined || !/[A-Za-z]/.test(name) ? [] : [[name, value]];
  });
}

/** The last part, if it is a name without its number, or with the beginning of one. */
function findCut(text: string): string | undefined {
  const last = text.split("|").at(-1)!.trim();
  return /^[A-Za-z]\D*$/.test(last) || /\s[+-]?\d*(?:\.|\d[\d.]*e[+-]?)$/i.test(last) ? last : undefined;
}
