/**
 * Standard output and standard error, where writing may fail: a file on a full disk, a reader that has closed the pipe.
 *
 * @module
 */

import { fstatSync, writeSync } from "node:fs";
import { fileSystemError } from "../../core/base/index.ts";

type Stream = NodeJS.WriteStream & { readonly fd: number };

/** Files and devices other than terminals; Node writes to these only once, and treats a partial write as complete. */
function isFile({ fd, isTTY }: Stream): boolean {
  if (isTTY) return false;
  try {
    const stats = fstatSync(fd);
    return stats.isFile() || stats.isCharacterDevice() || stats.isBlockDevice();
  } catch {
    return false;
  }
}

function writeAllSync(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; ) from += writeSync(fd, bytes, from);
}

let outputIsFile: boolean | undefined;
let errorIsFile: boolean | undefined;

/**
 * Writes to standard output. If the reader has closed the pipe (`| head`), the rest is discarded.
 *
 * @throws FileSystemError if it is a file that cannot be written, as on a full disk
 */
export function writeOutput(text: string): void {
  outputIsFile ??= isFile(process.stdout as Stream);
  if (!outputIsFile) {
    process.stdout.write(text);
    return;
  }
  try {
    writeAllSync(1, text);
  } catch (cause) {
    throw fileSystemError(cause, "write", { file: "standard output" });
  }
}

/** Writes to standard error. If that fails, there is nowhere to report it, and the work continues. */
export function writeMessage(text: string): void {
  errorIsFile ??= isFile(process.stderr as Stream);
  if (!errorIsFile) {
    process.stderr.write(text);
    return;
  }
  try {
    writeAllSync(2, text);
  } catch {
    // The exit status still reports it.
  }
}

/**
 * Handles closed pipes, which say nothing about the result: the exit status stays the verb's own.
 *
 * @param onFailure any other failure of standard output
 */
export function listenForClosedPipes(onFailure: (error: NodeJS.ErrnoException) => void): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE" && error.code !== "ERR_STREAM_DESTROYED") onFailure(error);
  });
  process.stderr.on("error", () => {});
}
