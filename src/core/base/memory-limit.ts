/**
 * How much memory decoded values may take. Files declare sizes and compress well, so a file's size says little about
 * the cost of reading it: code that is about to hold decoded values checks here first.
 *
 * The limit belongs to the process, as memory does, and not to one call: a report, its worker threads and a viewer
 * that reads two runs share the machine.
 *
 * @module
 */
import { formatCount } from "../text/format.ts";
import { LimitError, type Place } from "./errors.ts";

export const DEFAULT_MEMORY_LIMIT = 2 ** 30;

let limit = DEFAULT_MEMORY_LIMIT;

/** Bytes of decoded values that one file may hold at a time; `--memory` sets it, in MiB. */
export function memoryLimit(): number {
  return limit;
}

/** @param bytes a positive number; Infinity for no limit */
export function setMemoryLimit(bytes: number): void {
  if (!(bytes > 0)) throw new RangeError(`the memory limit must be positive, not ${bytes} bytes`);
  limit = bytes;
}

/**
 * Call before allocating values, with the total of decoded bytes after that.
 *
 * @param what the subject of the message: `array "log_probs" of shape [20000000, 1]`
 * @throws LimitError when that is more than {@link memoryLimit}
 */
export function checkMemory(bytes: number, what: string, at: Place): void {
  if (bytes <= limit) return;
  throw new LimitError(`${what} would take ${mebibytes(bytes)} decoded; the limit is ${mebibytes(limit)}`, {
    needed: bytes,
    limit,
    at,
    likely: "the file decodes to far more than its size, is damaged, or was crafted to fill the memory",
    hint: `if the file is valid and there is enough memory: --memory ${Math.ceil((bytes * 1.25) / 2 ** 20)} (MiB)`,
  });
}

/** The error for values whose size only decoding shows, once they have reached {@link memoryLimit}. */
export function memoryExceeded(what: string, at: Place): LimitError {
  return new LimitError(`${what} takes more than the limit of ${mebibytes(limit)} decoded`, {
    limit,
    at,
    likely: "the file decodes to far more than its size, is damaged, or was crafted to fill the memory",
    hint: `if the file is valid and there is enough memory: --memory ${Math.ceil((4 * limit) / 2 ** 20)} (MiB)`,
  });
}

function mebibytes(bytes: number): string {
  return `${formatCount(Math.ceil(bytes / 2 ** 20))} MiB`;
}
