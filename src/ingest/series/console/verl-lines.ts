/**
 * Reassembles verl's console lines: a terminal or a paste breaks them anywhere, so a number at the end of a line may
 * continue on the next one and must not be read as it stands.
 *
 * @module
 */
import { type ConsoleLine, isProgressBar } from "./clean-lines.ts";
import { type ConsoleEntries, readPrinted } from "./entry.ts";

/** `step:12 - actor/lr:1e-06 - …`, after any prefix of a launcher (verl/utils/logger/aggregate_logger.py). */
const CONSOLE = /(?:^|\s)step:(\d+)\s+-\s+(\S.*:.*)$/;
/** The beginning of such a line, however short. */
const START = /(?:^|\s)step:\d*(?:\s+-(?:\s.*)?)?$/;
const SEPARATOR = /\s+-(?:\s+|$)/;
/** The rest of a number, or of its text, after a cut. */
const NUMBER_REST = /^[\d.eE+\-naifNAIFt()]+$/;

/** The metrics of one step, from one line or several. */
export interface VerlEntry {
  readonly step: number;
  /** `name:value` entries. */
  readonly parts: readonly string[];
  /** Number of its first line, from 1. */
  readonly line: number;
  /** Lines that continue it. */
  readonly joined: number;
  /** The metric whose value is cut off, or may be; it is left out of `parts`. */
  readonly cut: string | undefined;
}

export interface VerlLines {
  readonly entries: readonly VerlEntry[];
  /** Lines of metrics that belong to no step, because the line with their step is cut off. */
  readonly strays: readonly number[];
}

/** The metrics of verl's lines by name. */
export function readVerlEntries(lines: readonly ConsoleLine[]): ConsoleEntries {
  const { entries, strays } = readVerlLines(lines);
  return {
    strays,
    entries: entries.map(({ parts, ...rest }) => ({
      ...rest,
      values: parts.flatMap((part): (readonly [string, number])[] => {
        const value = readValue(part);
        const colon = part.lastIndexOf(":");
        return colon > 0 && value !== undefined ? [[part.slice(0, colon).trim(), value]] : [];
      }),
    })),
  };
}

export function readVerlLines(lines: readonly ConsoleLine[]): VerlLines {
  const entries: VerlEntry[] = [];
  const strays: number[] = [];
  let open: OpenEntry | undefined;
  const close = (): void => {
    const entry = open?.finish();
    if (entry !== undefined) entries.push(entry);
    open = undefined;
  };
  for (const each of lines) {
    const { text, shown, line } = each;
    if (isProgressBar(text)) continue;
    if (START.test(text) || CONSOLE.test(text)) {
      close();
      open = new OpenEntry(shown, line);
    } else if (open?.take(each) !== true) {
      close();
      if (text.split(SEPARATOR).filter(isMetric).length >= STRAY_METRICS) strays.push(line);
    }
  }
  close();
  return { entries, strays };
}

/** This many `name:number` entries with separators are not chance. */
const STRAY_METRICS = 3;

/** `name:number` without white space. */
function isMetric(part: string): boolean {
  const colon = part.lastIndexOf(":");
  return colon > 0 && !/\s/.test(part) && readValue(part) !== undefined;
}

/** The number of a `name:value`. */
export function readValue(part: string): number | undefined {
  return readPrinted(part.slice(part.lastIndexOf(":") + 1));
}

class OpenEntry {
  readonly #line: number;
  #text: string;
  #joined = 0;
  /** Length of the line added last, and of those that certainly continued on the next one. */
  #length: number;
  readonly #fullLengths = new Set<number>();
  #isCut = false;

  constructor(text: string, line: number) {
    this.#text = text;
    this.#line = line;
    this.#length = text.length;
  }

  /** Takes the next line if it continues the entry. */
  take({ text: line, shown: raw }: ConsoleLine): boolean {
    if (this.#isCut) return false;
    if (line.trim() === "") return false;
    const parts = line.trim().split(SEPARATOR);
    const begins = /^\s*-(?:\s|$)/.test(line);
    const rest = begins ? parts.slice(1) : parts;
    const chain = rest.slice(begins ? 0 : 1);
    if (!chain.slice(0, -1).every(isMetric) || /\s/.test(chain.at(-1) ?? "")) return false;
    if (begins || /\s-\s*$/.test(this.#text)) {
      if (!begins && !isMetric(rest[0]!) && chain.length === 0 && !rest[0]!.includes("/")) return false;
      this.#add(begins ? ` ${line.trim()}` : ` ${line.trim()}`, raw);
      return true;
    }
    return this.#takeInside(line.trimEnd(), rest[0]!, chain, raw);
  }

  /** The line was cut inside a name or a number, unless this one is unrelated. */
  #takeInside(line: string, head: string, chain: readonly string[], raw: string): boolean {
    if (/\s/.test(head)) return false;
    const last = this.#text.split(SEPARATOR).at(-1)!;
    const isWhole = isMetric(last.replace(/^.*\sstep:/, "step:"));
    const isCertain = chain.some(isMetric) || this.#fullLengths.has(this.#length);
    const joined = isMetric(last + head) || chain.length === 0;
    if (!joined || (!isCertain && !isMetric(last + head))) return false;
    if (isWhole && !isCertain) {
      // This may be a line of its own; then the last number is complete, else it is a different one.
      if (!NUMBER_REST.test(head) && !isMetric(head)) return false;
      this.#isCut = true;
      return true;
    }
    this.#add(line, raw);
    return true;
  }

  #add(more: string, raw: string): void {
    this.#fullLengths.add(this.#length);
    this.#length = raw.length;
    this.#text += more;
    this.#joined++;
  }

  /** Undefined for a line that only looks like one of metrics. */
  finish(): VerlEntry | undefined {
    const match = CONSOLE.exec(this.#text);
    if (match === null) return undefined;
    const parts = match[2]!.split(SEPARATOR).filter((part) => part !== "");
    const last = parts.at(-1) ?? "";
    const isCut = this.#isCut || (readValue(last) === undefined && isCutOff(last));
    const cut = isCut ? (last.slice(0, last.lastIndexOf(":")) || last).trim() : undefined;
    return {
      step: Number(match[1]),
      parts: isCut ? parts.slice(0, -1) : parts,
      line: this.#line,
      joined: this.#joined,
      cut,
    };
  }
}

/** A name without a value, or a value that is the beginning of a number. */
function isCutOff(part: string): boolean {
  const colon = part.lastIndexOf(":");
  return (
    colon < 0 || /^(?:[+-]?(?:\d[\d.]*(?:e[+-]?)?|\.)?|n|na|[+-]?in?|np\..*)$/i.test(part.slice(colon + 1))
  );
}
