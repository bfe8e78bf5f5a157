/**
 * The lines of a program's output as its writer meant them: without the colors of a terminal, and without the names that
 * Ray puts before each.
 *
 * @module
 */

export interface ConsoleLine {
  /** Without the worker's name. */
  readonly text: string;
  /** As it stood on the screen, without colors: its length tells where a terminal broke it. */
  readonly shown: string;
  /** Ray's name of the process, `(TaskRunner pid=123)`; empty without one. */
  readonly worker: string;
  /** Number of the line in the file, from 1. */
  readonly line: number;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals color with them
const CONTROL = /\x1b\[[\d;?]*[A-Za-z]/g;
const WORKER = /^\([^()]*pid=\d+[^()]*\) ?/;

/** A carriage return begins a line too: progress bars are redrawn with it. */
export function cleanLines(text: string): ConsoleLine[] {
  return text
    .replace(CONTROL, "")
    .split("\n")
    .flatMap((raw, at) =>
      raw
        .replace(/\r+$/, "")
        .split("\r")
        .map((shown): ConsoleLine => {
          const worker = WORKER.exec(shown)?.[0] ?? "";
          return { text: shown.slice(worker.length), shown, worker, line: at + 1 };
        }),
    );
}

/** A bar of tqdm, which a program prints between its lines. */
export function isProgressBar(text: string): boolean {
  return /\d%\|/.test(text) && !text.includes("{");
}
