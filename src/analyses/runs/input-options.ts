/**
 * Which data to read from the paths, in the terms of the command line: one set of options for both.
 *
 * @module
 */

import { UsageError } from "../../core/base/index.ts";
import { COLUMN_FLAGS } from "../../core/schema/index.ts";
import { type ColumnMapping, parseAlign, type ReadOptions } from "../../ingest/index.ts";

type MappedColumn = keyof typeof COLUMN_FLAGS;

/**
 * Which rows and columns to read. A field of `ColumnMapping` (`rollout`, `trainer`, `mask`, …) names the column that
 * detection should use; dots reach into objects.
 * detection should take; dots reach into objects.
 */
export interface RunInput extends Readonly<Partial<Record<MappedColumn, string>>> {
  /** Two files that scored the same tokens: the rollout side first, then the trainer's. */
  readonly pair?: boolean;
  /** Only these steps: `30`, `100..200` (both included), `10,20,30`. */
  readonly steps?: string;
  /** Read as this trainer's format (`verl`, `xtuner`, `slime`, …), regardless of detection. */
  readonly adapter?: string;
  /**
   * The trainer's log-prob of token t is entry t + `align` of its column: an integer, `auto` (determined from the data)
   * or `none` (as in the file, unchecked). Default 0, checked.
   */
  readonly align?: string | number;
  /** Response tokens held in memory at a time; default a million. */
  readonly batchTokens?: number;
}

/** Fields of {@link RunInput} and of filter options: those that determine what is read. */
export const INPUT_NAMES: ReadonlySet<string> = new Set([
  ...Object.keys(COLUMN_FLAGS),
  ...["pair", "steps", "adapter", "align", "batchTokens", "filter", "tokenizer"],
]);

/** The reading options for `openRun`. @throws UsageError if a value is invalid. */
export function parseRunInput(options: RunInput): ReadOptions {
  const named = Object.keys(COLUMN_FLAGS).flatMap((field) => {
    const column = options[field as MappedColumn];
    return column === undefined ? [] : [[field, column] as const];
  });
  return {
    ...(named.length > 0 && { mapping: Object.fromEntries(named) as ColumnMapping }),
    ...(options.pair !== undefined && { pair: options.pair }),
    ...(options.adapter !== undefined && { adapter: options.adapter }),
    ...(options.steps !== undefined && { steps: stepFilter(options.steps) }),
    ...(options.align !== undefined && { align: parseAlign(options.align) }),
    ...(options.batchTokens !== undefined && { batchTokens: options.batchTokens }),
  };
}

/** `30`, `100..200` (both ends included), `10,20,30..40`. */
export function stepFilter(text: string): (step: number) => boolean {
  const ranges = text.split(",").map((part) => {
    const [, from, , to] = /^\s*(\d+)\s*(\.\.\s*(\d+))?\s*$/.exec(part) ?? [];
    if (from === undefined) {
      throw new UsageError(`--steps: cannot parse "${part.trim()}"`, {
        hint: "write 30, or 100..200, or 10,20,30",
      });
    }
    const range = [Number(from), Number(to ?? from)] as const;
    if (range[1] < range[0]) throw new UsageError(`--steps: the range ${part.trim()} ends before it starts`);
    return range;
  });
  return (step) => ranges.some(([from, to]) => step >= from && step <= to);
}

/**
 * The options that chose what was read, as command-line words: for the next command.
 *
 * @param more names of further options to include
 */
export function readFlags(options: object, more: readonly string[] = []): string[] {
  const taken = new Set([...INPUT_NAMES, "memory", ...more]);
  const others = Object.keys(options).filter((name) => !taken.has(name));
  return inputFlags(options, others);
}

/** Options as command-line words, without the named ones. */
export function inputFlags(options: object, without: readonly string[]): string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    if (without.includes(name) || value === false || value === undefined) return [];
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === true) return [flag];
    return [value].flat().flatMap((item) => [flag, String(item)]);
  });
}
